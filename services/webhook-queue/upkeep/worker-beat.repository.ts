import type { Db } from '../../platform/database';

/** How often a worker says that it is there. */
export const BEAT_SECONDS = 5;

export interface WorkerBeat {
  id: string;
  slots: number;
  inFlight: number;
}

export async function upsertWorker(db: Db, { id, slots, inFlight }: WorkerBeat): Promise<void> {
  const row = { id, slots, in_flight: inFlight, beat_at: db.fn.now() };
  await db('webhook_workers').insert(row).onConflict('id').merge(['beat_at', 'slots', 'in_flight']);
}

export async function deleteWorker(db: Db, id: string): Promise<void> {
  await db('webhook_workers').where({ id }).delete();
}

/** Killed ones say no farewell. */
export async function deleteSilentWorkers(db: Db): Promise<void> {
  await db('webhook_workers').where('beat_at', '<', db.raw("now() - interval '1 day'")).delete();
}
