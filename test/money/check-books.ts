import { daysFromToday } from '../support/given';
import { type Code, modelDeposit, sumOf } from './model';
import type { Booking } from './sales';
import { DATES, expectAmount, type Shop } from './shop';

/** Sums of the bookings that stand, in minor units. */
interface Sums {
  bookings: number;
  platform: bigint;
  tenant: bigint;
  deposit: bigint;
}

/** Compares the sales report, the manifest and the events of a tenant with its bookings in the model. */
export async function checkBooks(shop: Shop, bookings: Booking[]): Promise<void> {
  await checkReport(shop, bookings);
  await checkManifests(shop, bookings);
  await checkEvents(shop, bookings);
}

async function checkReport({ terminal, website, model }: Shop, bookings: Booking[]): Promise<void> {
  const sums = new Map<Code, Sums>();
  for (const { party, price, isCancelled } of bookings) {
    if (isCancelled) continue;
    const total = sumOf(party, price.tenant);
    const before = sums.get(price.currency) ?? { bookings: 0, platform: 0n, tenant: 0n, deposit: 0n };
    sums.set(price.currency, {
      bookings: before.bookings + 1,
      platform: before.platform + sumOf(party, price.platform),
      tenant: before.tenant + total,
      deposit: before.deposit + modelDeposit(total, model.depositPercent),
    });
  }
  const period = `--from ${daysFromToday(-1)} --to ${daysFromToday(1)}`;
  const { rows } = await terminal.json(`report sales ${period} --tenant ${website.tenant.slug} --by tour`);
  expect(rows.map(({ currency }: { currency: Code }) => currency)).toEqual([...sums.keys()].sort());
  for (const row of rows) {
    const currency = row.currency as Code;
    const expected = sums.get(currency)!;
    expect(row.bookings).toBe(expected.bookings);
    expectAmount(row.platform_total, expected.platform, currency);
    expectAmount(row.tenant_total, expected.tenant, currency);
    expectAmount(row.deposit_total, expected.deposit, currency);
  }
}

/** A manifest has no amounts. Checks that it has the travellers who pay the totals. */
async function checkManifests({ terminal, tour }: Shop, bookings: Booking[]): Promise<void> {
  const listed = [];
  for (const date of DATES) {
    const manifest = await terminal.json(`departure manifest ${tour.slug} ${date}`);
    for (const { booking_ref, adults, children, single_supplements } of manifest.bookings)
      listed.push([booking_ref, adults, children, single_supplements]);
  }
  const expected = bookings
    .filter(({ isCancelled, hasDate }) => !isCancelled && hasDate)
    .map(({ id, party }) => [id, Number(party.adult), Number(party.child), Number(party.single_supplement)]);
  expect(listed.sort()).toEqual(expected.sort());
}

async function checkEvents({ api }: Shop, bookings: Booking[]): Promise<void> {
  for (const { id, events } of bookings) {
    const rows = await api
      .db('webhook_events')
      .where({ booking_ref: id })
      .orderBy('id')
      .select('type', 'body');
    expect(rows.map(({ type, body }) => [type, JSON.parse(body).total_price])).toEqual(events);
  }
}
