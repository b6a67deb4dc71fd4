import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { givenWebsite, useWebsite, type Website } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const website = useWebsite(api);

beforeAll(() => add(api.db, website.tenant.id, 'https://acme.example/webhooks', ['booking.updated']));

const HALF: CancellationPolicy = { tiers: [{ until: '1d', refund_percent: 50 }] };

/** Books three adults for 300 EUR each. */
async function book({
  cancellation,
  of = website,
}: { cancellation?: CancellationPolicy; of?: Website } = {}) {
  const tour = await givenTour(api.db, { cancellation });
  const date = await givenDeparture(api.db, tour, { date: daysFromToday(20), prices: { adult: 30_000 } });
  const { body } = await of.book({ tour_id: tour.id, departure_date: date, adults: 3 });
  return { ref: body.booking_ref as string, tour };
}

async function bookPaid(sale: Parameters<typeof book>[0] = { cancellation: HALF }) {
  const booked = await book(sale);
  await (sale.of ?? website).post(`/api/tenant/bookings/${booked.ref}/confirm`);
  return booked;
}

const change = (ref: string, flags: string) => terminal.json(`booking change ${ref} ${flags}`);
const lastAudit = (ref: string) => api.db('audit_log').where({ subject: ref }).orderBy('id', 'desc').first();
const lastChange = async (ref: string) =>
  (await terminal.json(`booking show ${ref}`)).history.findLast(
    ({ event }: { event: string }) => event === 'changed',
  ).detail;

describe('the reduction of tourctl booking change', () => {
  it('a smaller party answers what the terms refund, in the audit log and the history too', async () => {
    const { ref } = await bookPaid();
    const reduction = { amount: 300, refund_percent: 50, refund_amount: 150 };
    const changed = await change(ref, '--adults 2');
    expect(changed).toMatchObject({ total_price: 600, reduction });
    expect((await lastAudit(ref)).after).toMatchObject({ total_price: 600, reduction });
    expect(await lastChange(ref)).toBe(
      'adults from 3 to 2, total price from 900 to 600; 50% refunded, 150.00 EUR',
    );
    expect((await change(ref, '--adults 2')).reduction).toBeNull();
    expect(await terminal.json(`booking show ${ref}`)).not.toHaveProperty('reduction');
  });

  it.each<[CancellationPolicy | undefined, string]>([
    [HALF, 'reduction 300.00 EUR less; of this, 50% (150.00 EUR) is refunded'],
    [{ tiers: [] }, 'reduction 300.00 EUR less; of this, nothing is refunded'],
    [undefined, 'reduction 300.00 EUR less; what of this is refunded is not stated'],
  ])('a smaller party with the policy %j tells a person what is refunded', async (cancellation, line) => {
    const { ref } = await bookPaid({ cancellation });
    const { stdout } = await terminal.tourctl(`booking change ${ref} --adults 2`);
    expect(stdout.replace(/\s+/g, ' ')).toContain(line);
    const { stdout: same } = await terminal.tourctl(`booking change ${ref} --adults 2`);
    expect(same).not.toContain('reduction');
  });

  it('the operator sets another share, also where nothing is stated, which the event and the audit log have', async () => {
    for (const cancellation of [HALF, undefined]) {
      const { ref } = await bookPaid({ cancellation });
      const reduction = { amount: 600, refund_percent: 33, refund_amount: 198 };
      expect(await change(ref, '--adults 1 --refund-percent 33')).toMatchObject({ reduction });
      expect((await lastAudit(ref)).after).toMatchObject({ reduction });
      const [event] = await api.db('webhook_events').where({ booking_ref: ref, type: 'booking.updated' });
      expect(JSON.parse(event.body)).toMatchObject({ reduction });
      expect(await lastChange(ref)).toContain('; 33% refunded, 198.00 EUR');
    }
  });

  it('tourctl booking change refuses a share that is no whole percent, and one of a change that frees nothing', async () => {
    const { ref } = await bookPaid();
    const refusal = (flags: string, of = ref) => terminal.refusal(`booking change ${of} ${flags}`);
    for (const percent of ['101', '-1', '0.5', 'all'])
      expect(await refusal(`--adults 2 --refund-percent ${percent}`)).toBe('2 usage_error');
    expect(await refusal('--refund-percent 50')).toBe('2 usage_error');
    expect(await refusal('--adults 4 --refund-percent 50')).toBe('1 nothing_freed');
    const { ref: unpaid } = await book({ cancellation: HALF });
    expect(await refusal('--adults 2 --refund-percent 50', unpaid)).toBe('1 nothing_freed');
    for (const one of [ref, unpaid])
      expect((await terminal.json(`booking show ${one}`)).total_price).toBe(900);
  });

  it('report sales --refunds counts the refund of a reduction on the day of the change', async () => {
    const acme = await givenWebsite(api);
    const [smaller, other] = [
      await bookPaid({ cancellation: HALF, of: acme }),
      await bookPaid({ cancellation: HALF, of: acme }),
    ];
    for (const party of ['--adults 2', '--adults 1']) await change(smaller.ref, party);
    await terminal.json(`booking cancel ${smaller.ref} --yes`);
    await change(other.ref, '--adults 2 --refund-percent 0');
    const report = async (from: string, to: string) =>
      (
        await terminal.json(
          `report sales --from ${from} --to ${to} --tenant ${acme.tenant.slug} --by tour --refunds`,
        )
      ).rows;
    const [today, yesterday] = [daysFromToday(0), daysFromToday(-1)];
    const rows: Record<string, unknown>[] = await report(yesterday, today);
    const rowOf = ({ tour }: typeof smaller) => rows.find(({ tour: slug }) => slug === tour.slug);
    expect(rowOf(smaller)).toMatchObject({ bookings: 0, refunds: 3, refund_total: 450 });
    expect(rowOf(other)).toMatchObject({ bookings: 1, tenant_total: 600, refunds: 0, refund_total: 0 });
    await api.db('booking_changes').update({ at: '2031-05-05T12:00:00Z' });
    expect(await report('2031-05-01', '2031-05-31')).toMatchObject([{ refunds: 2, refund_total: 300 }]);
  });
});
