import { givenDeparture, givenTour } from '../../support/given';
import { describeInWebKit } from '../../support/webkit';
import { useSellingSite } from '../given-page';

/** Finds in the shadow tree of the element. */
const ROOT = `document.querySelector('tour-booking')?.shadowRoot`;
/** Keeps what the page complains of. WebDriver does not read the console. */
const RECORD_COMPLAINTS = `
  window.complaints = [];
  addEventListener('error', ({ message }) => complaints.push(message));
  addEventListener('unhandledrejection', ({ reason }) => complaints.push(String(reason)));
  addEventListener('securitypolicyviolation', ({ violatedDirective }) => complaints.push(violatedDirective));`;

describeInWebKit('a purchase with the element in WebKit', (page) => {
  const site = useSellingSite();

  const field = (name: string) =>
    page().find(`the field ${name}`, `return ${ROOT}?.querySelector('[name=${name}]')`);
  const shown = (selector: string, text: string) =>
    page().find(
      `${selector} with ${text}`,
      `return [...(${ROOT}?.querySelectorAll('${selector}') ?? [])]
        .find(({ textContent }) => textContent.startsWith('${text}'))`,
    );
  const press = async (name: string) => page().click(await shown('button', name));

  it('a visitor books a tour from the date to the reference', async () => {
    const { db } = site.api;
    const tour = await givenTour(db);
    await givenDeparture(db, tour, { prices: { adult: 50_000 } });
    site.show(`<tour-booking tour="${tour.slug}" next="/pay"></tour-booking>`);
    await page().open(site.address);
    await page().run(RECORD_COMPLAINTS);

    await page().click(await page().find('an open day', `return ${ROOT}?.querySelector('.day.open')`));
    await page().click(await shown('.stepper button:last-of-type', ''));
    await press('Hold the seats');
    await shown('h3, h2', 'Your seats are held');
    await page().type(await field('name'), 'Ana Lima');
    await page().type(await field('phone'), '+49 30 901820');
    await page().type(await field('email'), 'ana@example.com');
    expect(await page().run('return complaints')).toEqual([]);
    await press('Book for €1,000');

    await page().waitForUrl(/\/pay\?booking_ref=[A-Z0-9]+-\d+$/);
    const leads = await db('booking_leads').where({ tour_id: tour.id });
    expect(leads).toEqual([
      expect.objectContaining({
        bookingRef: new URL(await page().url()).searchParams.get('booking_ref'),
        status: 'pending_payment',
        party: { adult: 2 },
        customerName: 'Ana Lima',
        customerPhone: '+4930901820',
        customerEmail: 'ana@example.com',
      }),
    ]);
  });
});
