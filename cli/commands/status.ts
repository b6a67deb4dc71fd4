import { SILENT_SECONDS } from '../../services/api/health/inspect-installation';
import {
  countRefusalsByCode,
  type DatabaseFacts,
  findDatabaseFacts,
  findInstances,
  findWaitingSales,
} from '../../services/api/health/status.repository';
import type { Config } from '../../services/platform/config/config';
import type { Db } from '../../services/platform/database/database';
import { findWriteObstacle } from '../../services/platform/database/write-obstacle';
import { newestMigration, pendingMigrations } from '../../services/platform/migrate/migrate';
import type { FailingEndpoint } from '../../services/webhook-queue/endpoints/endpoint.repository';
import { hiddenFrom } from '../../services/platform/people/tasks';
import { findLockingPeople } from '../../services/platform/people/people.repository';
import { START_API, START_WEBHOOK_QUEUE } from '../../services/platform/start-advice';
import { readQueueStatus } from '../../services/webhook-queue/inspect-queue';
import { COUNTED_MAX } from '../../services/webhook-queue/stats/queue-counts.repository';
import type { VerbBody } from '../engine/command';
import type { Context } from '../engine/context';
import { WATCH_FLAG } from '../engine/watch';
import { readVersion } from '../terminal/io';
import type { Screen, Tone } from '../terminal/screen';
import { beside, shortTime } from '../terminal/table';
import { countOf, padText, roughDuration, textWidth } from '../terminal/text';

export const statusVerb: VerbBody = {
  schema: 'as-is',
  flags: [WATCH_FLAG],
  examples: ['status', 'status --watch', 'status --json'],
  run: statusCommand,
};

/** Shows what runs, what waits and what failed today. Exits with 0 when the database answers, whatever the state is. */
async function statusCommand(context: Context): Promise<void> {
  const document = await readStatus(context);
  await context.output.answer(document, (screen) => describeStatus(document, screen));
}

/** One subject of the screen. */
interface StatusLine {
  label: string;
  text: string;
  tone?: Tone;
  /** The commands to run next. */
  commands?: string[];
}

/** A running worker takes due deliveries within a second. A delay of a minute is longer than a short peak of load causes. */
const LATE_SECONDS = 60;
/** A sale holds its locks for milliseconds, an import for seconds. */
const LOCKING_SECONDS = 60;

/** Draws the screen: a title, and below it a line for each subject with the commands to run next. */
function describeStatus(status: StatusDocument, screen: Screen): string {
  const parts: [title: string, lines: StatusLine[]][] = [
    [`What runs, at ${shortTime(status.at)} UTC`, runningLines(status)],
    ['What waits', waitingLines(status)],
    [`What failed today, since ${status.failed_today?.since.slice(11, 16)} UTC`, failedLines(status)],
  ];
  const shown = parts.filter(([, lines]) => lines.length > 0);
  const width = Math.max(...shown.flatMap(([, lines]) => lines.map(({ label }) => textWidth(`  ${label}`))));
  const draw = ({ label, text, ...more }: StatusLine) =>
    beside(padText(`  ${label}`, width), text, { ...more, width, screen });
  return shown.map(([title, lines]) => [title, ...lines.map(draw)].join('\n')).join('\n\n');
}

function runningLines(status: StatusDocument): StatusLine[] {
  return [
    apiLine(status),
    queueLine(status),
    ...databaseLines(status),
    storeLine(status),
    loginLine(status),
  ].flatMap((line) => line ?? []);
}

/** Says what the roles of a person hide. Undefined: they hide nothing. */
function loginLine({ login }: StatusDocument): StatusLine | undefined {
  if (!login || login.hidden.length === 0) return undefined;
  return {
    label: 'Hidden',
    text: `from ${login.name} (${login.roles.join(', ')}): ${login.hidden.join(', ')}`,
  };
}

interface RunningInstance {
  alive: boolean;
  started_at: string | null;
  last_seen_at: string;
}

/**
 * Describes the instances of a service: how many run, since when, and which have disappeared.
 * @param none the text if none runs
 * @param more the text after the time of the start
 */
function describeInstances(
  instances: RunningInstance[],
  at: string,
  { none, more = '' }: { none: string; more?: string },
): string {
  const alive = instances.filter((instance) => instance.alive);
  const starts = alive.flatMap(({ started_at }) => started_at ?? []).sort();
  const [oldest, newest] = [starts[0], starts.at(-1)];
  const since = oldest === undefined ? '' : describeStarts(oldest, newest!, at);
  const silent = instances.filter((instance) => !instance.alive);
  const last = silent.map(({ last_seen_at }) => last_seen_at).sort()[0];
  const gone =
    last === undefined
      ? ''
      : `\n${countOf(silent.length, 'instance')} ${silent.length === 1 ? 'has' : 'have'} not reported since ${shortTime(last)} (killed, or cut off from the database)`;
  return (alive.length > 0 ? countOf(alive.length, 'instance') + since + more : none) + gone;
}

function describeStarts(oldest: string, newest: string, at: string): string {
  if (oldest === newest) return ` ${sinceText(oldest, at)}`;
  return `, the oldest ${sinceText(oldest, at)}, the newest ${sinceText(newest, at)}`;
}

function sinceText(start: string, at: string): string {
  const seconds = Math.max(0, (Date.parse(at) - Date.parse(start)) / 1000);
  return `for ${roughDuration(seconds)} (since ${shortTime(start)})`;
}

function apiLine(status: StatusDocument): StatusLine | undefined {
  const { api, api_reports: reports, at } = status;
  if (!api) return undefined;
  if (api.length === 0 && !reports)
    return { label: 'API', text: 'not known: with AUTHORIZATION_CACHE off, instances do not report' };
  // `tourctl up` starts both services, but only on an embedded database that no service uses.
  const isIdle = nothingRuns(status);
  const none = isIdle ? 'none runs' : `none runs: ${START_API}`;
  const text = describeInstances(api, at, { none });
  if (api.some(({ alive }) => alive)) return { label: 'API', text };
  return { label: 'API', text, tone: 'bad', commands: isIdle ? ['tourctl up'] : [] };
}

/**
 * Returns true if an embedded database runs without any service. Returns false for an older schema, because `status` then does not read the
 * services.
 */
function nothingRuns({ api, database, webhook_queue: workers }: StatusDocument): boolean {
  if (database.embedded_in === null || !api || !workers) return false;
  return ![...api, ...workers].some(({ alive }) => alive);
}

function queueLine(status: StatusDocument): StatusLine | undefined {
  const { webhook_queue: workers, at } = status;
  if (!workers) return undefined;
  const label = 'Webhook queue';
  const alive = workers.filter((worker) => worker.alive);
  const [busy, slots] = [sum(alive.map((w) => w.in_flight)), sum(alive.map((w) => w.slots))];
  const next = nothingRuns(status) ? '' : `; ${START_WEBHOOK_QUEUE}`;
  const none = `none runs: no webhook is sent${next}`;
  const text = describeInstances(workers, at, { none, more: `; ${busy} of ${slots} slots busy` });
  if (alive.length > 0) return { label, text };
  return { label, text, tone: 'bad' };
}

function databaseLines(status: StatusDocument): StatusLine[] {
  const { at, database, version } = status;
  const where = database.embedded_in === null ? '' : `, embedded in ${database.embedded_in}`;
  const started = nothingRuns(status) ? 'started for this command' : sinceText(database.started_at, at);
  const text = `PostgreSQL ${database.version}${where}, ${started}`;
  const { pending_migrations: pending, schema } = database;
  const isOld = pending.length > 0;
  const missing = `${countOf(pending.length, 'migration')} missing, from ${pending[0]} on; the rest is not shown`;
  const { write_obstacle: obstacle } = database;
  return [
    obstacle === null
      ? { label: 'Database', text }
      : { label: 'Database', text: `${text}; it refuses writes: ${obstacle}`, tone: 'bad' },
    isOld
      ? { label: 'Schema', text: missing, tone: 'bad', commands: ['tourctl migrate'] }
      : { label: 'Schema', text: `${schema}, up to date` },
    { label: 'Version', text: version },
  ];
}

function storeLine({ store: { kind, answers, round_trip_ms: ms, error } }: StatusDocument): StatusLine {
  const label = 'Store';
  if (kind === 'memory') return { label, text: 'in memory, for one instance of the API' };
  const variable = kind === 'redis' ? 'REDIS_URL' : 'CACHE_REST_URL';
  if (answers) return { label, text: `${variable} answers in ${ms} ms` };
  return { label, text: `${variable}: ${error}`, tone: 'bad' };
}

function waitingLines({ waiting, webhook_queue: workers }: StatusDocument): StatusLine[] {
  if (!waiting) return [];
  const { holds_active: holds, departures_closing_today: closing, people_locking: locking } = waiting;
  const isSent = workers?.some(({ alive }) => alive) ?? false;
  return [
    waitingDeliveries(waiting, isSent),
    { label: 'Holds', text: holds > 0 ? `${upTo(holds)} active` : 'none' },
    unpaidBookings(waiting),
    {
      label: 'Departures',
      text: closing > 0 ? `${closing} ${closing === 1 ? 'closes' : 'close'} today` : 'none closes today',
    },
    ...lockingPeople(locking ?? []),
  ];
}

function lockingPeople(locking: { name: string; since: string }[]): StatusLine[] {
  if (locking.length === 0) return [];
  const named = locking.map(({ name, since }) => `${name} has held a lock since ${shortTime(since)}`);
  return [{ label: 'Locks', text: named.join('\n'), tone: 'bad', commands: ['tourctl people list'] }];
}

type Waiting = NonNullable<StatusDocument['waiting']>;

function waitingDeliveries(waiting: Waiting, isSent: boolean): StatusLine {
  const late = waiting.oldest_due_seconds ?? 0;
  const parts: [count: number, meaning: string][] = [
    [waiting.deliveries_due, `due, the oldest for ${roughDuration(late)}`],
    [waiting.deliveries_retrying, 'to be retried'],
    [waiting.deliveries_held_back, 'held back by paused, disabled or failing endpoints'],
    [waiting.deliveries_without_endpoint, 'waiting for an endpoint to be added'],
  ];
  const counted = parts.filter(([count]) => count > 0).map(([count, meaning]) => `${upTo(count)} ${meaning}`);
  const line = { label: 'Deliveries', text: counted.join('; ') || 'none' };
  if (late < LATE_SECONDS) return line;
  // Suggests no command if no queue runs, because the line about the queue already names one.
  return { ...line, tone: 'bad', commands: isSent ? ['tourctl monitor'] : [] };
}

function unpaidBookings({ bookings_unpaid: unpaid, next_booking_expires_at: expiry }: Waiting): StatusLine {
  const next = expiry === null ? '' : `, the next expires at ${shortTime(expiry)}`;
  return { label: 'Bookings', text: unpaid > 0 ? `${upTo(unpaid)} unpaid${next}` : 'none is unpaid' };
}

function failedLines({ failed_today: failed }: StatusDocument): StatusLine[] {
  if (!failed) return [];
  const { deliveries_dead: dead, refusals, endpoints, since } = failed;
  const day = since.slice(0, 10);
  return [
    dead > 0
      ? {
          label: 'Deliveries',
          text: `${upTo(dead)} dead: not sent again without a replay`,
          tone: 'bad',
          commands: ['tourctl delivery list --status dead'],
        }
      : { label: 'Deliveries', text: 'none is dead' },
    refusals.length > 0
      ? {
          label: 'Refusals',
          text: refusals.map(({ code, count }) => `${count} ${code}`).join(', '),
          commands: [`tourctl booking refusals --since ${day}`],
        }
      : { label: 'Refusals', text: 'none' },
    endpoints.length > 0
      ? {
          label: 'Endpoints',
          text: endpoints.map(describeFailing).join('\n'),
          tone: 'bad',
          commands: endpoints.map(adviseOnFailing),
        }
      : { label: 'Endpoints', text: 'none fails' },
  ];
}

function upTo(count: number): string {
  return count > COUNTED_MAX ? `over ${COUNTED_MAX}` : String(count);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type StatusDocument = Awaited<ReturnType<typeof readStatus>>;

/** Reads what runs, what waits and what failed today. */
async function readStatus({ config, db, io, person }: Context) {
  const facts = await findDatabaseFacts(db);
  const pending = await pendingMigrations(db);
  // Older schemas lack tables that the other parts read.
  const rest = pending.length > 0 ? NOTHING_READ : await readSchema(db, facts);
  return {
    at: facts.now.toISOString(),
    version: readVersion(io),
    database: {
      version: facts.version,
      started_at: facts.startedAt.toISOString(),
      embedded_in: config.databaseUrl === undefined ? config.dataDir : null,
      /** Why the server refuses writes; null: it accepts them. */
      write_obstacle: (await findWriteObstacle(db)) ?? null,
      schema: (await newestMigration(db)) ?? null,
      pending_migrations: pending,
    },
    /** Null: the owner, who sees all. */
    login: person ? { name: person.name, roles: person.roles, hidden: hiddenFrom(person.roles) } : null,
    store: await readStore(config),
    /** False: AUTHORIZATION_CACHE is off, so the instances of the API do not report, and `api` is empty. */
    api_reports: config.remember,
    ...rest,
  };
}

const NOTHING_READ = { api: null, webhook_queue: null, waiting: null, failed_today: null };

async function readSchema(db: Db, { now, today }: DatabaseFacts) {
  const { counts, workers, failing, deadToday } = await readQueueStatus(db, today);
  const sales = await findWaitingSales(db);
  const locking = await findLockingPeople(db, LOCKING_SECONDS);
  return {
    api: (await findInstances(db, SILENT_SECONDS)).map(({ id, startedAt, polledAt, alive }) => ({
      id,
      alive,
      started_at: startedAt?.toISOString() ?? null,
      last_seen_at: polledAt.toISOString(),
    })),
    webhook_queue: workers.map(({ id, startedAt, beatAt, alive, slots, inFlight }) => ({
      id,
      alive,
      started_at: startedAt.toISOString(),
      last_seen_at: beatAt.toISOString(),
      slots,
      in_flight: inFlight,
    })),
    waiting: {
      deliveries_due: counts.due,
      oldest_due_seconds: counts.oldestDue
        ? Math.max(0, Math.round((now.getTime() - counts.oldestDue.getTime()) / 1000))
        : null,
      deliveries_held_back: counts.held,
      deliveries_retrying: counts.retrying,
      deliveries_without_endpoint: counts.waiting,
      holds_active: sales.activeHolds,
      bookings_unpaid: sales.unpaidBookings,
      next_booking_expires_at: sales.nextExpiry?.toISOString() ?? null,
      departures_closing_today: sales.closingToday,
      /** People with a session that has held a lock for a minute. Null: hidden from this login. */
      people_locking: locking && locking.map(({ name, since }) => ({ name, since: since.toISOString() })),
    },
    failed_today: {
      since: today.toISOString(),
      deliveries_dead: deadToday,
      refusals: await countRefusalsByCode(db, today),
      endpoints: failing.map(toFailingDocument),
    },
  };
}

/** Measures a round trip to the shared store. Without a shared store, `kind` is memory. */
async function readStore({ sharedStore }: Pick<Config, 'sharedStore'>) {
  if (!sharedStore) return { kind: 'memory' as const, answers: true, round_trip_ms: null, error: null };
  const { kind } = sharedStore;
  // Loads the clients of the store only where one is configured.
  const { probeStore } =
    require('../../services/platform/shared-store/shared-store') as typeof import('../../services/platform/shared-store/shared-store');
  try {
    const { roundTripMs } = await probeStore(sharedStore);
    return { kind, answers: true, round_trip_ms: roundTripMs, error: null };
  } catch (error) {
    return { kind, answers: false, round_trip_ms: null, error: (error as Error).message };
  }
}

type FailingDocument = ReturnType<typeof toFailingDocument>;

/** Converts an endpoint that fails or is disabled. */
export function toFailingDocument(endpoint: FailingEndpoint) {
  return {
    id: endpoint.id,
    tenant: endpoint.tenant,
    url: endpoint.url,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    failures_in_a_row: endpoint.failures ?? 0,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
  };
}

/** Returns `hooks.example of acme fails every attempt (5 in a row since 2027-06-01 08:00:00)`. */
export function describeFailing(endpoint: FailingDocument): string {
  const { tenant, url, status, status_reason: reason, failures_in_a_row: failures } = endpoint;
  const name = `${URL.canParse(url) ? new URL(url).host : url} of ${tenant}`;
  if (status === 'disabled') return `${name} is disabled${reason ? ` (${reason})` : ''}`;
  const since = endpoint.failing_since === null ? '' : `since ${shortTime(endpoint.failing_since)}`;
  if (failures === 1) return `${name} failed its last attempt${since && ` (${since})`}`;
  const counted = [failures > 1 && `${failures} in a row`, since].filter(Boolean).join(' ');
  return `${name} fails every attempt${counted && ` (${counted})`}`;
}

/** Returns the command to run next. */
export function adviseOnFailing({ id, status }: FailingDocument): string {
  return status === 'disabled' ? `tourctl webhook enable ${id}` : `tourctl webhook show ${id}`;
}
