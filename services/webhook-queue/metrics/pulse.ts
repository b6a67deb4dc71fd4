import type { Db } from '../../platform/database';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import { judgeEndpoint } from '../sending/judge-answer';
import { ALL_ENDPOINTS, upsertPulses, type Tally } from './pulse.repository';

export interface Pulse {
  observe(
    delivery: Pick<ClaimedDelivery, 'endpointId' | 'claimedAt' | 'createdAt'>,
    report: AttemptReport,
  ): void;
  /** Writes down what has changed since. */
  flush(): Promise<void>;
}

const PERIOD_MS = 5 * 60_000;
/** Of a histogram; the last holds all that took longer: 2^29 ms are six days. */
export const BINS = 30;

/** Counts for the page's charts. What a killed worker had not written yet is missing there, and nowhere else. */
export function createPulse(db: Db, worker: string): Pulse {
  const tallies = new Map<string, Tally>();
  const changed = new Set<string>();
  let latest = 0;
  const tallyOf = (at: number, endpointId: string): Tally => {
    const key = `${at} ${endpointId}`;
    const tally = tallies.get(key) ?? {
      at: new Date(at),
      endpointId,
      delivered: 0,
      failed: 0,
      answerTimes: [],
      waits: [],
    };
    tallies.set(key, tally);
    changed.add(key);
    return tally;
  };
  return {
    observe({ endpointId, claimedAt, createdAt }, report) {
      const verdict = judgeEndpoint(report);
      if (verdict === null) return;
      // By the database's clock, but for the request itself.
      const waited = claimedAt.getTime() - createdAt.getTime() + report.durationMs;
      const at = Math.floor(claimedAt.getTime() / PERIOD_MS) * PERIOD_MS;
      latest = Math.max(latest, at);
      for (const tally of [tallyOf(at, endpointId), tallyOf(at, ALL_ENDPOINTS)]) {
        if (verdict === 'well') tally.delivered++;
        else tally.failed++;
        if (report.statusCode !== null) count(tally.answerTimes, report.durationMs);
        if (verdict === 'well') count(tally.waits, waited);
      }
    },
    async flush() {
      const keys = [...changed];
      changed.clear();
      try {
        const written = keys.map((key) => tallies.get(key)!);
        await upsertPulses(db, worker, written);
      } catch (error) {
        for (const key of keys) changed.add(key);
        throw error;
      }
      for (const [key, { at }] of tallies)
        if (at.getTime() < latest && !changed.has(key)) tallies.delete(key);
    },
  };
}

function count(histogram: number[], ms: number): void {
  const bin = Math.min(BINS - 1, Math.ceil(Math.log2(Math.max(1, ms + 1))));
  while (histogram.length <= bin) histogram.push(0);
  histogram[bin]!++;
}
