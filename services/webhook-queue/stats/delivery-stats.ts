import type { Db } from '../../platform/database/database';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import { classifyEndpoint } from '../sending/classify-response';

export interface DeliveryStats {
  observe(
    delivery: Pick<ClaimedDelivery, 'endpointId' | 'claimedAt' | 'createdAt'>,
    report: AttemptReport,
  ): void;
  /** Stores the counts that changed since the last flush. */
  flush(): Promise<void>;
}

const PERIOD_MS = 5 * 60_000;
/** Number of histogram bins. The last bin counts all durations from 2^28 ms (three days) on. */
export const BINS = 30;

/** Counts deliveries for the charts of the monitoring page. A killed worker loses only the counts that it had not stored yet. */
export function createDeliveryStats(db: Db, worker: string): DeliveryStats {
  /** Keyed by the start of the period, then by endpoint. */
  const periods = new Map<number, Map<string, Tally>>();
  const changed = new Set<Tally>();
  let latest = 0;
  const tallyOf = (at: number, endpointId: string): Tally => {
    let tallies = periods.get(at);
    if (!tallies) periods.set(at, (tallies = new Map<string, Tally>()));
    let tally = tallies.get(endpointId);
    if (!tally) {
      tally = { at: new Date(at), endpointId, delivered: 0, failed: 0, answerTimes: [], waits: [] };
      tallies.set(endpointId, tally);
    }
    changed.add(tally);
    return tally;
  };
  return {
    observe({ endpointId, claimedAt, createdAt }, report) {
      const verdict = classifyEndpoint(report);
      if (verdict === null) return;
      // Uses the database's clock, except for the duration of the request.
      const waited = claimedAt.getTime() - createdAt.getTime() + report.durationMs;
      const at = Math.floor(claimedAt.getTime() / PERIOD_MS) * PERIOD_MS;
      latest = Math.max(latest, at);
      for (const tally of [tallyOf(at, endpointId), tallyOf(at, ALL_ENDPOINTS)]) {
        if (verdict === 'healthy') tally.delivered++;
        else tally.failed++;
        if (report.statusCode !== null) count(tally.answerTimes, report.durationMs);
        if (verdict === 'healthy') count(tally.waits, waited);
      }
    },
    async flush() {
      const written = [...changed];
      changed.clear();
      try {
        await upsertDeliveryStats(db, worker, written);
      } catch (error) {
        for (const tally of written) changed.add(tally);
        throw error;
      }
      for (const [at, tallies] of periods) {
        if (at === latest) continue;
        for (const [endpointId, tally] of tallies) if (!changed.has(tally)) tallies.delete(endpointId);
        if (tallies.size === 0) periods.delete(at);
      }
    },
  };
}

function count(histogram: number[], ms: number): void {
  const bin = Math.min(BINS - 1, Math.ceil(Math.log2(Math.max(1, ms + 1))));
  while (histogram.length <= bin) histogram.push(0);
  histogram[bin]!++;
}

/** Counts of one worker for one endpoint in five minutes. */
interface Tally {
  at: Date;
  endpointId: string;
  delivered: number;
  failed: number;
  /** Bin 0 counts durations below 1 ms. Bin n counts durations from 2^(n-1) ms to below 2^n ms. */
  answerTimes: number[];
  waits: number[];
}

/** Endpoint id of the sum over all endpoints. */
export const ALL_ENDPOINTS = '00000000-0000-0000-0000-000000000000';

/** Keeps a statement below 65,535 values. */
const TALLIES_A_STATEMENT = 1000;

/** Stores the totals of each period, so that storing them twice is harmless. */
async function upsertDeliveryStats(db: Db, worker: string, tallies: Tally[]): Promise<void> {
  const rows = tallies.map(({ at, endpointId, delivered, failed, answerTimes, waits }) => ({
    at,
    endpoint_id: endpointId,
    worker,
    delivered,
    failed,
    answer_times: answerTimes,
    waits,
  }));
  for (let from = 0; from < rows.length; from += TALLIES_A_STATEMENT)
    await db('webhook_pulse')
      .insert(rows.slice(from, from + TALLIES_A_STATEMENT))
      .onConflict(['endpoint_id', 'at', 'worker'])
      .merge();
}
