/*
 * Measures the cost of the triggers that recount seats (0108_seats.sql). Places holds with the triggers on and off, in interleaved rounds on a
 * durable database: `npm run bench -- seats-net`. The triggers stay unless they take more than 15 % (ADR 8).
 */
import { placeHold } from '../support/sell';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction } from '../../services/platform/database/database';
import { givenDeparture, givenTenant, givenTour } from '../support/given';
import { withDatabase } from './stack';
import { median } from './table';

const ROUNDS = 15;
const HOLDS = 400;
const CONCURRENCY = 8;
const TOURS = 40;

interface Target {
  tour: string;
  date: string;
}

export async function measureSeatsNet(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const tenant = await givenTenant(db, { maxHolds: 1_000_000, maxUnpaid: 1_000_000 });
    const targets: Target[] = [];
    for (let i = 0; i < TOURS; i++) {
      const tour = await givenTour(db);
      targets.push({ tour: tour.slug, date: await givenDeparture(db, tour, { seats: 100_000 }) });
    }
    await round(db, tenant, targets, true);
    const ratios: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      const on = await round(db, tenant, targets, true);
      const off = await round(db, tenant, targets, false);
      ratios.push(on / off);
    }
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
    process.stdout.write(
      `time with the net / without: median ${middle.toFixed(2)} [${least.toFixed(2)}-${most.toFixed(2)}]\n`,
    );
  });
}

async function round(db: Db, tenant: Tenant, targets: Target[], net: boolean): Promise<number> {
  const state = net ? 'enable' : 'disable';
  await db.raw(`truncate seat_holds cascade; alter table seat_holds ${state} trigger user`);
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < HOLDS; i = next++) await hold(db, tenant, targets[i % targets.length]!);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return performance.now() - begun;
}

async function hold(db: Db, tenant: Tenant, { tour, date }: Target): Promise<void> {
  const request = {
    tour,
    departureDate: date,
    party: { party: { adult: 1 } },
    holdMinutes: 15,
    externalRef: null,
    customer: { name: null, phone: null, email: null },
    by: null,
  };
  await inTransaction(db, (trx) => placeHold(trx, tenant, request));
}
