import type { Db } from '../../platform/database';
import { pendingMigrations } from '../../platform/migrate';
import { broken, notice, noticeOf, ok, type HealthCheck } from './check';
import { inspectTenants } from './inspect-tenants';
import {
  collectFacts,
  findOrphanedHolds,
  findSilentInstances,
  recountSeats,
  type InstallationFacts,
} from './installation.repository';

/** Expiry uses the database's clock only; logs and signatures use the clock of the process. */
const SKEW_MS = 5000;
/** Twenty polls. A process deletes its row when it stops normally. */
const SILENT_SECONDS = 10;

/** Runs all checks of the database. Stops after the first if migrations are missing. */
export async function inspectInstallation(db: Db): Promise<HealthCheck[]> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0) {
    const detail = `${pending.length} missing, from ${pending[0]} on`;
    return [broken('migrations', detail, ['tourctl migrate'])];
  }
  const facts = await collectFacts(db);
  return [
    ok('database', `PostgreSQL ${facts.version} answers`),
    ok('migrations', 'all are in'),
    await checkSeats(db),
    await checkHolds(db, facts),
    checkClock(facts),
    await checkInstances(db, facts),
    ...(await inspectTenants(db)),
  ];
}

async function checkSeats(db: Db): Promise<HealthCheck> {
  const { recounted, oversold } = await recountSeats(db);
  if (oversold.length === 0)
    return ok('seats', `recounted ${recounted} departures with holds or bookings: none is oversold`);
  const named = oversold.map((d) => `${d.tour} ${d.departureDate} (${d.seatsTaken} of ${d.seatsTotal})`);
  return broken(
    'seats',
    `oversold: ${named.join(', ')}; give them the seats, or cancel bookings`,
    oversold.map((d) => `tourctl departure set-seats ${d.tour} ${d.departureDate} ${d.seatsTaken}`),
  );
}

async function checkHolds(db: Db, { liveHolds }: InstallationFacts): Promise<HealthCheck> {
  const { lapsed, unbooked, unconverted } = await findOrphanedHolds(db);
  if (lapsed + unbooked.length + unconverted.length === 0)
    return ok('holds', `${liveHolds} live, no orphans`);
  const kinds = [
    lapsed &&
      `${lapsed} expired over ten minutes ago and still stored as active: no instance of the API cleans up (their seats are free)`,
    unbooked.length && `${unbooked.length} converted without a booking: ${unbooked.join(', ')}`,
    unconverted.length &&
      `${unconverted.length} booked and not converted, their seats counted twice: ${unconverted.join(', ')}`,
  ];
  return notice('holds', kinds.filter(Boolean).join('; '), [
    ...(lapsed ? ['npm run api'] : []),
    ...unconverted.map((id) => `tourctl hold release ${id} --yes`),
    ...unbooked.map((id) => `tourctl hold show ${id}`),
  ]);
}

function checkClock({ clockSkewMs }: InstallationFacts): HealthCheck {
  if (Math.abs(clockSkewMs) <= SKEW_MS) return ok('clock', `${clockSkewMs} ms apart`);
  return notice('clock', `the database's clock is ${clockSkewMs} ms from ours`, [
    'timedatectl status',
    'timedatectl set-ntp true',
  ]);
}

async function checkInstances(db: Db, { instances }: InstallationFacts): Promise<HealthCheck> {
  const silent = await findSilentInstances(db, SILENT_SECONDS);
  if (silent.length === 0) return ok('instances', `${instances} of the API`);
  return noticeOf('instances', silent, {
    meaning: 'of the API, killed (then the next change forgets them) or cut off from the database',
    label: ({ id, polledAt }) => `${id} is silent since ${polledAt.toISOString()}`,
    command: () => 'npm run api',
  });
}
