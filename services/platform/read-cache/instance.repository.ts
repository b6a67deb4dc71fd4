import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../database/database';

/**
 * A poll makes the read cache valid for this time, counted from the start of the poll. The poll sees all transactions that were committed
 * before its start.
 */
export const VALIDITY_MS = 1_000;
/** A poll without a response within this time has failed, because its result would be too old. Knex then closes the connection. */
const ANSWER_MS = 1_000;

/** Creates an id that contains the start time of the process, by the clock of its machine: a UUID of version 7 (RFC 9562). */
export function createInstanceId(startedAt = Date.now()): string {
  const time = startedAt.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Returns the start time of the process with this id. Null for an id of an earlier release, which contains no time. */
export function startOfInstance(id: string): Date | null {
  return id[14] === '7' ? new Date(parseInt(id.slice(0, 8) + id.slice(9, 13), 16)) : null;
}

interface Poll {
  instance: string;
  /** The latest version that this process has seen. The process has removed its cache entries of earlier versions. */
  seen: number;
  /** Increases with each poll. */
  number: number;
}

export interface PollAnswer {
  version: number;
  /** Milliseconds since the epoch, by the database's clock. */
  databaseTime: number;
}

/** Stores the version that this instance has seen, and returns the current one. Uses one statement, which works with any pooler. */
export async function exchangeVersions(db: Db, { instance, seen, number }: Poll): Promise<PollAnswer> {
  const { rows } = await db
    .raw(
      `insert into api_instances as i (id, seen_version, poll, knows_start_times, knows_selling_currency)
       values (:instance, :seen, :number, true, true)
       on conflict (id) do update
         set seen_version = excluded.seen_version, poll = excluded.poll, polled_at = clock_timestamp()
       returning (select version from change_version) as version,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as database_time`,
      { instance, seen, number },
    )
    .timeout(ANSWER_MS);
  return rows[0];
}

export async function deleteInstance(db: Db, instance: string): Promise<void> {
  await db('api_instances').where({ id: instance }).delete().timeout(ANSWER_MS);
}

/** Returns the instances that have polled within the last minute. An instance that was killed counts until then. */
export async function findRunningInstances(db: Db): Promise<{ id: string; poll: number }[]> {
  return db('api_instances')
    .whereRaw("polled_at > clock_timestamp() - interval '1 minute'")
    .select<{ id: string; poll: number }[]>('id', 'poll');
}

interface LaggingInstance {
  id: string;
  poll: number;
}

/** Returns the current version and the instances that have not seen it. */
async function findLaggingInstances(db: Db): Promise<{ version: number; laggards: LaggingInstance[] }> {
  const rows: { version: number; id: string | null; poll: number }[] = await db('change_version as v')
    .leftJoin('api_instances as i', 'i.seen_version', '<', 'v.version')
    .select('v.version', 'i.id', 'i.poll')
    .timeout(ANSWER_MS);
  return {
    version: rows[0]!.version,
    laggards: rows.flatMap(({ id, poll }) => (id === null ? [] : { id, poll })),
  };
}

async function hasLaggingInstances(db: Db, version: number): Promise<boolean> {
  const one = await db('api_instances').where('seen_version', '<', version).first('id').timeout(ANSWER_MS);
  return one !== undefined;
}

/** Deletes the instances that have not polled since they were found. */
async function deleteSilentInstances(db: Db, found: LaggingInstance[]): Promise<void> {
  await db('api_instances')
    .whereIn(
      ['id', 'poll'],
      found.map(({ id, poll }) => [id, poll]),
    )
    .delete()
    .timeout(ANSWER_MS);
}

const POLL_MS = 25;
/** Adds a margin: two clocks may differ in rate. */
const LAPSED_MS = VALIDITY_MS + 50;
const INSTANCE_WAIT_MS_MAX = 1_500;

/**
 * Waits until every instance of the API has seen the change, or until the read caches of the other instances are no longer valid (after
 * LAPSED_MS). Waits for at most INSTANCE_WAIT_MS_MAX. Never rejects: if the database does not answer, no read cache is valid after INSTANCE_WAIT_MS_MAX. Call
 * it after COMMIT.
 * @rule a revocation applies when the command returns: test/api/exact-authorization.long.test.ts
 */
export async function awaitInstances(db: Db): Promise<void> {
  const over = new AbortController();
  const atMost = sleep(INSTANCE_WAIT_MS_MAX, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([atMost, untilSeen(db, over.signal).catch(() => atMost)]);
  over.abort();
}

async function untilSeen(db: Db, over: AbortSignal): Promise<void> {
  const { version, laggards } = await findLaggingInstances(db);
  const startedAt = performance.now();
  for (let lagging = laggards.length > 0; lagging; lagging = await hasLaggingInstances(db, version)) {
    if (over.aborted) return;
    // Deletes the rows of instances that did not poll. Their read caches are no longer valid, and the next command must not wait for dead
    // processes.
    if (performance.now() - startedAt >= LAPSED_MS) return deleteSilentInstances(db, laggards);
    await sleep(POLL_MS);
  }
}
