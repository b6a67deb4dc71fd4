import type { Db } from '../platform/database';
import type { AttemptReport, ClaimedDelivery } from './delivery';
import { judgeEndpoint } from './breaker';
import { upsertPulses, type Beat } from './pulse.repository';

export interface Pulse {
  observe(
    delivery: Pick<ClaimedDelivery, 'endpointId' | 'claimedAt' | 'createdAt'>,
    report: AttemptReport,
  ): void;
  /** Writes down what has changed since. */
  flush(): Promise<void>;
}

const PERIOD_MS = 5 * 60_000;
/** The last holds all that took longer: 2^29 ms are six days. */
const CELLS = 30;

/** Counts for the page's charts. What a killed worker had not written yet is missing there, and nowhere else. */
export function createPulse(db: Db, worker: string): Pulse {
  const beats = new Map<string, Beat>();
  const changed = new Set<string>();
  return {
    observe({ endpointId, claimedAt, createdAt }, report) {
      const verdict = judgeEndpoint(report);
      if (verdict === null) return;
      const at = new Date(Math.floor(claimedAt.getTime() / PERIOD_MS) * PERIOD_MS);
      const key = `${at.getTime()} ${endpointId}`;
      const beat = beats.get(key) ?? { at, endpointId, delivered: 0, failed: 0, answerTimes: [], waits: [] };
      beats.set(key, beat);
      changed.add(key);
      if (verdict === 'well') beat.delivered++;
      else beat.failed++;
      if (report.statusCode !== null) count(beat.answerTimes, report.durationMs);
      // By the database's clock, but for the request itself.
      if (verdict === 'well')
        count(beat.waits, claimedAt.getTime() - createdAt.getTime() + report.durationMs);
    },
    async flush() {
      const written = [...changed].map((key) => beats.get(key)!);
      changed.clear();
      if (written.length > 0) await upsertPulses(db, worker, written);
      const over = Date.now() - 2 * PERIOD_MS;
      for (const [key, { at }] of beats) if (at.getTime() < over && !changed.has(key)) beats.delete(key);
    },
  };
}

function count(cells: number[], ms: number): void {
  const cell = Math.min(CELLS - 1, Math.ceil(Math.log2(Math.max(1, ms + 1))));
  while (cells.length <= cell) cells.push(0);
  cells[cell]!++;
}
