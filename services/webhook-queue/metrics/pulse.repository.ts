import type { Db } from '../../platform/database';

/** What one worker saw of one endpoint in five minutes. */
export interface Tally {
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
const TALLIES_A_STATEMENT = 1000;

/** Totals, not additions: written twice they are still true. */
export async function upsertPulses(db: Db, worker: string, tallies: Tally[]): Promise<void> {
  const rows = tallies.map(({ at, endpointId, delivered, failed, answerTimes, waits }) => ({
    ...{ at, endpoint_id: endpointId, worker, delivered, failed },
    ...{ answer_times: answerTimes, waits },
  }));
  for (let from = 0; from < rows.length; from += TALLIES_A_STATEMENT)
    await db('webhook_pulse')
      .insert(rows.slice(from, from + TALLIES_A_STATEMENT))
      .onConflict(['endpoint_id', 'at', 'worker'])
      .merge();
}
