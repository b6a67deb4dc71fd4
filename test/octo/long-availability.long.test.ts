import { departureSlices } from '../../services/api/departures/find-departures';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { daysFromToday, givenTour, type GivenTour } from '../support/given';
import { expectProblem } from '../support/responses';
import { givenWebsite, type Website } from '../support/website';
import { expectOcto, expectOctoError } from './schemas';

const QUOTA = 5;
const CALLS = {
  availability: '/octo/availability',
  calendar: '/octo/availability/calendar',
} as const;
type Call = keyof typeof CALLS;

const api = useTestApi({ quotas: { availability: QUOTA, hold: 1, booking: 1, catalog: 100, widget: 1 } });
let site: Website;
/** Has seven departures on each of 61 days: 427. */
let busy: GivenTour;
/** Has 366 departures. */
let year: GivenTour;

beforeAll(async () => {
  busy = await givenDays(61, 7);
  year = await givenDays(366, 1);
}, 60_000);
beforeEach(async () => {
  api.context.quotas = createMemoryQuotaStore();
  site = await givenWebsite(api, {}, ['catalog:read']);
});

async function givenDays(days: number, each: number): Promise<GivenTour> {
  const tour = await givenTour(api.db);
  await api.db.raw(
    `insert into departures (tour_id, departure_date, start_time, seats_total, prices_minor)
     select :id, day, to_char(time '06:00' + n * interval '1 hour', 'HH24:MI'), 10 + n, '{"adult": 10000}'
     from generate_series(:from::date, :from::date + :days::integer - 1, interval '1 day') day, generate_series(1, :each::integer) n`,
    { id: tour.id, from: daysFromToday(2), days, each },
  );
  return tour;
}

const ask = (call: Call, tour: GivenTour, days: number, from = 0) =>
  site.post(CALLS[call], {
    productId: tour.id,
    optionId: 'DEFAULT',
    localDateStart: daysFromToday(2 + from),
    localDateEnd: daysFromToday(1 + from + days),
  });
const remaining = ({ headers }: { headers: Record<string, string> }) =>
  `${headers['ratelimit-remaining']} of ${headers['ratelimit-limit']}`;

describe.each(['availability', 'calendar'] as const)('a long list of POST /octo/… (%s)', (call) => {
  it(`${call}: a list of 366 rows costs one unit of the quota, and one of 427 rows two`, async () => {
    expect(remaining(await ask(call, year, 366))).toBe('4 of 5');
    expect(remaining(await ask(call, busy, 366))).toBe('2 of 5');
    expect(remaining(await ask(call, busy, 52))).toBe('1 of 5');
  });

  it(`${call}: a list that costs more than the rest of the quota is refused, and the list is not read`, async () => {
    for (let n = 0; n < QUOTA - 1; n++) await ask(call, year, 1);
    const refused = await ask(call, busy, 366);
    expectOctoError(refused, 429, 'RATE_LIMITED');
    expect(remaining(refused)).toBe('0 of 5');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it(`${call}: a list that costs more than the whole quota costs the whole quota`, async () => {
    await api.db('tenants').where({ id: site.tenant.id }).update({ availability_rpm: 1 });
    const answer = await ask(call, busy, 366);
    expect([answer.status, remaining(answer)]).toEqual([200, '0 of 1']);
  });

  it(`${call}: a streamed list has the rows of the lists of its days`, async () => {
    await api.db('tenants').where({ id: site.tenant.id }).update({ availability_rpm: 1000 });
    const long = expectOcto(await ask(call, busy, 61), call);
    const days = [];
    for (let day = 0; day < 61; day++) days.push(...expectOcto(await ask(call, busy, 1, day), call));
    expect(long).toHaveLength(call === 'calendar' ? 61 : 427);
    expect(long).toEqual(days);
  });

  it(`${call}: a wrong request costs one unit`, async () => {
    expect(remaining(await ask(call, year, 367))).toBe('4 of 5');
    expect(remaining(await ask(call, { ...busy, id: site.tenant.id }, 366))).toBe('3 of 5');
  });
});

describe('lists of departures', () => {
  it('departures are read in slices of 100, so that other requests run between them', async () => {
    const lengths = [];
    for await (const { items } of departureSlices(api.context, site.tenant, busy, { limit: 1000 }))
      lengths.push(items.length);
    expect(lengths).toEqual([100, 100, 100, 100, 27]);
  });

  it('a page of departures of REST has exactly its limit, and its cursor continues after it', async () => {
    const path = `/api/tenant/tours/${busy.slug}/departures?limit=366`;
    const first = await site.get(path);
    const second = await site.get(`${path}&cursor=${first.body.next_cursor}`);
    expect([first.body.items.length, second.body.items.length]).toEqual([366, 61]);
    const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(427);
    expect(second.body.next_cursor).toBeNull();
  });

  it('one list of departures of a key runs at a time; a second one waits two seconds and is then refused', async () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    const running = api.context.readsInTurn(`list of departures ${site.key.slice(9, 21)}`, () => held);
    const [calendar, availability, departures] = await Promise.all([
      ask('calendar', year, 1),
      ask('availability', year, 1),
      site.get(`/api/tenant/tours/${year.slug}/departures`),
    ]);
    expectOctoError(calendar, 429, 'RATE_LIMITED');
    expectOctoError(availability, 429, 'RATE_LIMITED');
    expectProblem(departures, 429, 'rate_limited');
    expect(departures.headers['retry-after']).toBe('1');
    const other = await givenWebsite(api, {}, ['catalog:read']);
    expect((await other.get(`/api/tenant/tours/${year.slug}/departures`)).status).toBe(200);
    end();
    await running;
    expect((await ask('calendar', year, 1)).status).toBe(200);
  });
});
