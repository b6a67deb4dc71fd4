import { daysFromToday } from '../support/given';
import { type Code, sumOf } from './model';
import { type Booking, totalOf } from './sales';
import { seatsOf, shownParty } from './shapes';
import { DATES, expectAmount, type Shop } from './shop';

/** Sums of the bookings that stand and of the refunds, in minor units. */
interface Sums {
  bookings: number;
  seats: number;
  platform: bigint;
  tenant: bigint;
  deposit: bigint;
  refunds: number;
  refunded: bigint;
}

const NONE: Sums = { bookings: 0, seats: 0, platform: 0n, tenant: 0n, deposit: 0n, refunds: 0, refunded: 0n };

/** Compares the sales report, the manifest and the events of a tenant with its bookings in the model. */
export async function checkBooks(shop: Shop, bookings: Booking[]): Promise<void> {
  await checkReport(shop, bookings);
  await checkManifests(shop, bookings);
  await checkEvents(shop, bookings);
}

async function checkReport({ terminal, website, shape }: Shop, bookings: Booking[]): Promise<void> {
  const sums = new Map<Code, Sums>();
  for (const booking of bookings) {
    const { party, price, isCancelled, refund, deposit, reductions } = booking;
    const before = sums.get(price.currency) ?? NONE;
    const total = totalOf(booking);
    if (!isCancelled)
      sums.set(price.currency, {
        ...before,
        bookings: before.bookings + 1,
        seats: before.seats + seatsOf(shape, party),
        platform: before.platform + sumOf(party, price.platform),
        tenant: before.tenant + total,
        deposit: before.deposit + deposit,
      });
    for (const { amount } of [...reductions, ...(refund ? [refund] : [])]) {
      const sum = sums.get(price.currency) ?? NONE;
      if (amount > 0n)
        sums.set(price.currency, { ...sum, refunds: sum.refunds + 1, refunded: sum.refunded + amount });
    }
  }
  const period = `--from ${daysFromToday(-1)} --to ${daysFromToday(1)}`;
  const { rows } = await terminal.json(
    `report sales ${period} --tenant ${website.tenant.slug} --by tour --refunds`,
  );
  expect(rows.map(({ currency }: { currency: Code }) => currency)).toEqual([...sums.keys()].sort());
  for (const row of rows) {
    const currency = row.currency as Code;
    const expected = sums.get(currency)!;
    expect([row.bookings, row.seats]).toEqual([expected.bookings, expected.seats]);
    expectAmount(row.platform_total, expected.platform, currency);
    expectAmount(row.tenant_total, expected.tenant, currency);
    expectAmount(row.deposit_total, expected.deposit, currency);
    expect(row.refunds).toBe(expected.refunds);
    expectAmount(row.refund_total, expected.refunded, currency);
  }
}

/** A manifest has no amounts. Checks that it has the travellers who pay the totals. */
async function checkManifests({ terminal, tour, shape }: Shop, bookings: Booking[]): Promise<void> {
  const listed = [];
  for (const date of DATES) {
    const manifest = await terminal.json(`departure manifest ${tour.slug} ${date}`);
    for (const { booking_ref, party, adults, children, single_supplements, seats } of manifest.bookings)
      listed.push([booking_ref, party, adults, children, single_supplements, seats]);
  }
  const expected = bookings
    .filter(({ isCancelled, terms }) => !isCancelled && terms.date !== null)
    .map(({ id, party }) => {
      const shown = shownParty(shape, party);
      const { adult = 0, child = 0, single_supplement = 0 } = shown;
      return [id, shown, adult, child, single_supplement, seatsOf(shape, party)];
    });
  expect(listed.sort()).toEqual(expected.sort());
}

async function checkEvents({ api }: Shop, bookings: Booking[]): Promise<void> {
  for (const { id, events } of bookings) {
    const rows = await api
      .db('webhook_events')
      .where({ booking_ref: id })
      .orderBy('id')
      .select('type', 'body');
    expect(rows.map(({ type, body }) => toSent(type, JSON.parse(body)))).toEqual(events);
  }
}

function toSent(type: string, body: Record<string, number | null>) {
  const { total_price, refund_percent: percent, refund_amount: amount } = body;
  if (type !== 'booking.cancelled') return [type, total_price];
  return [type, total_price, percent === null ? null : { percent, amount }];
}
