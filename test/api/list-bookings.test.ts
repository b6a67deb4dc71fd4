import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { expectInvalidFields } from '../support/responses';
import { CUSTOMER, endPaymentWindow, givenSeats, givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
/** The booking_ref by its name in the test, the oldest first. */
const refs: Record<string, string> = {};

beforeAll(async () => {
  const { db } = api;
  const { tour, date } = await givenSeats(db);
  for (const name of ['old', 'pending', 'confirmed', 'cancelled', 'expired']) {
    const external_ref = name === 'old' ? 'order-Å' : 'order-9';
    const { body } = await website.book({ tour_id: tour.id, departure_date: date, external_ref });
    refs[name] = body.booking_ref;
  }
  const [today] = daysFromToday(0).split('T');
  await db('booking_leads')
    .where({ booking_ref: refs.old })
    .update({ created_at: `${daysFromToday(-3)}T23:59:59.999Z` });
  await db('booking_leads')
    .where({ booking_ref: refs.pending })
    .update({ created_at: `${today}T00:00:00Z` });
  await website.post(`/api/tenant/bookings/${refs.confirmed}/confirm`);
  await website.post(`/api/tenant/bookings/${refs.cancelled}/cancel`);
  await endPaymentWindow(db, refs.expired!);
});

const list = (query = '') => website.get(`/api/tenant/bookings${query}`);
const namesIn = (body: { items: { booking_ref: string }[] }) =>
  body.items.map((item) => Object.keys(refs).find((name) => refs[name] === item.booking_ref));
const listed = async (query: string) => namesIn((await list(query)).body);

describe("listing a tenant's bookings", () => {
  it('returns them newest first with customer and notes, and forbids caching', async () => {
    const { body, headers, status } = await list();
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(Object.keys(body)).toEqual(['items', 'next_cursor']);
    expect(body.next_cursor).toBeNull();
    expect(namesIn(body)).toEqual(['expired', 'cancelled', 'confirmed', 'pending', 'old']);
    const { ok, ...detail } = (await website.get(`/api/tenant/bookings/${refs.confirmed}`)).body;
    expect(body.items[2]).toEqual(detail);
    expect([ok, detail.customer, detail.notes]).toEqual([true, CUSTOMER, null]);
  });

  it('pages without a gap, also when a new booking is created', async () => {
    const { tour } = await givenSeats(api.db);
    const own = await givenWebsite(api);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.unshift((await own.book({ tour_id: tour.id })).body.booking_ref);
    const first = await own.get('/api/tenant/bookings?limit=2');
    await own.book({ tour_id: tour.id });
    const found = first.body.items;
    let next = first.body.next_cursor;
    expect(first.headers.link).toContain(`cursor=${next}`);
    while (next) {
      const page = (await own.get(`/api/tenant/bookings?limit=2&cursor=${next}`)).body;
      found.push(...page.items);
      next = page.next_cursor;
    }
    expect(found.map((item: { booking_ref: string }) => item.booking_ref)).toEqual(made);
  });

  it.each([
    ['status=pending_payment', ['pending', 'old']],
    ['status=confirmed', ['confirmed']],
    ['status=cancelled', ['cancelled']],
    ['status=expired', ['expired']],
    ['external_ref=order-9', ['expired', 'cancelled', 'confirmed', 'pending']],
    [`external_ref=${encodeURIComponent('order-A\u030a')}`, ['old']],
    ['external_ref=order-', []],
    ['external_ref=order-9&status=confirmed', ['confirmed']],
    [`from=${daysFromToday(0)}`, ['expired', 'cancelled', 'confirmed', 'pending']],
    [`to=${daysFromToday(-1)}`, ['old']],
    [`from=${daysFromToday(-3)}&to=${daysFromToday(-3)}`, ['old']],
    [`from=${daysFromToday(-2)}&to=${daysFromToday(-1)}`, []],
    [`from=${daysFromToday(1)}&to=${daysFromToday(-1)}`, []],
  ])('with the filter %s returns the matching ones', async (query, names) => {
    expect(await listed(`?${query}`)).toEqual(names);
  });

  it.each([
    ['status=paid', 'status', 'validation_failed'],
    ['from=2026-02-31', 'from', 'validation_failed'],
    ['to=0000-01-01', 'to', 'validation_failed'],
    ['limit=0', 'limit', 'validation_failed'],
    ['limit=101', 'limit', 'validation_failed'],
    ['limit=ten', 'limit', 'validation_failed'],
    ['external_ref=', 'external_ref', 'validation_failed'],
    ['external_ref=a%00', 'external_ref', 'validation_failed'],
    [`external_ref=${'x'.repeat(129)}`, 'external_ref', 'validation_failed'],
    ['status=confirmed&status=expired', 'status', 'duplicate_parameter'],
    ['state=confirmed', 'state', 'unknown_parameter'],
    ['cursor=nonsense', 'cursor', 'invalid_cursor'],
  ])('refuses the filter %s', async (query, field, code) => {
    expectInvalidFields(await list(`?${query}`), [field], code);
  });

  it('accepts a cursor only with the filters of its page', async () => {
    const { next_cursor } = (await list('?limit=1&status=pending_payment')).body;
    expect(await listed(`?limit=5&status=pending_payment&cursor=${next_cursor}`)).toEqual(['old']);
    expectInvalidFields(await list(`?limit=1&cursor=${next_cursor}`), ['cursor'], 'invalid_cursor');
    expectInvalidFields(
      await list(`?limit=1&status=confirmed&cursor=${next_cursor}`),
      ['cursor'],
      'invalid_cursor',
    );
  });
});
