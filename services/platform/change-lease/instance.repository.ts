import type { Db } from '../database';

/** A poll without an answer has failed: what it would tell is too old anyway. Knex then throws its connection away. */
const ANSWER_MS = 1_000;

export interface Poll {
  instance: string;
  /** The version that this process has obeyed: what it remembered from before is gone. */
  seen: number;
  /** Another number each time. */
  number: number;
}

export interface PollAnswer {
  version: number;
  /** Milliseconds since the epoch, by the database's clock. */
  databaseTime: number;
}

/** One statement, so that it passes any pooler: says what this instance has seen, and reads what there is to be seen. */
export async function exchangeVersions(db: Db, { instance, seen, number }: Poll): Promise<PollAnswer> {
  const { rows } = await db
    .raw(
      `insert into api_instances as i (id, seen_version, poll) values (:instance, :seen, :number)
       on conflict (id) do update
         set seen_version = excluded.seen_version, poll = excluded.poll, polled_at = clock_timestamp()
       returning (select version from change_version) as version,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as database_time`,
      { instance, seen, number },
    )
    .timeout(ANSWER_MS);
  return { version: rows[0].version, databaseTime: rows[0].database_time };
}

export async function deleteInstance(db: Db, instance: string): Promise<void> {
  await db('api_instances').where({ id: instance }).delete().timeout(ANSWER_MS);
}

export interface Laggard {
  id: string;
  poll: number;
}

/** What there is to be seen, and the instances that have not yet. */
export async function findLaggards(db: Db): Promise<{ version: number; laggards: Laggard[] }> {
  const rows: { version: number; id: string | null; poll: number }[] = await db('change_version as v')
    .leftJoin('api_instances as i', 'i.seen_version', '<', 'v.version')
    .select('v.version', 'i.id', 'i.poll')
    .timeout(ANSWER_MS);
  return {
    version: rows[0]!.version,
    laggards: rows.flatMap(({ id, poll }) => (id === null ? [] : { id, poll })),
  };
}

export async function hasLaggards(db: Db, version: number): Promise<boolean> {
  const one = await db('api_instances').where('seen_version', '<', version).first('id').timeout(ANSWER_MS);
  return one !== undefined;
}

/** Those that have not polled since they were found. */
export async function deleteSilent(db: Db, found: Laggard[]): Promise<void> {
  await db('api_instances')
    .whereIn(
      ['id', 'poll'],
      found.map(({ id, poll }) => [id, poll]),
    )
    .delete()
    .timeout(ANSWER_MS);
}
