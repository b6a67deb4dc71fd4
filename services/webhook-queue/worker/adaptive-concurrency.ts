import { LRUCache } from 'lru-cache';
import type { AttemptReport } from '../deliveries/delivery';
import { isThrottled, hasNoResponse, classifyEndpoint } from '../sending/classify-response';

/** The concurrency that this worker allows for one endpoint. */
export interface EndpointConcurrency {
  /** Maximum number of requests in flight. */
  concurrencyLimit: number;
  /** True: the slow endpoints together may use at most half of the slots. This endpoint is one of them. */
  slow: boolean;
}

export interface AdaptiveConcurrency {
  of(endpointId: string): EndpointConcurrency;
  /** Ids of endpoints that are slow, or whose limit differs from the initial one. */
  endpoints(): string[];
  /** Ids of the endpoints that accepted their last delivery quickly and are not slow. */
  proven(): string[];
  observe(endpointId: string, report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'durationMs'>): void;
}

interface EndpointRecord extends EndpointConcurrency {
  quickInARow: number;
  /** One bit for each of the last twenty attempts. 1: the response was slow or missing. */
  recent: number;
}

const LIMIT_MAX = 16;
const QUICK_FOR_ONE_MORE = 5;
const SLOW_MS = 2000;
const WINDOW = 20;
/**
 * Two slow or missing responses among the last twenty attempts make an endpoint slow. The 95th percentile of its response times is then
 * above SLOW_MS. A missing response alone makes the endpoint slow at once, until the next response.
 */
const SLOW_COUNT = 2;
/** Maximum number of endpoints in the cache. An endpoint that returns after its eviction starts with the initial limit. */
const ENDPOINTS_MAX = 2000;

/**
 * Adapts the concurrency limit of each endpoint to its responses:
 * - An attempt without a response, or with 429 or 503, halves the limit.
 * - Below the initial limit, each quick delivery raises the limit by one.
 * - From the initial limit on, every fifth quick delivery in a row raises the limit by one, up to LIMIT_MAX.
 *
 * Slow endpoints together may use only half of the slots, so that they do not delay the other endpoints. This was measured with 64 slots and
 * five endpoints that respond after three seconds. With a limit of 4, the p95 of the other endpoints does not change. With a limit of 20,
 * their p95 rises to 22 s. One eighth of the slots is only for proven endpoints. Otherwise 150 new endpoints that do not respond could hold
 * all slots until the first deadline.
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
