import type { Db } from '../platform/database';

/** What one worker saw of one endpoint in five minutes. */
export interface Beat {
  at: Date;
  endpointId: string;
  delivered: number;
  failed: number;
  /** The nth counts what took less than 2^n ms, and not less than half of that. */
  answerTimes: number[];
  waits: number[];
}

/** Totals, not additions: written twice they are still true. */
export async function upsertPulses(db: Db, worker: string, beats: Beat[]): Promise<void> {
  const rows = beats.map(({ at, endpointId, delivered, failed, answerTimes, waits }) => ({
    ...{ at, endpoint_id: endpointId, worker, delivered, failed },
    ...{ answer_times: answerTimes, waits },
  }));
  await db('webhook_pulse').insert(rows).onConflict(['at', 'endpoint_id', 'worker']).merge();
}

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
