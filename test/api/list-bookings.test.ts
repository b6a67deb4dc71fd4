import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { expectInvalidFields } from '../support/responses';
import {
  CUSTOMER,
  endPaymentWindow,
  givenSeats,
  givenWebsite,
  useWebsite,
  type Website,
} from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
/** Maps the name of each booking in the test to its booking_ref, the oldest first. */
const refs: Record<string, string> = {};

beforeAll(async () => {
  const { db } = api;
  const { tour, date } = await givenSeats(db);
  for (const name of ['old', 'pending', 'confirmed', 'cancelled', 'expired']) {
    const external_ref = name === 'old' ? 'order-Å' : 'order-9';
    const { body } = await website.book({ tour_id: tour.id, departure_date: date, external_ref });
    refs[name] = body.booking_ref;
  }
  await db('booking_leads')
    .where({ booking_ref: refs.old })
    .update({ created_at: `${daysFromToday(-3)}T23:59:59.999Z` });
  await db('booking_leads')
    .where({ booking_ref: refs.pending })
    .update({ created_at: `${daysFromToday(0)}T00:00:00Z` });
  await website.post(`/api/tenant/bookings/${refs.confirmed}/confirm`);
  await website.post(`/api/tenant/bookings/${refs.cancelled}/cancel`);
  await endPaymentWindow(db, refs.expired!);
});

const list = (query = '') => website.get(`/api/tenant/bookings${query}`);
const namesIn = (body: { items: { booking_ref: string }[] }) =>
  body.items.map((item) => Object.keys(refs).find((name) => refs[name] === item.booking_ref));
const listed = async (query: string) => namesIn((await list(query)).body);

describe("listing a tenant's bookings", () => {
  it('the list of bookings returns the bookings newest first, with customer and notes, and forbids caching', async () => {
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

  it('the pages of bookings list each booking once, even if a new one is created meanwhile', async () => {
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
  ])('the filter %s returns only matching bookings', async (query, names) => {
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
  ])('the list of bookings refuses the filter %s', async (query, field, code) => {
    expectInvalidFields(await list(`?${query}`), [field], code);
  });

  it.each([
    '2027-01-01',
    'yesterday',
    '2027-02-30T00:00:00Z',
    '2027-01-01T00:00:00',
    '2027-01-01T25:00:00Z',
    '2027-01-01T00:00:00+25:00',
    '0001-01-01T00:00:00+01:00',
    '2026-01-01T24:00:00Z',
  ])('the list of bookings refuses an updated_since of %s', async (updated_since) => {
    const response = await website.get('/api/tenant/bookings').query({ updated_since });
    expectInvalidFields(response, ['updated_since'], 'validation_failed');
  });

  it('the list of bookings accepts a cursor only with the filters of the page that returned it', async () => {
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

/** Returns the references of all pages, in order. */
async function refsOf(who: Website, query: string, limit: number): Promise<string[]> {
  const found: string[] = [];
  let cursor = '';
  do {
    const { body } = await who.get(`/api/tenant/bookings?${query}&limit=${limit}${cursor}`);
    found.push(...body.items.map((item: { booking_ref: string }) => item.booking_ref));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor);
  return found;
}

describe("listing a tenant's bookings by date of departure", () => {
  const who = useWebsite(api);
  const byDay: Record<number, string[]> = {};
  beforeAll(async () => {
    const tour = await givenTour(api.db);
    for (const day of [30, 10, 20, 10]) {
      const date = daysFromToday(day);
      if (!byDay[day]) await givenDeparture(api.db, tour, { date });
      const { body } = await who.book({ tour_id: tour.id, departure_date: date, external_ref: `on-${day}` });
      (byDay[day] ??= []).push(body.booking_ref);
    }
    await who.book({ tour_id: tour.id });
  });

  it.each([
    [`departure_from=${daysFromToday(10)}&departure_to=${daysFromToday(30)}`, [10, 20, 30]],
    [`departure_from=${daysFromToday(20)}`, [20, 30]],
    [`departure_to=${daysFromToday(20)}`, [10, 20]],
    [`departure_from=${daysFromToday(20)}&departure_to=${daysFromToday(20)}`, [20]],
    [`departure_from=${daysFromToday(11)}&departure_to=${daysFromToday(19)}`, []],
    [`departure_from=${daysFromToday(30)}&departure_to=${daysFromToday(10)}`, []],
    [`departure_to=${daysFromToday(20)}&external_ref=on-20`, [20]],
    [`departure_from=${daysFromToday(0)}&status=confirmed`, []],
  ])(
    '%s returns bookings by departure date, both dates included, on pages of any size',
    async (query, days) => {
      for (const limit of [1, 2, 100])
        expect(await refsOf(who, query, limit)).toEqual(days.flatMap((day) => byDay[day]));
    },
  );
});

describe("listing a tenant's bookings by change", () => {
  async function given(): Promise<{ who: Website; refs: string[] }> {
    const { tour, date } = await givenSeats(api.db);
    const who = await givenWebsite(api);
    const made: string[] = [];
    for (let n = 0; n < 5; n++)
      made.push((await who.book({ tour_id: tour.id, departure_date: date })).body.booking_ref);
    return { who, refs: made };
  }

  async function updatedAt(who: Website, ref: string): Promise<string> {
    return (await who.get(`/api/tenant/bookings/${ref}`)).body.updated_at;
  }

  it('updated_since returns bookings changed since then, oldest change first, on pages of any size', async () => {
    const {
      who,
      refs: [a, b, c, d, e],
    } = await given();
    await who.post(`/api/tenant/bookings/${b}/confirm`);
    await who.post(`/api/tenant/bookings/${a}/cancel`);
    for (const limit of [1, 2, 100]) {
      expect(await refsOf(who, 'updated_since=1970-01-01T00:00:00Z', limit)).toEqual([c, d, e, b, a]);
      const since = await updatedAt(who, e!);
      expect(await refsOf(who, `updated_since=${since}`, limit)).toEqual([e, b, a]);
      const shifted = encodeURIComponent(since.replace('Z', '+00:00'));
      expect(await refsOf(who, `updated_since=${shifted}&status=confirmed`, limit)).toEqual([b]);
      expect(await refsOf(who, `updated_since=${since}&departure_to=${daysFromToday(-1)}`, limit)).toEqual(
        [],
      );
    }
    expect(await refsOf(who, 'updated_since=9999-12-31T23:59:59Z', 10)).toEqual([]);
  });

  it('a booking that changes or expires while the pages are read appears again on the last page', async () => {
    const {
      who,
      refs: [a, b, c, d, e],
    } = await given();
    const since = await updatedAt(who, a!);
    const first = (await who.get(`/api/tenant/bookings?updated_since=${since}&limit=2`)).body;
    await who.post(`/api/tenant/bookings/${a}/confirm`);
    await endPaymentWindow(api.db, b!);
    const rest = await who.get(`/api/tenant/bookings?updated_since=${since}&cursor=${first.next_cursor}`);
    expect(rest.body.items.map((item: BookingShown) => [item.booking_ref, item.status])).toEqual([
      ...[c, d, e].map((ref) => [ref, 'pending_payment']),
      [a, 'confirmed'],
      [b, 'expired'],
    ]);
  });
});

interface BookingShown {
  booking_ref: string;
  status: string;
}
