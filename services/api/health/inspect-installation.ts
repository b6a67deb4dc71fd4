import type { Db } from '../../platform/database';
import { pendingMigrations } from '../../platform/migrate';
import { collectFacts, recountSeats, type InstallationFacts } from './installation.repository';

export interface Check {
  name: string;
  /** Broken: a promise of the platform does not hold. Notice: somebody may want to act. */
  status: 'ok' | 'notice' | 'broken';
  detail: string;
}

const EXPIRING_DAYS = 14;
/** Expiry is judged by the database's clock alone, but logs and signatures are not. */
const SKEW_MS = 5000;

/** Everything that can be judged from the database. Without its migrations nothing after them is. */
export async function inspectInstallation(db: Db): Promise<Check[]> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0) {
    return [broken('migrations', `${pending.length} missing, from ${pending[0]} on: run tourctl migrate`)];
  }
  const facts = await collectFacts(db, EXPIRING_DAYS);
  return [
    ok('database', `PostgreSQL ${facts.version} answers`),
    ok('migrations', 'all are in'),
    await checkSeats(db),
    ...checkFacts(facts),
  ];
}

async function checkSeats(db: Db): Promise<Check> {
  const { recounted, oversold } = await recountSeats(db);
  if (oversold.length === 0)
    return ok('seats', `recounted ${recounted} departures with holds or bookings: none is oversold`);
  const named = oversold.map((d) => `${d.tour} ${d.departureDate} (${d.seatsTaken} of ${d.seatsTotal})`);
  return broken('seats', `oversold: ${named.join(', ')}`);
}

function checkFacts(facts: InstallationFacts): Check[] {
  const { clockSkewMs, expiringKeys, liveHolds, tenantsWithoutOrigins, tenantsWithDevelopmentOrigins } =
    facts;
  const skewed = Math.abs(clockSkewMs) > SKEW_MS;
  return [
    skewed
      ? notice('clock', `the database's clock is ${clockSkewMs} ms from ours`)
      : ok('clock', `${clockSkewMs} ms apart`),
    ok('holds', `${liveHolds} live`),
    noticeOf('keys', expiringKeys, `to expire within ${EXPIRING_DAYS} days: rotate`),
    noticeOf(
      'origins',
      tenantsWithoutOrigins,
      'with a widget token that no site may show: tourctl origins add',
    ),
    noticeOf(
      'development-origins',
      tenantsWithDevelopmentOrigins,
      'past the trial with http://localhost: tourctl origins remove',
    ),
  ];
}

function noticeOf(name: string, found: string[], meaning: string): Check {
  return found.length === 0
    ? ok(name, 'nothing to note')
    : notice(name, `${found.length} ${meaning} (${found.join(', ')})`);
}

function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail };
}

function notice(name: string, detail: string): Check {
  return { name, status: 'notice', detail };
}

function broken(name: string, detail: string): Check {
  return { name, status: 'broken', detail };
}
