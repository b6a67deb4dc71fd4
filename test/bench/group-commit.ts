/**
 * Measures holds and bookings a second: `npm run bench -- group-commit`. Calls the sales in one process without HTTP, on a temporary
 * database. Alternates between group commit on and off, on one departure and on many departures.
 */
import type { Db } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { DepartureBusyError } from '../../services/api/departures/departure.errors';
import { createBooking } from '../../services/api/seats/changes/create-booking';
import { type SeatChange, sellerWithoutKey } from '../../services/api/seats/seat-change';
import { holdSaleOf } from '../support/sell';
import { ChangeQueue } from '../../services/api/seats/queue/change-queue';
import type { Tenant } from '../../services/api/tenants/tenant';
import { givenDeparture, givenTenant, givenTour, type GivenTour } from '../support/given';
import { withDatabase } from './stack';
import { median } from './table';

const log = createLogger('silent', 'api');
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const DEPARTURES = 500;
const LOADS = [1, DEPARTURES].flatMap((departures) =>
  [64, 256].map((inFlight) => ({ departures, inFlight })),
);

interface Target {
  tour: GivenTour;
  date: string;
}

type MakeSale = (db: Db, tenant: Tenant, target: Target) => Promise<SeatChange>;

export async function measureGroupCommit(): Promise<void> {
  await withDatabase(async ({ db }) => {
    const limits = { maxHolds: 1_000_000, maxUnpaid: 1_000_000 };
    const tenant = await givenTenant(db, { status: 'active', ...limits });
    const targets: Target[] = [];
    for (let n = 0; n < DEPARTURES; n++) {
      const tour = await givenTour(db);
      targets.push({ tour, date: await givenDeparture(db, tour, { seats: 100_000 }) });
    }
    for (const [kind, make] of [
      ['hold', hold],
      ['booking', booking],
    ] as const)
      for (const { departures, inFlight } of LOADS)
        await compare(db, { kind, make, tenant, targets: targets.slice(0, departures), inFlight });
  });
}

interface Load {
  kind: string;
  make: MakeSale;
  tenant: Tenant;
  targets: Target[];
  inFlight: number;
}

async function compare(db: Db, load: Load): Promise<void> {
  const rounds = { on: [] as Round[], off: [] as Round[] };
  for (let n = 0; n < ROUNDS; n++) {
    rounds.on.push(await round(db, load, true));
    rounds.off.push(await round(db, load, false));
  }
  const show = (setting: 'on' | 'off') => {
    const [perSecond, cpu, p50, p99] = (['perSecond', 'cpu', 'p50', 'p99'] as const).map((field) =>
      median(rounds[setting].map((one) => one[field])),
    );
    return `${setting} ${perSecond!.toFixed(0)}/s, ${cpu!.toFixed(2)} ms of CPU, p50 ${p50!.toFixed(0)} p99 ${p99!.toFixed(0)} ms`;
  };
  const ratio = median(rounds.on.map((one, n) => one.perSecond / rounds.off[n]!.perSecond));
  process.stdout.write(
    `${load.kind}, ${load.targets.length} departures, ${load.inFlight} in flight: ${show('on')}; ${show('off')}; ratio ${ratio.toFixed(1)}\n`,
  );
}

interface Round {
  perSecond: number;
  /** Milliseconds of this process for one sale. */
  cpu: number;
  p50: number;
  p99: number;
}

async function round(db: Db, { make, tenant, targets, inFlight }: Load, on: boolean): Promise<Round> {
  await db.raw('truncate seat_holds cascade');
  const queue = new ChangeQueue(db, log, on);
  const times: number[] = [];
  const usage = process.cpuUsage();
  const begun = performance.now();
  const client = async () => {
    while (performance.now() < begun + SECONDS * 1000) {
      const at = performance.now();
      const sale = await make(db, tenant, targets[Math.floor(Math.random() * targets.length)]!);
      const sold = await queue.commit(sale).catch(ignoreBusy);
      if (sold) times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  const { user, system } = process.cpuUsage(usage);
  times.sort((a, b) => a - b);
  return {
    perSecond: (1000 * times.length) / (performance.now() - begun),
    cpu: (user + system) / 1000 / times.length,
    p50: times[times.length >> 1]!,
    p99: times[Math.floor(times.length * 0.99)]!,
  };
}

/** Ignores departure_busy: without group commit, one departure may get more requests than it serves in two seconds. */
function ignoreBusy(error: unknown): undefined {
  if (!(error instanceof DepartureBusyError)) throw error;
}

const NOBODY = { name: null, phone: null, email: null };
const ANA = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };

async function hold(db: Db, tenant: Tenant, { tour, date }: Target): Promise<SeatChange> {
  const request = { departureDate: date, party: { party: { adult: 1 } }, holdMinutes: 15 };
  return holdSaleOf(db, tenant, tour, { ...request, externalRef: null, customer: NOBODY, by: null });
}

async function booking(db: Db, tenant: Tenant, { tour, date }: Target): Promise<SeatChange> {
  const empty = { paymentMethod: null, holdId: null, expectedTotal: null, notes: null, by: null };
  const externalRef = `w${Math.floor(Math.random() * 1e9)}`;
  return createBooking(db, sellerWithoutKey(tenant), tour, {
    ...empty,
    departureDate: date,
    party: { party: { adult: 1 } },
    travellers: null,
    customer: ANA,
    externalRef,
  });
}
