import { describeInChromium } from '../../support/chromium';
import { givenDeparture, givenTour, type GivenTour } from '../../support/given';
import { useElementSite } from '../given-page';

describeInChromium('a purchase with the element', () => {
  const site = useElementSite();
  let tour: GivenTour;
  beforeEach(async () => {
    tour = await givenTour(site.api.db);
  });

  it('a visitor books a tour from the calendar to the payment', async () => {
    await givenDeparture(site.api.db, tour, { prices: { adult: 50_000 } });
    await site.open(
      `<tour-booking tour="${tour.slug}" next="/pay"><a href="/contact">Contact</a></tour-booking>`,
    );
    const { page } = site;
    await page.locator('.day.open').click();
    await page.getByRole('button', { name: 'Hold the seats' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ana Lima');
    await page.getByLabel('Phone').fill('+49 30 901820');
    await page.getByLabel('E-mail').fill('ana@example.com');
    await page.getByRole('button', { name: 'Book for €500' }).click();
    await page.waitForURL(/\/pay\?booking_ref=/);
    const [lead] = await site.api.db('booking_leads').where({ tour_id: tour.id });
    expect(lead).toMatchObject({ status: 'pending_payment', party: { adult: 1 } });
    expect(site.complaints).toEqual([]);
  });
});
