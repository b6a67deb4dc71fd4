import type { Db } from '../../platform/database/database';

/** Interval of a worker's heartbeat. */
export const HEARTBEAT_SECONDS = 5;

interface WorkerHeartbeat {
  id: string;
  slots: number;
  inFlight: number;
}

export async function upsertWorker(db: Db, { id, slots, inFlight }: WorkerHeartbeat): Promise<void> {
  const row = { id, slots, in_flight: inFlight, beat_at: db.fn.now() };
  await db('webhook_workers').insert(row).onConflict('id').merge(['beat_at', 'slots', 'in_flight']);
}

export async function deleteWorker(db: Db, id: string): Promise<void> {
  await db('webhook_workers').where({ id }).delete();
}

/** Deletes workers without a heartbeat for a day: a killed worker does not deregister. */
export async function deleteSilentWorkers(db: Db): Promise<void> {
  await db('webhook_workers').where('beat_at', '<', db.raw("now() - interval '1 day'")).delete();
}

/** A worker is alive if it had a heartbeat within this time. */
const ALIVE_SECONDS = 3 * HEARTBEAT_SECONDS;

export interface WorkerRow {
  id: string;
  startedAt: Date;
  beatAt: Date;
  alive: boolean;
  slots: number;
  inFlight: number;
}

/** Lists live workers first. */
export async function findWorkers(db: Db): Promise<WorkerRow[]> {
  return db('webhook_workers')
    .orderByRaw(`beat_at > now() - interval '${ALIVE_SECONDS} seconds' desc, id`)
    .limit(100)
    .select<WorkerRow[]>(
      'id',
      'started_at',
      'beat_at',
      'slots',
      'in_flight',
      db.raw(`beat_at > now() - interval '${ALIVE_SECONDS} seconds' as alive`),
    );
}
