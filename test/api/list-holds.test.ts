import { useTestApi } from '../support/api';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { CUSTOMER, endHoldIn, givenSeats, givenWebsite, type Seats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
/** Maps the name of each hold in the test to its hold_id, the oldest first. */
const ids: Record<string, string> = {};
let seats: Seats;

beforeAll(async () => {
  const { db } = api;
  seats = await givenSeats(db, { seats: 50 });
  for (const name of ['live', 'released', 'swept', 'lapsed', 'converted', 'other']) {
    const external_ref = name === 'other' ? 'cart-Å' : 'cart-9';
    const held = { departure_date: seats.date, quantity: 1, external_ref, customer: CUSTOMER };
    ids[name] = (await website.hold(seats.tour, held)).body.hold_id;
  }
  await website.delete(`/api/gateway/holds/${ids.released}`);
  await website.book({ tour_id: seats.tour.id, hold_id: ids.converted });
  await endHoldIn(db, ids.swept!, -1);
  await db('seat_holds')
    .where({ id: ids.swept })
    .update({ status: 'expired', ended_at: db.raw('expires_at') });
  await endHoldIn(db, ids.lapsed!, -1);
});

const list = (query = '', who = website) => who.get(`/api/gateway/holds${query}`);
const namesIn = (body: { items: { hold_id: string }[] }) =>
  body.items.map((item) => Object.keys(ids).find((name) => ids[name] === item.hold_id));
const listed = async (query: string) => namesIn((await list(query)).body);

describe("listing a tenant's holds", () => {
  it('the list of holds returns the newest first, with the fields of a single read, and forbids caching', async () => {
    const { body, headers, status } = await list();
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers).not.toHaveProperty('link');
    expect(Object.keys(body)).toEqual(['items', 'next_cursor']);
    expect(body.next_cursor).toBeNull();
    expect(namesIn(body)).toEqual(['other', 'converted', 'lapsed', 'swept', 'released', 'live']);
    for (const item of body.items) {
      const { ok, ...hold } = (await website.get(`/api/gateway/holds/${item.hold_id}`)).body;
      expect([ok, item]).toEqual([true, hold]);
    }
  });

  it.each([
    ['status=active', ['other', 'live']],
    ['status=released', ['released']],
    ['status=expired', ['lapsed', 'swept']],
    ['status=converted', ['converted']],
    ['external_ref=cart-9', ['converted', 'lapsed', 'swept', 'released', 'live']],
    [`external_ref=${encodeURIComponent('cart-A\u030a')}`, ['other']],
    ['external_ref=cart-', []],
    ['external_ref=cart-9&status=active', ['live']],
    ['external_ref=cart-9&status=expired', ['lapsed', 'swept']],
  ])('the filter %s returns only matching holds', async (query, names) => {
    expect(await listed(`?${query}`)).toEqual(names);
  });

  it('the list of holds counts a hold as expired from the instant of its end, without a job', async () => {
    const who = await givenWebsite(api);
    const { hold_id } = (await who.hold(seats.tour, { departure_date: seats.date, quantity: 1 })).body;
    const found = async (status: string) => (await list(`?status=${status}`, who)).body.items.length;
    expect([await found('active'), await found('expired')]).toEqual([1, 0]);
    await endHoldIn(api.db, hold_id, 300);
    expect([await found('active'), await found('expired')]).toEqual([1, 0]);
    await new Promise((resolve) => setTimeout(resolve, 310));
    expect([await found('active'), await found('expired')]).toEqual([0, 1]);
    expect(await api.db('seat_holds').where({ id: hold_id }).first('status')).toEqual({ status: 'active' });
  });

  it.each(['', '&status=expired', '&status=converted'])(
    'the pages of holds list each hold once, despite equal times and a new hold meanwhile (filter "%s")',
    async (filter) => {
      const { db } = api;
      const who = await givenWebsite(api);
      const hold = () => who.hold(seats.tour, { departure_date: seats.date, quantity: 1 });
      const made: string[] = [];
      for (let n = 0; n < 7; n++) made.push((await hold()).body.hold_id);
      const status = filter.split('=')[1];
      await db('seat_holds')
        .whereIn('id', made)
        .update({ created_at: db.raw("now() - interval '1 hour'") });
      if (status) {
        await db('seat_holds').whereIn('id', made.slice(0, 4)).update({ status });
        await db('seat_holds')
          .whereIn('id', made.slice(4))
          .update(status === 'expired' ? { expires_at: db.raw('now()') } : { status });
      }
      const first = await list(`?limit=3${filter}`, who);
      const { body } = first;
      expect(first.headers.link).toContain(`limit=3${filter}&cursor=${body.next_cursor}>; rel="next"`);
      await hold();
      const found = body.items;
      let next = body.next_cursor;
      while (next) {
        const page = (await list(`?limit=3${filter}&cursor=${next}`, who)).body;
        found.push(...page.items);
        next = page.next_cursor;
      }
      expect(found.map((item: { hold_id: string }) => item.hold_id)).toEqual(made.sort().reverse());
    },
  );

  it.each([
    ['status=live', 'status', 'validation_failed'],
    ['limit=0', 'limit', 'validation_failed'],
    ['limit=101', 'limit', 'validation_failed'],
    ['external_ref=', 'external_ref', 'validation_failed'],
    ['external_ref=a%00', 'external_ref', 'validation_failed'],
    [`external_ref=${'x'.repeat(129)}`, 'external_ref', 'validation_failed'],
    ['status=active&status=expired', 'status', 'duplicate_parameter'],
    ['from=2027-01-01', 'from', 'unknown_parameter'],
    ['cursor=nonsense', 'cursor', 'invalid_cursor'],
  ])('the list of holds refuses the filter %s', async (query, field, code) => {
    expectInvalidFields(await list(`?${query}`), [field], code);
  });

  it('the list of holds accepts a cursor only with the filters of the page that returned it', async () => {
    const { next_cursor } = (await list('?limit=1&status=active')).body;
    expect(await listed(`?limit=5&status=active&cursor=${next_cursor}`)).toEqual(['live']);
    for (const filter of ['', '&status=expired', '&status=active&external_ref=cart-9'])
      expectInvalidFields(
        await list(`?limit=1${filter}&cursor=${next_cursor}`),
        ['cursor'],
        'invalid_cursor',
      );
  });

  it('the list of holds names every invalid filter in one answer', async () => {
    const response = await list('?limit=101&status=live&external_ref=');
    expectInvalidFields(response, ['limit', 'status', 'external_ref'], 'validation_failed');
  });

  it('the list of holds needs the scope booking:create', async () => {
    const reader = await givenWebsite(api, {}, ['catalog:read', 'booking:read', 'booking:manage']);
    expectProblem(await list('', reader), 401, 'insufficient_scope');
  });
});
