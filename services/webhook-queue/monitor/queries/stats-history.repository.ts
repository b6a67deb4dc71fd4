import type { Db } from '../../../platform/database/database';
import { ALL_ENDPOINTS, BINS } from '../../stats/delivery-stats';
import type { Range } from './read-query';

/** Delivery statistics of a time span, summed over all workers. */
export interface Span {
  at: Date;
  end: Date;
  /** Numbers of attempts, not of deliveries. */
  delivered: number;
  failed: number;
  /** Durations of attempts that got a response. */
  answerTimes: Histogram;
  /** Durations from the event to the 2xx response. */
  waits: Histogram;
}

/** Number and length of the spans of time in a range. Lengths are multiples of five minutes, the period of one row of webhook_pulse. */
const SPANS: Readonly<Record<Range, { spans: number; step: string }>> = {
  '1h': { spans: 12, step: '5 minutes' },
  '24h': { spans: 48, step: '30 minutes' },
  '7d': { spans: 84, step: '2 hours' },
};

/** Spans begin at multiples of their step, counted from this time. */
const ORIGIN = `timestamptz '2000-01-01 00:00Z'`;
/** Number of histogram bins that are summed. Higher bins are empty, because a request ends after 15 s, which is less than 2^14 ms. */
const ANSWER_BINS = 17;

/**
 * Sums an array column element by element, one bin per element. For the 240,000 rows of a week this takes 190 ms; with unnest it takes 500
 * ms.
 */
function summed(column: string, bins: number): string {
  const sums = Array.from({ length: bins }, (_, bin) => `coalesce(sum(p.${column}[${bin + 1}]), 0)`);
  return `array[${sums.join(', ')}]::float8[] as ${column}`;
}

const SUMS = `sum(p.delivered) as delivered, sum(p.failed) as failed, ${summed('answer_times', ANSWER_BINS)}, ${summed('waits', BINS)}`;

/**
 * Returns the spans of a range up to now, the oldest first, without gaps.
 * @param endpointId all endpoints if omitted
 */
export async function findSpans(db: Db, range: Range, endpointId = ALL_ENDPOINTS): Promise<Span[]> {
  const { spans, step } = SPANS[range];
  const { rows } = await db.raw<{ rows: Span[] }>(
    `with bounds as materialized (
       select date_bin(:step::interval, now(), ${ORIGIN}) - :step::interval * (:spans::integer - 1) as since
     ), counted as (
       select date_bin(:step::interval, p.at, ${ORIGIN}) as at, ${SUMS}
       from webhook_pulse p
       where p.endpoint_id = :endpointId::uuid
         and p.at >= date_bin(:step::interval, now(), ${ORIGIN}) - :step::interval * (:spans::integer - 1)
       group by 1
     )
     select s.at, s.at + :step::interval as end, coalesce(c.delivered, 0)::float8 as delivered, coalesce(c.failed, 0)::float8 as failed,
       coalesce(c.answer_times, '{}') as answer_times, coalesce(c.waits, '{}') as waits
     from bounds, generate_series(bounds.since, now(), :step::interval) as s (at)
     left join counted c using (at)
     order by s.at`,
    { spans, step, endpointId },
  );
  return rows;
}

/** Returns the last 24 hours of each endpoint by hour, the oldest first. Omits hours without attempts. */
export async function findHours(db: Db, endpointIds: readonly string[]): Promise<Map<string, Span[]>> {
  const { rows } = await db.raw<{ rows: (Span & { endpointId: string })[] }>(
    `select p.endpoint_id, date_bin('1 hour', p.at, ${ORIGIN}) as at, date_bin('1 hour', p.at, ${ORIGIN}) + interval '1 hour' as end,
       sum(p.delivered)::float8 as delivered, sum(p.failed)::float8 as failed, ${summed('answer_times', ANSWER_BINS)},
       array[]::float8[] as waits
     from webhook_pulse p
     where p.endpoint_id = any (:endpointIds::uuid[]) and p.at >= date_bin('1 hour', now(), ${ORIGIN}) - interval '23 hours'
     group by 1, 2 order by 2`,
    { endpointIds },
  );
  const byEndpoint = new Map<string, Span[]>(endpointIds.map((id) => [id, []]));
  for (const { endpointId, ...span } of rows) byEndpoint.get(endpointId)?.push(span);
  return byEndpoint;
}

/** A histogram of durations. Bin n counts durations from 2^(n-1) up to 2^n ms. Bin 0 counts all durations below 1 ms. */
export type Histogram = readonly number[];

export function addHistograms(a: Histogram, b: Histogram): number[] {
  const [longer, shorter] = a.length >= b.length ? [a, b] : [b, a];
  return longer.map((count, index) => count + (shorter[index] ?? 0));
}

export function countIn(histogram: Histogram): number {
  return histogram.reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the duration in milliseconds below which `share` (0 to 1) of all counted durations are. Null for an empty histogram. Interpolates
 * within a bin on a logarithmic scale, so the error is at most a factor of two.
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const total = countIn(histogram);
  if (total === 0) return null;
  let left = share * total;
  for (const [bin, count] of histogram.entries()) {
    if (count > 0 && left <= count) return within(bin, left / count);
    left -= count;
  }
  return 2 ** (histogram.length - 1);
}

function within(bin: number, part: number): number {
  return bin === 0 ? part : 2 ** (bin - 1 + part);
}
