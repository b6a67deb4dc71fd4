import { parse } from 'csv-parse/sync';
import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour, type TourOverrides } from '../support/given';
import { describeOnTerminal, KEY } from '../support/pseudo-terminal';
import { useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const website = useWebsite(api);

beforeAll(() => add(api.db, website.tenant.id, 'https://acme.example/webhooks', ['booking.cancelled']));

/** Full refund until 30 days before the start, half until 7 days. */
const TIERS: CancellationPolicy = {
  tiers: [
    { until: '30d', refund_percent: 100 },
    { until: '7d', refund_percent: 50 },
  ],
};

/** Books and confirms one adult for 979 EUR on a new departure. @param days from today. Null: the booking has no date */
async function bookPaid(days: number | null, more: TourOverrides = {}) {
  const tour = await givenTour(api.db, { cancellation: TIERS, basePriceMinor: 97_900, ...more });
  const date = days === null ? undefined : daysFromToday(days);
  await givenDeparture(api.db, tour, { date, prices: { adult: 97_900 } });
  const { body } = await website.book({ tour_id: tour.id, departure_date: date });
  const ref: string = body.booking_ref;
  expect((await website.post(`/api/tenant/bookings/${ref}/confirm`)).status).toBe(200);
  return { ref, tour, date: date! };
}

const bookUnpaid = async () => {
  const { tour, date } = await bookPaid(20);
  return (await website.book({ tour_id: tour.id, departure_date: date })).body.booking_ref as string;
};
const show = (ref: string) => terminal.json(`booking show ${ref}`);
const screen = async (line: string) => (await terminal.tourctl(line)).stdout.replace(/\s+/g, ' ');
const read = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body;
const end = (days: number, before: number) => `${daysFromToday(days - before)} 00:00:00 UTC`;

describe('tourctl booking show', () => {
  it.each([
    [40, `A cancellation refunds 100% (979.00 EUR) until ${end(40, 30)}, then 50% (489.50 EUR)`],
    [20, `A cancellation refunds 50% (489.50 EUR) until ${end(20, 7)}, then nothing`],
    [3, 'A cancellation refunds nothing'],
    [null, 'not stated'],
  ])(
    'a paid booking %p days before its date says "%s", and answers what REST answers',
    async (days, text) => {
      const { ref } = await bookPaid(days);
      const json = await show(ref);
      expect(json.cancellation).toEqual((await read(ref)).cancellation);
      expect(json).not.toHaveProperty('refund');
      expect(await screen(`booking show ${ref}`)).toContain(` cancellation ${text} `);
    },
  );

  it('an unpaid booking says what it refunds once it is confirmed', async () => {
    const text = await screen(`booking show ${await bookUnpaid()}`);
    expect(text).toContain('Once the booking is confirmed, a cancellation refunds 50% (489.50 EUR) until');
  });

  it('a booking of a tour without a policy says that nothing is stated, until its departure is cancelled', async () => {
    const { ref, tour, date } = await bookPaid(20, { cancellation: undefined });
    expect((await show(ref)).cancellation).toBeNull();
    expect(await screen(`booking show ${ref}`)).toContain(' cancellation not stated ');
    await terminal.json(`departure cancel ${tour.slug} ${date} --yes`);
    expect(await screen(`booking show ${ref}`)).toContain('A cancellation refunds 100% (979.00 EUR) ');
  });

  it('the history names a policy and a ceiling that another date has changed', async () => {
    const { ref, tour } = await bookPaid(20);
    const later = await givenDeparture(api.db, tour, { date: daysFromToday(60) });
    await api.db('tours').where({ id: tour.id }).update({ cancellation: null });
    await website.patch(`/api/tenant/bookings/${ref}`, { departure_date: later });
    const { detail } = (await show(ref)).history.find(({ event }: { event: string }) => event === 'changed');
    expect(detail).toContain('cancellation from "100% until 30d, 50% until 7d" to not stated');
    expect(detail).toContain('highest refund percent from 100 to 50');
  });
});

describe('tourctl booking cancel', () => {
  it('a cancelled booking says what was refunded, and a second cancellation changes nothing', async () => {
    const { ref } = await bookPaid(20);
    const cancelled = await terminal.json(`booking cancel ${ref} --yes`);
    const refund = { percent: 50, amount: 489.5 };
    expect(cancelled).toMatchObject({ status: 'cancelled', cancellation: null, refund });
    expect(await read(ref)).toMatchObject({ refund });
    const again = await terminal.tourctl(`booking cancel ${ref} --refund-percent 100 --yes`);
    expect([again.code, again.stderr]).toEqual([
      0,
      `${ref} was already cancelled, and 50% (489.50 EUR) was refunded: nothing was changed\n`,
    ]);
    expect(again.stdout).toMatch(/^cancellation +50% \(489\.50 EUR\) was refunded$/m);
    const shown = await show(ref);
    expect(shown.refund).toEqual(refund);
    expect(shown.history.at(-1).detail).toBe('its seats went back; 50% refunded, 489.50 EUR');
    expect((await terminal.json(`booking list --search ${ref}`)).items).toMatchObject([{ refund }]);
  });

  it('the operator sets another share, which the audit row, the event and the export have', async () => {
    const { ref } = await bookPaid(3);
    const refund = { percent: 33, amount: 323.07 };
    expect(await terminal.json(`booking cancel ${ref} --refund-percent 33 --yes`)).toMatchObject({ refund });
    const audit = await api.db('audit_log').where({ subject: ref }).first();
    expect(audit).toMatchObject({ action: 'booking.cancel', after: { refund } });
    const event = await api.db('webhook_events').where({ booking_ref: ref, type: 'booking.cancelled' });
    expect(event.map(({ body }) => JSON.parse(body))).toMatchObject([
      { refund_percent: 33, refund_amount: 323.07 },
    ]);
    const { stdout } = await terminal.tourctl(`booking export --search ${ref}`);
    const [row] = parse<Record<string, string>>(stdout, { columns: true, record_delimiter: '\r\n' });
    expect(row).toMatchObject({ refund_percent: '33', refund_amount: '323.07' });
  });

  it('the operator refunds a booking without a date, or of a tour without a policy', async () => {
    for (const { ref } of [await bookPaid(null), await bookPaid(20, { cancellation: undefined })]) {
      const answer = await terminal.json(`booking cancel ${ref} --refund-percent 100 --yes`);
      expect(answer.refund).toEqual({ percent: 100, amount: 979 });
    }
  });

  it('an unpaid booking has no refund, and the operator cannot set one', async () => {
    const ref = await bookUnpaid();
    const line = `booking cancel ${ref} --refund-percent`;
    expect(await terminal.refusal(`${line} 50 --yes`)).toBe('1 booking_state_conflict');
    for (const percent of ['101', '-1', '0.5', 'all'])
      expect(await terminal.refusal(`${line} ${percent} --yes`)).toBe('2 usage_error');
    expect((await read(ref)).status).toBe('pending_payment');
    expect((await terminal.json(`booking cancel ${ref} --yes`)).refund).toBeNull();
  });
});

describeOnTerminal('the question of tourctl booking cancel', () => {
  it('the question names the refund, and a refund that changes before the answer cancels nothing', async () => {
    const { ref } = await bookPaid(20);
    const named = ({ shown }: { shown: string }) => shown.replace(/\s/g, '');
    const other = terminal.sit(`booking cancel ${ref} --refund-percent 80`);
    await other.answer('(y/N)', 'n', KEY.enter);
    expect(await other.ended).toBe(1);
    expect(named(other)).toContain('itrefunds80%(783.20EUR)?');
    const person = terminal.sit(`booking cancel ${ref}`);
    await person.see('(y/N)');
    expect(named(person)).toContain('itrefunds50%(489.50EUR)?');
    await api
      .db('booking_leads')
      .where({ booking_ref: ref })
      .update({ cancellation: JSON.stringify({ tiers: [] }) });
    await person.answer('', 'y', KEY.enter);
    expect(await person.ended).toBe(1);
    expect((await read(ref)).status).toBe('confirmed');
    await person.see('refund');
  });
});

describe('an operator who moves or cancels a departure', () => {
  const quote = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}/cancellation`)).body;

  it('departure move keeps the policy of a booking, and counts its tiers from the new start', async () => {
    const { ref, tour, date } = await bookPaid(20);
    const to = await givenDeparture(api.db, tour, { date: daysFromToday(60), startTime: '09:30' });
    await api
      .db('tours')
      .where({ id: tour.id })
      .update({ cancellation: JSON.stringify({ tiers: [] }) });
    expect(await quote(ref)).toMatchObject({ refund_percent: 50, refund_amount: 489.5 });
    await terminal.json(`departure move ${tour.slug} ${date} ${to}`);
    const moved = await quote(ref);
    expect(moved).toMatchObject({ refund_percent: 100, refund_amount: 979 });
    const ends = [30, 53].map((days) => `${daysFromToday(days)}T09:30:00.000Z`);
    expect(moved.tiers.map(({ at }: { at: string }) => at)).toEqual(ends);
    const shown = await show(ref);
    expect(shown.cancellation).toEqual({ refund_percent: 100, refund_amount: 979, next_change_at: ends[0] });
    const { detail } = shown.history.find(({ event }: { event: string }) => event === 'changed');
    expect(detail).toBe(
      `departure date from ${date} to ${to}, departure time from none to 09:30, lowest refund percent from none to 50`,
    );
  });

  it('departure cancel names the refund that it promises, with and without the cancellation of the bookings', async () => {
    const { ref, tour, date } = await bookPaid(3);
    const unpaid = (await website.book({ tour_id: tour.id, departure_date: date })).body.booking_ref;
    const refunds = [
      { booking_ref: ref, refund: { percent: 100, amount: 979 } },
      { booking_ref: unpaid, refund: null },
    ];
    const line = `departure cancel ${tour.slug} ${date}`;
    expect((await terminal.json(`${line} --yes`)).bookings).toMatchObject(refunds);
    expect(await screen(`${line} --yes`)).toContain(` 100% (979.00 EUR) `);
    expect((await terminal.json(`${line} --cancel-bookings --yes`)).bookings).toMatchObject(refunds);
    for (const one of refunds) expect(await show(one.booking_ref)).toMatchObject(one);
  });
});

describe('the instant at which a tier ends', () => {
  const TIER: CancellationPolicy = {
    tiers: [
      { until: '60m', refund_percent: 100 },
      { until: '0m', refund_percent: 40 },
    ],
  };

  it.each([
    [62, 100],
    [58, 40],
  ])(
    'a booking whose departure starts in %i minutes refunds %i percent by REST and at the terminal, by the clock of the database',
    async (minutes, percent) => {
      const { rows } = await api.db.raw<{ rows: { at: Date }[] }>('select clock_timestamp() as at');
      const start = new Date(rows[0]!.at.getTime() + minutes * 60_000).toISOString();
      const tour = await givenTour(api.db, { cancellation: TIER });
      const date = await givenDeparture(api.db, tour, {
        date: start.slice(0, 10),
        startTime: start.slice(11, 16),
        prices: { adult: 10_000 },
      });
      const refs: string[] = [];
      for (let n = 0; n < 2; n++) {
        const { body } = await website.book({ tour_id: tour.id, departure_date: date });
        await website.post(`/api/tenant/bookings/${body.booking_ref}/confirm`);
        refs.push(body.booking_ref);
      }
      const refund = { percent, amount: percent };
      // Two hours later by the clock of the process, which must not count.
      const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 7_200_000);
      const byRest = await website.post(`/api/tenant/bookings/${refs[0]}/cancel`);
      const quote = (await show(refs[1]!)).cancellation;
      const byTerminal = await terminal.json(`booking cancel ${refs[1]} --yes`);
      now.mockRestore();
      expect([byRest.body.refund, byTerminal.refund]).toEqual([refund, refund]);
      expect([quote.refund_percent, quote.refund_amount]).toEqual([percent, percent]);
    },
  );
});
