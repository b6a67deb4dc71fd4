import type { Db } from '../../platform/database';

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

/** In the place of an endpoint: the sum over all of them. */
export const ALL_ENDPOINTS = '00000000-0000-0000-0000-000000000000';

/** A statement has room for 65,535 values. */
const BEATS_A_STATEMENT = 1000;

/** Totals, not additions: written twice they are still true. */
export async function upsertPulses(db: Db, worker: string, beats: Beat[]): Promise<void> {
  const rows = beats.map(({ at, endpointId, delivered, failed, answerTimes, waits }) => ({
    ...{ at, endpoint_id: endpointId, worker, delivered, failed },
    ...{ answer_times: answerTimes, waits },
  }));
  for (let from = 0; from < rows.length; from += BEATS_A_STATEMENT)
    await db('webhook_pulse')
      .insert(rows.slice(from, from + BEATS_A_STATEMENT))
      .onConflict(['endpoint_id', 'at', 'worker'])
      .merge();
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
