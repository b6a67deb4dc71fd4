import type { Db } from '../../platform/database';

/** Counts of one worker for one endpoint in five minutes. */
export interface Tally {
  at: Date;
  endpointId: string;
  delivered: number;
  failed: number;
  /** The nth bin counts durations below 2^n ms and from half of that on. */
  answerTimes: number[];
  waits: number[];
}

/** Endpoint id of the sum over all endpoints. */
export const ALL_ENDPOINTS = '00000000-0000-0000-0000-000000000000';

/** Keeps a statement below 65,535 values. */
const TALLIES_A_STATEMENT = 1000;

/** Stores totals, so that storing them twice is harmless. */
export async function upsertDeliveryStats(db: Db, worker: string, tallies: Tally[]): Promise<void> {
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
