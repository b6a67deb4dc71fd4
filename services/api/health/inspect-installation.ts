import { sqlState } from '../../platform/errors';
import type { Db } from '../../platform/database/database';
import { departureArgument, nameDeparture } from '../catalog/start-time';
import {
  collectFacts,
  findBlockedDepartures,
  findOriginGaps,
  findOrphanedHolds,
  findSilentInstances,
  findTenantsWithoutLinks,
  findTenantsWithoutTours,
  findUnusedContinentRules,
  findUnusedPriceRules,
  type InstallationFacts,
  recountSeats,
  recountTrips,
  type UnusedPriceRule,
} from './installation.repository';
import { START_API } from '../../platform/start-advice';
import { laterMigrations, pendingMigrations } from '../../platform/migrate/migrate';
import { requireUsable, type Trial, type Unusable, UnusableDatabaseError } from '../../platform/readiness';
import { findCollationVersions, findCompilation, findDatabaseFacts } from './status.repository';
import { findMissingRights } from './rights.repository';

/**
 * The largest difference between the database's clock and the clock of this machine that gives no notice. Expiry uses only the database's
 * clock. Logs and signatures use the clock of the process.
 */
const SKEW_MS = 5000;
/** An instance without a poll for this time (twenty polls) counts as silent. A process that stops normally deletes its row. */
export const SILENT_SECONDS = 10;

/**
 * Runs all checks of the database. If its schema is not that of this release, reports only that and whether the database accepts writes.
 * @param sale what a sale does with the database. Undefined for the login of a person, which does not sell as the services do: checks that
 * its roles do not allow are notices
 */
export async function inspectInstallation(db: Db, sale: Trial | undefined): Promise<HealthCheck[]> {
  const database = sale ? await checkDatabase(db, sale) : await checkAnswer(db);
  const migrations = await checkMigrations(db);
  if (migrations.status === 'broken') return [database, migrations];
  const facts = await collectFacts(db);
  const checks: [name: string, check: () => Promise<HealthCheck | HealthCheck[]>][] = [
    // A person may have views of the same names first on the search path.
    ['rights', () => (sale ? checkRights(db) : Promise.resolve([]))],
    ['compilation', () => checkCompilation(db)],
    ['collation', () => checkCollation(db)],
    ['seats', () => checkSeats(db)],
    ['holds', () => checkHolds(db, facts)],
    ['clock', () => Promise.resolve(checkClock(facts))],
    ['instances', () => checkInstances(db, facts)],
    ['tenants', () => inspectTenants(db)],
  ];
  const done: HealthCheck[] = [database, migrations];
  for (const [name, check] of checks)
    done.push(...[sale ? await check() : await checkIfAllowed(name, check)].flat());
  return done;
}

const INSUFFICIENT_PRIVILEGE = '42501';

/** Runs a check. Returns a notice where the roles of the person do not allow it. */
export async function checkIfAllowed<Result extends HealthCheck | HealthCheck[]>(
  name: string,
  check: () => Promise<Result>,
): Promise<Result | HealthCheck> {
  try {
    return await check();
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    return notice(name, 'hidden: the roles of this login do not show it', []);
  }
}

async function checkAnswer(db: Db): Promise<HealthCheck> {
  const { version } = await findDatabaseFacts(db);
  return ok('database', `PostgreSQL ${version} answers. Only the owner's doctor tries a sale`);
}

/** Commands that show the cause, by the reason for which a sale fails. `checkMigrations` reports a wrong schema. */
const LOOK: Partial<Record<Unusable, string>> = {
  'database is read-only':
    'psql "$DATABASE_URL" -c "show default_transaction_read_only" -c "select pg_is_in_recovery()"',
  'database disk is full':
    'psql "$DATABASE_URL" -c "select pg_size_pretty(pg_database_size(current_database()))"',
  'login may not write': 'psql "$DATABASE_URL" -c "\\dp"',
};

/** Checks what /readyz checks, as the login of this terminal. */
async function checkDatabase(db: Db, sale: Trial): Promise<HealthCheck> {
  const { version } = await findDatabaseFacts(db);
  const server = `PostgreSQL ${version}`;
  const unusable = await requireUsable(db, sale).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof UnusableDatabaseError) return error;
      throw error;
    },
  );
  if (!unusable || REPORTED_BY_MIGRATIONS.includes(unusable.reason))
    return ok('database', `${server} answers and accepts writes`);
  const look = LOOK[unusable.reason];
  return broken('database', `${server} answers, but a sale fails: ${unusable.message}`, look ? [look] : []);
}

const REPORTED_BY_MIGRATIONS: Unusable[] = ['migrations pending', 'schema of a later release'];

async function checkMigrations(db: Db): Promise<HealthCheck> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0)
    return broken('migrations', `${pending.length} missing, from ${pending[0]} on`, ['tourctl migrate']);
  const { rolling, breaking } = await laterMigrations(db);
  if (breaking.length > 0)
    return broken(
      'migrations',
      `the database has those of a later release, from ${breaking[0]} on: nothing of this release may run; start the later one`,
      [],
    );
  if (rolling.length > 0)
    return notice(
      'migrations',
      `the database has those of a later release, from ${rolling[0]} on, and this release can work with them: complete the update ` +
        '(docs/upgrade.md)',
      [],
    );
  return ok('migrations', 'all are applied');
}

/** Checks the rights of the logins of the API and the webhook queue, where they are not this terminal's (ADR 35). */
async function checkRights(db: Db): Promise<HealthCheck> {
  const missing = await findMissingRights(db);
  if (missing.length === 0) return ok('rights', 'each login of the services has its rights');
  const shown = missing
    .slice(0, NAMED)
    .map(({ login, right, object }) => `${login} lacks ${right} on ${object}`);
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  return broken('rights', `the services fail: ${shown.join(', ')}${more}`, [
    'psql "$DATABASE_URL" -c "select grant_database_roles()"',
  ]);
}

/** Checks that PostgreSQL compiles no statements in a session that does not turn it off. A session behind a pooler cannot keep its settings. */
async function checkCompilation(db: Db): Promise<HealthCheck> {
  const { compiles, database } = await findCompilation(db);
  if (!compiles) return ok('compilation', 'PostgreSQL compiles no statements');
  return notice(
    'compilation',
    'jit is on for this database: sales turn it off themselves, but reads through a pooler may be compiled for seconds',
    [`psql "$DATABASE_URL" -c 'alter database ${database} set jit = off'`],
  );
}

/**
 * Compares the version of the collation library with the one that the indexes were built with. Under another version the text of two rows
 * may sort in another order than in the index, so that a unique index accepts a second row of the same key.
 */
async function checkCollation(db: Db): Promise<HealthCheck> {
  const versions = await findCollationVersions(db);
  if (!versions || versions.recorded === versions.present)
    return ok('collation', 'the indexes match its version');
  return notice(
    'collation',
    `the indexes were built with version ${versions.recorded} of the collation, and PostgreSQL has ${versions.present}: ` +
      'a unique key may be stored twice until they are built again (docs/upgrade.md)',
    [
      `psql "$DATABASE_URL" -c 'reindex database concurrently ${versions.database}' -c 'alter database ${versions.database} refresh collation version'`,
    ],
  );
}

async function checkSeats(db: Db): Promise<HealthCheck> {
  const { recounted, oversold } = await recountSeats(db);
  const trips = oversold.length === 0 ? await recountTrips(db) : [];
  if (trips.length > 0) return brokenTrips(trips);
  if (oversold.length === 0)
    return ok(
      'seats',
      `${recounted} ${recounted === 1 ? 'departure' : 'departures'} with holds or bookings recounted, none oversold`,
    );
  const named = oversold.map(
    (d) =>
      `${d.tour} ${nameDeparture(d.departureDate, d.departureTime)} (${d.seatsTaken} of ${d.seatsTotal})`,
  );
  return broken(
    'seats',
    `oversold: ${named.join(', ')}; give them the seats, or cancel bookings`,
    oversold.map(({ tour, departureDate, departureTime, seatsTaken }) => {
      const departure = departureArgument(departureDate, departureTime);
      return `tourctl departure set-seats ${tour} ${departure} ${seatsTaken}`;
    }),
  );
}

/** Names the sold departures of each resource that cannot make them all. */
function brokenTrips(trips: Awaited<ReturnType<typeof recountTrips>>): HealthCheck {
  const named = trips.map(
    ({ resource, tour, departureDate, departureTime }) =>
      `${resource} by ${tour} ${nameDeparture(departureDate, departureTime)}`,
  );
  const commands = trips.map(
    ({ tour, departureDate, departureTime }) =>
      `tourctl departure manifest ${tour} ${departureArgument(departureDate, departureTime)}`,
  );
  return broken('seats', `sold twice: ${named.join(', ')}; move or cancel bookings`, commands);
}

async function checkHolds(db: Db, { liveHolds }: InstallationFacts): Promise<HealthCheck> {
  const { lapsed, unbooked, unconverted } = await findOrphanedHolds(db);
  if (lapsed + unbooked.length + unconverted.length === 0)
    return ok('holds', `${liveHolds} active, all in the right state`);
  const kinds = [
    lapsed &&
      `${lapsed} expired over ten minutes ago and still stored as active: no instance of the API cleans up (their seats are free); ${START_API}`,
    unbooked.length && `${unbooked.length} converted without a booking: ${unbooked.join(', ')}`,
    unconverted.length &&
      `${unconverted.length} booked and not converted, their seats counted twice: ${unconverted.join(', ')}`,
  ];
  return notice('holds', kinds.filter(Boolean).join('; '), [
    ...unconverted.map((id) => `tourctl hold release ${id} --yes`),
    ...unbooked.map((id) => `tourctl hold show ${id}`),
  ]);
}

function checkClock({ clockSkewMs }: InstallationFacts): HealthCheck {
  if (Math.abs(clockSkewMs) <= SKEW_MS) return ok('clock', `${clockSkewMs} ms apart`);
  return notice('clock', `the database's clock differs by ${clockSkewMs} ms from this machine's`, [
    'timedatectl status',
    'timedatectl set-ntp true',
  ]);
}

async function checkInstances(db: Db, { instances }: InstallationFacts): Promise<HealthCheck> {
  const silent = await findSilentInstances(db, SILENT_SECONDS);
  if (silent.length === 0) return ok('instances', `${instances} of the API`);
  return noticeOf('instances', silent, {
    meaning: 'of the API, killed (then the next change removes them) or disconnected from the database',
    label: ({ id, polledAt }) => `${id} has not polled since ${polledAt.toISOString()}`,
    advice: START_API,
  });
}

/** The result of one check. */
export interface HealthCheck {
  name: string;
  /** Broken: a guarantee of the platform does not hold. Notice: the operator may need to act. */
  status: 'ok' | 'notice' | 'broken';
  detail: string;
  /** Commands that solve the problem. */
  commands: string[];
}

export function ok(name: string, detail: string): HealthCheck {
  return { name, status: 'ok', detail, commands: [] };
}

export function notice(name: string, detail: string, commands: string[]): HealthCheck {
  return { name, status: 'notice', detail, commands };
}

export function broken(name: string, detail: string, commands: string[]): HealthCheck {
  return { name, status: 'broken', detail, commands };
}

const NAMED = 10;

/** Describes the findings of a check, with a command for each, or with one advice in words if no command is right everywhere. */
interface Finding<T> {
  meaning: string;
  label: (one: T) => string;
  command?: (one: T) => string;
  advice?: string;
}

/** Returns a notice that names the first ten findings and what to do. Returns `ok` if nothing was found. */
export function noticeOf<T>(
  name: string,
  found: T[],
  { meaning, label, command, advice }: Finding<T>,
): HealthCheck {
  if (found.length === 0) return ok(name, 'nothing to note');
  const shown = found.slice(0, NAMED);
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  const next = advice === undefined ? '' : `; ${advice}`;
  const detail = `${meaning}: ${shown.map(label).join(', ')}${more}${next}`;
  return notice(name, detail, command ? [...new Set(shown.map(command))] : []);
}

/**
 * Finds settings that have no effect, and departures that one tenant blocks. Looks only at tenants that the API serves;
 * `development-origins` also looks at the others.
 */
async function inspectTenants(db: Db): Promise<HealthCheck[]> {
  const { withoutOrigins, withDevelopmentOrigins } = await findOriginGaps(db);
  return [
    noticeOf('origins', withoutOrigins, {
      meaning: 'tenants with a widget token but without an allowed site',
      label: (slug) => slug,
      command: (slug) => `tourctl origins add ${slug} https://SITE`,
    }),
    noticeOf('development-origins', withDevelopmentOrigins, {
      meaning: 'tenants past the trial with http://localhost, which is no longer valid',
      label: ({ slug }) => slug,
      command: ({ slug, origins }) => `tourctl origins remove ${slug} ${origins.join(' ')} --yes`,
    }),
    noticeOf('links', await findTenantsWithoutLinks(db), {
      meaning: 'tenants with a widget token whose cards lead nowhere',
      label: (slug) => slug,
      command: (slug) => `tourctl tenant set ${slug} --link-template 'https://SITE/tours/{slug}'`,
    }),
    await checkVisibility(db),
    noticeOf('visibility-rules', await findUnusedContinentRules(db), {
      meaning: 'rules for a continent that no tour is in',
      label: ({ slug, continent }) => `${continent} of ${slug}`,
      command: ({ slug, continent }) => `tourctl visibility clear ${slug} --continent ${continent}`,
    }),
    await checkPrices(db),
    noticeOf('hold-shares', await findBlockedDepartures(db), {
      meaning: "departures of which one tenant's holds and unpaid bookings take all seats",
      label: ({ tour, departureDate, departureTime, tenant }) =>
        `${tour} on ${nameDeparture(departureDate, departureTime)} (${tenant})`,
      command: ({ tenant }) => `tourctl tenant set ${tenant} --max-hold-share 50`,
    }),
  ];
}

async function checkVisibility(db: Db): Promise<HealthCheck> {
  const { anyTour, blind } = await findTenantsWithoutTours(db);
  if (!anyTour) return ok('visibility', 'no tour is published yet: tourctl catalog import FILE');
  return noticeOf('visibility', blind, {
    meaning: 'tenants see no tour',
    label: (slug) => slug,
    command: (slug) => `tourctl visibility show ${slug}`,
  });
}

const WHY: Record<UnusedPriceRule['because'], string> = {
  currency: 'in another currency than its tenant or tour has',
  past: 'for travel dates that are over',
  archived: 'for an archived tour',
  continent: 'for a continent that no tour is in',
  beaten: 'a newer rule always overrides it',
};

async function checkPrices(db: Db): Promise<HealthCheck> {
  const { dead, withoutRules } = await findUnusedPriceRules(db);
  if (dead.length === 0) {
    const at = withoutRules === 1 ? '1 tenant sells' : `${withoutRules} tenants sell`;
    return ok('prices', `every rule can decide; ${at} at the platform's prices`);
  }
  return noticeOf('prices', dead, {
    meaning: 'price rules that never decide',
    label: ({ slug, id, because }) => `${id} of ${slug} (${WHY[because]})`,
    command: ({ slug, id }) => `tourctl pricing remove ${slug} ${id} --yes`,
  });
}
