import { useTestApi } from '../support/api';
import { expectProblem, expectReplay } from '../support/responses';
import { givenSeats, givenWebsite, useWebsite, type Website } from '../support/website';

const api = useTestApi();
const website = useWebsite(api, { country: 'DE' });

let keys = 0;
const newKey = () => ({ 'idempotency-key': `spelling-${++keys}` });

const setCountry = ({ tenant }: Website, country: string) =>
  api.db('tenants').where({ id: tenant.id }).update({ country });

const ORDER = { name: 'Zoë Lima', phone: '030 901820', email: 'zoe@example.com', notes: 'One\nTwo' };
const REUSED = 'idempotency_key_reused';

describe('a repeat of a booking', () => {
  it.each<[string, object]>([
    ['the name in NFD', { name: 'Zoë Lima'.normalize('NFD') }],
    ['blanks around a text', { name: '  Zoë Lima ', email: ' zoe@example.com' }],
    ['other line breaks', { notes: 'One\r\nTwo' }],
    ['the country code of the phone number', { phone: '+49 30 901820' }],
    ['the country of the phone number', { phone_country: 'DE' }],
    ['other digits in the phone number', { phone: '٠٣٠ ٩٠١٨٢٠' }],
    ['the fixed defaults written out', { adults: 1, children: 0, single_supplements: 0 }],
  ])('the API recognises a repeat with %s', async (_spelling, change) => {
    const { tour, date } = await givenSeats(api.db);
    const order = { ...ORDER, tour_id: tour.id, departure_date: date };
    const key = newKey();
    const first = await website.book(order, key);
    expect(first.status).toBe(201);
    expectReplay(await website.book({ ...order, ...change }, key), first);
  });

  it('the API recognises a repeat that names the one adult of a booking with children', async () => {
    const { tour, date } = await givenSeats(api.db, { prices: { adult: 50_000, child: 30_000 } });
    const order = { ...ORDER, tour_id: tour.id, departure_date: date };
    const key = newKey();
    const first = await website.book({ ...order, children: 2 }, key);
    expect(first.body).toMatchObject({ party: { adult: 1, child: 2 } });
    expectReplay(await website.book({ ...order, adults: 1, children: 2 }, key), first);
    expectReplay(await website.book({ ...order, party: { adult: 1, child: 2 } }, key), first);
    expectProblem(await website.book({ ...order, adults: 0, children: 2 }, key), 422, REUSED);
  });

  it('the API recognises a repeat that sends null for traveller fields that the first request omitted', async () => {
    const { tour, date } = await givenSeats(api.db);
    const traveller = { category: 'adult', first_name: 'Zoë', last_name: 'Lima' };
    const order = { ...ORDER, tour_id: tour.id, departure_date: date };
    const key = newKey();
    const first = await website.book({ ...order, travellers: [traveller] }, key);
    expect(first.status).toBe(201);
    const travellers = [{ ...traveller, birth_date: null, note: null }];
    expectReplay(await website.book({ ...order, travellers }, key), first);
  });

  it('the API recognises a repeat that sends null for answers and a pickup that the first request omitted', async () => {
    const diet = {
      code: 'diet',
      label: 'Diet',
      type: 'text',
      per: 'booking',
      required: false,
      until: 'confirm',
    };
    const size = { ...diet, code: 'size', per: 'traveller' };
    const { tour, date } = await givenSeats(api.db);
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ questions: JSON.stringify([diet, size]) });
    const traveller = { category: 'adult', first_name: 'Zoë', last_name: 'Lima' };
    const order = { ...ORDER, tour_id: tour.id, departure_date: date, travellers: [traveller] };
    const key = newKey();
    const first = await website.book(order, key);
    expect(first.status).toBe(201);
    const travellers = [{ ...traveller, answers: { size: null } }];
    expectReplay(
      await website.book({ ...order, travellers, answers: { diet: null }, pickup: null }, key),
      first,
    );
    expectProblem(await website.book({ ...order, answers: { diet: 'vegan' } }, key), 422, REUSED);
  });

  it('a request that names the default payment method is not a repeat of one that omits it', async () => {
    const { tour } = await givenSeats(api.db);
    const order = { ...ORDER, tour_id: tour.id };
    const key = newKey();
    const first = await website.book(order, key);
    const { payment_method } = first.body;
    expectProblem(await website.book({ ...order, payment_method }, key), 422, REUSED);
    await api.db('tenants').where({ id: website.tenant.id }).update({ payment_method: 'card' });
    expectReplay(await website.book(order, key), first);
  });

  it('a repeat reads its phone number by the country that the tenant had at the first request', async () => {
    const site = await givenWebsite(api, { country: 'DE' });
    const { tour } = await givenSeats(api.db);
    const order = { ...ORDER, tour_id: tour.id };
    const key = newKey();
    const first = await site.book(order, key);
    await setCountry(site, 'AT');
    expectReplay(await site.book(order, key), first);
    expectReplay(await site.book({ ...order, phone: '+49 30 901820' }, key), first);
    for (const other of [{ phone: '+43 30 901820' }, { phone_country: 'AT' }])
      expectProblem(await site.book({ ...order, ...other }, key), 422, REUSED);
    const inAustria = await site.book(order, newKey());
    const { body } = await site.get(`/api/tenant/bookings/${inAustria.body.booking_ref}`);
    expect(body.customer.phone).toBe('+4330901820');
  });

  it('the API validates a repeat before it looks up the key', async () => {
    const { tour } = await givenSeats(api.db);
    const key = newKey();
    await website.book({ ...ORDER, tour_id: tour.id }, key);
    const invalid = await website.book({ ...ORDER, tour_id: tour.id, name: ' ' }, key);
    expectProblem(invalid, 400, 'validation_failed');
    expectProblem(await website.book({ ...ORDER, tour_id: 'none' }, key), 422, REUSED);
  });
});

describe('a repeat of another write', () => {
  it('the API recognises the repeat of a hold with explicit default counts and another phone format', async () => {
    const { tour, date } = await givenSeats(api.db);
    const key = newKey();
    const hold = { departure_date: date, quantity: 2 };
    const first = await website.hold(tour, { ...hold, customer: { phone: '030 901820' } }, key);
    expect(first.status).toBe(201);
    const spelled = { ...hold, adults: 2, children: 0, customer: { phone: '+4930901820' } };
    expectReplay(await website.hold(tour, spelled, key), first);
    expectProblem(await website.hold(tour, { ...spelled, hold_minutes: 15 }, key), 422, REUSED);
  });

  it("a repeated change in another spelling gets the first answer after the tenant's country has changed", async () => {
    const site = await givenWebsite(api, { country: 'DE' });
    const seats = await givenSeats(api.db);
    const hold = await site.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
    const booking = await site.book({ tour_id: seats.tour.id, departure_date: seats.date });
    const holdPath = `/api/gateway/holds/${hold.body.hold_id}`;
    const bookingPath = `/api/tenant/bookings/${booking.body.booking_ref}`;
    const customer = { name: 'Zoë', phone: '030 901820' };
    const respelled = { name: ' Zoë'.normalize('NFD'), phone: '+49 (30) 901820' };
    const key = newKey();
    const changedHold = await site.patch(holdPath, { customer }, key);
    const changedBooking = await site.patch(bookingPath, customer, key);
    expect([changedHold.status, changedBooking.status]).toEqual([200, 200]);
    await setCountry(site, 'AT');
    for (const spelling of [customer, respelled]) {
      expectReplay(await site.patch(holdPath, { customer: spelling }, key), changedHold);
      expectReplay(await site.patch(bookingPath, spelling, key), changedBooking);
    }
    expectProblem(await site.patch(bookingPath, { ...customer, notes: null }, key), 422, REUSED);
  });

  it('the API recognises a repeated cancellation whose reason differs only in blanks and Unicode form', async () => {
    const { tour } = await givenSeats(api.db);
    const { body } = await website.book({ tour_id: tour.id });
    const path = `/api/tenant/bookings/${body.booking_ref}/cancel`;
    const key = newKey();
    const first = await website.post(path, { reason: 'Zoë is ill.' }, key);
    expectReplay(await website.post(path, { reason: ' Zoë is ill. '.normalize('NFD') }, key), first);
    expectProblem(await website.post(path, {}, key), 422, REUSED);
  });
});
