import { describeInBrowsers } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { holdSeats } from '../visit';

const POLICY = {
  tiers: [
    { until: '30d', refund_percent: 100 },
    { until: '2d', refund_percent: 50 },
    { until: '0h', refund_percent: 10 },
  ],
};

const DAY_MS = 86_400_000;

describeInBrowsers('the terms of a cancellation', (browser) => {
  const site = useElementSite(browser, { context: { timezoneId: 'Europe/Berlin' } });
  let tour: GivenTour;
  const given = async (time_zone: string, days: number) => {
    tour = await givenTour(site.api.db, { timeZone: time_zone, cancellation: POLICY });
    await givenDeparture(site.api.db, tour, {
      date: daysFromToday(days),
      startTime: '18:00',
      prices: { adult: 48_955 },
    });
    await site.open(`<tour-booking tour="${tour.slug}" lang="en-GB"></tour-booking>`);
    await site.page.locator('.day.open').waitFor();
  };
  const terms = async () =>
    (await site.page.locator('.terms li').allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '));
  const inWords = (days: number) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
      new Date(daysFromToday(days)),
    );

  it('the terms are those of the tour, and then the dates and amounts of the chosen departure and party', async () => {
    await given('Europe/Berlin', 60);
    expect(await terms()).toEqual([
      'Until 30 days before the start: 100% refunded',
      'Until 2 days before the start: 50% refunded',
      'Until the start: 10% refunded',
      'After that: nothing refunded',
    ]);
    await site.page.locator('.day.open').click();
    const single = [
      `Until ${inWords(30)} at 18:00: €489.55 refunded`,
      `Until ${inWords(58)} at 18:00: €244.78 refunded`,
      `Until ${inWords(60)} at 18:00: €48.96 refunded`,
      'After that: nothing refunded',
    ];
    expect(await terms()).toEqual(single);
    await holdSeats(site.page);
    expect(await terms()).toEqual(single);
  });

  it('a tier that has ended is not shown for a near departure, nor one that ends while the page is open', async () => {
    await site.page.clock.install();
    await given('Europe/Berlin', 4);
    await site.page.locator('.day.open').click();
    await site.page.getByRole('button', { name: 'Adult: +1' }).click();
    expect(await terms()).toEqual([
      `Until ${inWords(2)} at 18:00: €489.55 refunded`,
      `Until ${inWords(4)} at 18:00: €97.91 refunded`,
      'After that: nothing refunded',
    ]);
    await site.page.clock.fastForward(3 * DAY_MS);
    await site.page.locator('.terms li').nth(2).waitFor({ state: 'detached' });
    expect(await terms()).toEqual([
      `Until ${inWords(4)} at 18:00: €97.91 refunded`,
      'After that: nothing refunded',
    ]);
  });

  it('a visitor whose clock is three days ahead sees each tier that the clock of the site has not ended', async () => {
    await site.page.clock.install({ time: Date.now() + 3 * DAY_MS });
    await given('Europe/Berlin', 4);
    await holdSeats(site.page);
    expect(await terms()).toEqual([
      `Until ${inWords(2)} at 18:00: €244.78 refunded`,
      `Until ${inWords(4)} at 18:00: €48.96 refunded`,
      'After that: nothing refunded',
    ]);
    await site.page.clock.fastForward(3 * DAY_MS);
    await site.page.getByText(inWords(2)).waitFor({ state: 'detached' });
  });

  it('a tour in another time zone has the times of the visitor, with the name of the zone', async () => {
    await given('Asia/Tokyo', 10);
    await site.page.locator('.day.open').click();
    expect((await terms())[0]).toMatch(
      new RegExp(`^Until ${inWords(8)} at (09|10|11):00 [(].+[)]: €244[.]78 refunded$`),
    );
  });
});
