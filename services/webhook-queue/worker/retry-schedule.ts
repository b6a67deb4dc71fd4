import type { AttemptReport, NextStep } from '../deliveries/delivery';
import { isThrottled } from '../sending/classify-response';

const JITTER = 0.2;
const RETRY_AFTER_MAX_SECONDS = 24 * 3600;
const UNCOUNTED_MAX = 3;
const THROTTLED_SPREAD_MAX_SECONDS = 60;

/** 429, 503 and a kept connection that the receiver had closed: the attempt is not counted as a failure. */
export function isNotCounted({
  outcome,
  statusCode,
}: Pick<AttemptReport, 'outcome' | 'statusCode'>): boolean {
  return outcome === 'hung_up' || isThrottled(statusCode);
}

/** The attempts of a delivery before this one. */
interface PreviousAttempts {
  /** Attempts that count against the schedule. */
  tries: number;
  /** Attempts that `isNotCounted` names; the first three of them are free. */
  uncounted: number;
}

/**
 * Decides what follows an attempt. `schedule` contains for each attempt the seconds to wait before it; WEBHOOK_RETRY_SCHEDULE in
 * platform/config/variables.ts has the ten default values. The first attempt is made at once, whatever its entry says. Retry-After makes the wait longer, never shorter. The first three attempts that are not
 * counted are free. An attempt that our own shutdown cut off is repeated at once. The wait after a 429 or 503 is more random the
 * more often the delivery was refused before.
 */
export function decideNext(
  report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'retryAfterSeconds'>,
  before: PreviousAttempts,
  schedule: readonly number[],
  random: () => number = Math.random,
): NextStep {
  const free = isNotCounted(report) && before.uncounted < UNCOUNTED_MAX;
  if (report.outcome === 'interrupted' || (free && report.outcome === 'hung_up'))
    return { status: 'retrying', waitSeconds: 0, tries: before.tries };
  const tries = before.tries + (free ? 0 : 1);
  if (report.outcome === 'delivered') return { status: 'delivered', waitSeconds: 0, tries };
  const step = nextStep(schedule, before.tries, free);
  if (report.outcome === 'gone' || step === undefined) return { status: 'dead', waitSeconds: 0, tries };
  const earlierRefusals = isThrottled(report.statusCode) ? before.uncounted : 0;
  const waitSeconds = waitFor(step, report.retryAfterSeconds ?? 0, earlierRefusals, random());
  return { status: 'retrying', waitSeconds, tries };
}

/** Repeats a free last attempt after the last wait of the schedule. */
function nextStep(schedule: readonly number[], tries: number, free: boolean): number | undefined {
  return schedule[tries + 1] ?? (free ? schedule.at(-1) : undefined);
}

/**
 * Adds jitter, so that deliveries that failed together are not retried together. Jitter never makes Retry-After shorter.
 *
 * From the second refusal on the jitter is longer by the wait times the number of earlier refusals, up to a minute. Otherwise a
 * receiver that refuses every second request may refuse all attempts of one delivery: if one new delivery comes during each wait.
 */
function waitFor(step: number, retryAfter: number, earlierRefusals: number, draw: number): number {
  // Bounded first, because a Retry-After without a bound times no refusal is no number.
  const longest = Math.min(Math.max(step, retryAfter), THROTTLED_SPREAD_MAX_SECONDS);
  const spread = Math.min(earlierRefusals * longest, THROTTLED_SPREAD_MAX_SECONDS);
  const scheduled = step * (1 - JITTER + 2 * JITTER * draw);
  const requested = Math.min(retryAfter * (1 + JITTER * draw), RETRY_AFTER_MAX_SECONDS);
  return Math.max(scheduled, requested) + spread * draw;
}
