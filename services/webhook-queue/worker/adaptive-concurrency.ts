import { LRUCache } from 'lru-cache';
import type { AttemptReport } from '../deliveries/delivery';
import { isThrottled, hasNoResponse, classifyEndpoint } from '../sending/classify-response';

/** The concurrency that this worker allows for one endpoint. */
export interface EndpointConcurrency {
  /** Maximum number of requests in flight. */
  concurrencyLimit: number;
  /** Slow endpoints together use at most half of the slots. */
  slow: boolean;
}

export interface AdaptiveConcurrency {
  of(endpointId: string): EndpointConcurrency;
  /** Ids of endpoints that are slow, or whose limit differs from the initial one. */
  endpoints(): string[];
  /** Ids of endpoints that accepted their last delivery quickly. */
  proven(): string[];
  observe(endpointId: string, report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'durationMs'>): void;
}

interface EndpointRecord extends EndpointConcurrency {
  quickInARow: number;
  /** One bit for each of the last twenty responses: 1 means slow or missing. */
  recent: number;
}

const LIMIT_MAX = 16;
const QUICK_FOR_ONE_MORE = 5;
const SLOW_MS = 2000;
const WINDOW = 20;
/** An endpoint is slow with two slow responses of the last twenty: the 95th percentile of its response times is then above SLOW_MS. */
const SLOW_COUNT = 2;
/** Maximum number of endpoints; an evicted endpoint starts with the initial limit. */
const ENDPOINTS_MAX = 2000;

/**
 * Adapts the concurrency limit to the endpoint: plus one after five quick deliveries in a row, half after every attempt without a
 * response or with 429 or 503, and plus one after each quick delivery until the limit is back at its initial value.
 *
 * The limit times the number of slow endpoints must stay far below the slots: with 64 slots and five endpoints that take three
 * seconds, a limit of 4 leaves the p95 of the others as it is, and a limit of 20 raises it to 22 s. Therefore slow endpoints
 * share half of the slots. Slow and unknown endpoints leave an eighth of the slots to proven ones: 150 new endpoints of one
 * tenant that hang would otherwise hold all slots until the first deadline.
 */
export function createAdaptiveConcurrency(initialLimit: number): AdaptiveConcurrency {
  const records = new LRUCache<string, EndpointRecord>({ max: ENDPOINTS_MAX });
  const initial: EndpointRecord = { concurrencyLimit: initialLimit, slow: false, quickInARow: 0, recent: 0 };
  return {
    of: (endpointId) => {
      const { concurrencyLimit, slow } = records.get(endpointId) ?? initial;
      return { concurrencyLimit, slow };
    },
    endpoints: () =>
      [...records.entries()]
        .filter(([, m]) => m.slow || m.concurrencyLimit !== initialLimit)
        .map(([id]) => id),
    proven: () => [...records.entries()].filter(([, m]) => m.quickInARow > 0 && !m.slow).map(([id]) => id),
    observe(endpointId, report) {
      if (classifyEndpoint(report) === null) return;
      records.set(endpointId, next(records.get(endpointId) ?? initial, report, initialLimit));
    },
  };
}

function next(
  before: EndpointRecord,
  report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'durationMs'>,
  initialLimit: number,
): EndpointRecord {
  const noResponse = hasNoResponse(report);
  const slow = noResponse || report.durationMs > SLOW_MS;
  const recent = ((before.recent << 1) | Number(slow)) & ((1 << WINDOW) - 1);
  const quickInARow = report.outcome === 'delivered' && !slow ? before.quickInARow + 1 : 0;
  return {
    concurrencyLimit: limitAfter(
      before.concurrencyLimit,
      noResponse || isThrottled(report.statusCode),
      quickInARow,
      initialLimit,
    ),
    slow: noResponse || countBits(recent) >= SLOW_COUNT,
    quickInARow,
    recent,
  };
}

function limitAfter(limit: number, overloaded: boolean, quickInARow: number, initialLimit: number): number {
  if (overloaded) return Math.max(1, Math.floor(limit / 2));
  const earned = quickInARow > 0 && (limit < initialLimit || quickInARow % QUICK_FOR_ONE_MORE === 0);
  return earned ? Math.min(Math.max(LIMIT_MAX, initialLimit), limit + 1) : limit;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest &= rest - 1) count++;
  return count;
}
