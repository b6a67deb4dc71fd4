import type { Db } from '../../platform/database';
import type { AttemptReport, ClaimedDelivery } from '../deliveries/delivery';
import { judgeEndpoint } from '../sending/judge-answer';
import { ALL_ENDPOINTS, upsertPulses, type Beat } from './pulse.repository';

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
  let latest = 0;
  const beatOf = (at: number, endpointId: string): Beat => {
    const key = `${at} ${endpointId}`;
    const beat = beats.get(key) ?? {
      at: new Date(at),
      endpointId,
      delivered: 0,
      failed: 0,
      answerTimes: [],
      waits: [],
    };
    beats.set(key, beat);
    changed.add(key);
    return beat;
  };
  return {
    observe({ endpointId, claimedAt, createdAt }, report) {
      const verdict = judgeEndpoint(report);
      if (verdict === null) return;
      // By the database's clock, but for the request itself.
      const waited = claimedAt.getTime() - createdAt.getTime() + report.durationMs;
      const at = Math.floor(claimedAt.getTime() / PERIOD_MS) * PERIOD_MS;
      latest = Math.max(latest, at);
      for (const beat of [beatOf(at, endpointId), beatOf(at, ALL_ENDPOINTS)]) {
        if (verdict === 'well') beat.delivered++;
        else beat.failed++;
        if (report.statusCode !== null) count(beat.answerTimes, report.durationMs);
        if (verdict === 'well') count(beat.waits, waited);
      }
    },
    async flush() {
      const keys = [...changed];
      changed.clear();
      try {
        const written = keys.map((key) => beats.get(key)!);
        await upsertPulses(db, worker, written);
      } catch (error) {
        for (const key of keys) changed.add(key);
        throw error;
      }
      for (const [key, { at }] of beats) if (at.getTime() < latest && !changed.has(key)) beats.delete(key);
    },
  };
}

function count(cells: number[], ms: number): void {
  const cell = Math.min(CELLS - 1, Math.ceil(Math.log2(Math.max(1, ms + 1))));
  while (cells.length <= cell) cells.push(0);
  cells[cell]!++;
}
