import { LRUCache } from 'lru-cache';
import type { AttemptReport } from '../deliveries/delivery';
import { asksForPatience, gotNoAnswer, judgeEndpoint } from '../sending/judge-answer';

/** How fast this worker goes with one endpoint. */
export interface Pace {
  /** Requests in flight at most. */
  lanes: number;
  /** One of those that together hold at most half of the slots. */
  slow: boolean;
}

export interface Paces {
  of(endpointId: string): Pace;
  /** Those that do not go as every endpoint does at first. */
  endpoints(): string[];
  /** Those that took their last delivery, and quickly. */
  proven(): string[];
  observe(endpointId: string, report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'durationMs'>): void;
}

interface Manner extends Pace {
  quickInARow: number;
  /** The last twenty answers, a bit each: 1 was slow, or never came. */
  recent: number;
}

const LANES_MAX = 16;
const QUICK_FOR_ONE_MORE = 5;
const SLOW_MS = 2000;
const REMEMBERED = 20;
/** Two of twenty: the 95th percentile is above SLOW_MS. */
const SLOW_ONES = 2;
/** Endpoints; who was forgotten begins anew. */
const KNOWN_MAX = 2000;

/**
 * Lanes follow the endpoint: one more for five quick deliveries in a row, half for every try that got no answer or was asked for
 * patience, and one for each quick delivery until it is back where it began. Lanes times sick endpoints must stay far below
 * the slots (with 64 slots and five endpoints of three seconds, 4 lanes leave the others' p95 as it is; 20 make it 22 s),
 * so the slow ones share half of the slots besides. Whoever is not proven, the slow and the unknown, leaves an eighth of the
 * slots to those who are: a tenant with 150 new endpoints that hang would hold them all until the first deadline.
 */
export function createPaces(lanesAtFirst: number): Paces {
  const manners = new LRUCache<string, Manner>({ max: KNOWN_MAX });
  const newcomer: Manner = { lanes: lanesAtFirst, slow: false, quickInARow: 0, recent: 0 };
  return {
    of: (endpointId) => {
      const { lanes, slow } = manners.get(endpointId) ?? newcomer;
      return { lanes, slow };
    },
    endpoints: () =>
      [...manners.entries()].filter(([, m]) => m.slow || m.lanes !== lanesAtFirst).map(([id]) => id),
    proven: () => [...manners.entries()].filter(([, m]) => m.quickInARow > 0 && !m.slow).map(([id]) => id),
    observe(endpointId, report) {
      if (judgeEndpoint(report) === null) return;
      manners.set(endpointId, next(manners.get(endpointId) ?? newcomer, report, lanesAtFirst));
    },
  };
}

function next(
  before: Manner,
  report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'durationMs'>,
  lanesAtFirst: number,
): Manner {
  const silent = gotNoAnswer(report);
  const late = silent || report.durationMs > SLOW_MS;
  const recent = ((before.recent << 1) | Number(late)) & ((1 << REMEMBERED) - 1);
  const quickInARow = report.outcome === 'delivered' && !late ? before.quickInARow + 1 : 0;
  return {
    lanes: lanesAfter(before.lanes, silent || asksForPatience(report.statusCode), quickInARow, lanesAtFirst),
    slow: silent || ones(recent) >= SLOW_ONES,
    quickInARow,
    recent,
  };
}

function lanesAfter(lanes: number, pressed: boolean, quickInARow: number, lanesAtFirst: number): number {
  if (pressed) return Math.max(1, Math.floor(lanes / 2));
  const earned = quickInARow > 0 && (lanes < lanesAtFirst || quickInARow % QUICK_FOR_ONE_MORE === 0);
  return earned ? Math.min(Math.max(LANES_MAX, lanesAtFirst), lanes + 1) : lanes;
}

function ones(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest &= rest - 1) count++;
  return count;
}
