import { describeInBrowsers } from '../../support/browsers';
import { daysFromToday, givenDeparture, givenTour } from '../../support/given';
import { useElementSite } from '../given-page';
import { holdSeats } from '../visit';

const MINUTE_MS = 60_000;

describeInBrowsers('a hold that ends', (browser) => {
  const site = useElementSite(browser);

  /** Holds a seat of a departure that closes in so many minutes, and lets three minutes more pass for the page. */
  const outlast = async (closesIn: number, holdMinutes: number) => {
    const tour = await givenTour(site.api.db);
    const closesAt = new Date(Date.now() + closesIn * MINUTE_MS).toISOString();
    await givenDeparture(site.api.db, tour, { date: daysFromToday(20), closesAt });
    await givenDeparture(site.api.db, tour, { date: daysFromToday(21) });
    await site.page.clock.install();
    await site.open(`<tour-booking tour="${tour.slug}"></tour-booking>`);
    await holdSeats(site.page);
    await site.page.clock.fastForward((holdMinutes + 3) * MINUTE_MS);
    await site.page.getByRole('heading', { name: 'The time to book is over' }).waitFor();
  };
  const holdButton = () => site.page.getByRole('button', { name: 'Hold the seats' });

  it('a hold that its departure has ended by closing is not offered again, but the nearest departure with seats is', async () => {
    await outlast(4, 4);
    await site.page.locator('.problem', { hasText: 'This departure can no longer be booked.' }).waitFor();
    expect(await holdButton().count()).toBe(0);
    await site.page.locator('.alternatives button').click();
    await holdButton().click();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
  });

  it('a hold that ends by its own time can be placed again, and the page says which seats these are', async () => {
    await outlast(24 * 60, 15);
    await site.page.getByText('1 × Adult').waitFor();
    expect(await site.page.locator('.problem').count()).toBe(0);
    await holdButton().click();
    await site.page.getByRole('heading', { name: 'Your seats are held' }).waitFor();
  });
});
