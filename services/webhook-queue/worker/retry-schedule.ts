import type { AttemptReport, NextStep } from '../deliveries/delivery';
import { isThrottled } from '../sending/classify-response';

const JITTER = 0.2;
const RETRY_AFTER_MAX_SECONDS = 24 * 3600;
const UNCOUNTED_MAX = 3;
const THROTTLED_SPREAD_MAX_SECONDS = 60;

/**
 * Returns true for a response 429 or 503. Also returns true for a request on a kept connection that the receiver had already closed. The
 * first UNCOUNTED_MAX such attempts of a delivery use no entry of the schedule.
 */
export function isNotCounted({
  outcome,
  statusCode,
}: Pick<AttemptReport, 'outcome' | 'statusCode'>): boolean {
  return outcome === 'hung_up' || isThrottled(statusCode);
}

/** The attempts of a delivery before this one. */
interface PreviousAttempts {
  /** Number of attempts that used an entry of the schedule. */
  tries: number;
  /** Number of attempts for which `isNotCounted` returned true. */
  uncounted: number;
}

/**
 * Decides what follows an attempt. For each attempt, `schedule` contains the seconds to wait before that attempt. WEBHOOK_RETRY_SCHEDULE in
 * platform/config/variables.ts has the ten default values. The first attempt is made at once, and the first entry is ignored.
 * - Retry-After makes the wait longer, never shorter.
 * - The first UNCOUNTED_MAX attempts for which `isNotCounted` returns true are free: they use no entry of the schedule.
 * - An attempt with the outcome `interrupted` is repeated at once: the worker was stopped, or had no free slot in time.
 * - A free attempt with the outcome `hung_up` is repeated at once: the receiver had closed the kept connection.
 * - The wait after a 429 or 503 gets a random addition, which grows with the number of earlier uncounted attempts.
 * @rule when a webhook is sent again: test/webhook-queue/retry-schedule.test.ts
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

/**
 * Returns the seconds before the next attempt. At the end of the schedule, returns undefined, or the last wait again if the attempt used no
 * entry (`free`).
 */
function nextStep(schedule: readonly number[], tries: number, free: boolean): number | undefined {
  return schedule[tries + 1] ?? (free ? schedule.at(-1) : undefined);
}

/**
 * Adds jitter, so that deliveries that failed together are not retried together. Jitter never makes Retry-After shorter. After the second
 * refusal (429 or 503) and each later one, adds a further random time. This time is at most the wait multiplied by the number of earlier
 * refusals, and at most a minute. Without this time, a receiver that refuses every second request could refuse all attempts of one
 * delivery, if one new delivery arrives during each wait.
 */
function waitFor(step: number, retryAfter: number, earlierRefusals: number, draw: number): number {
  // Applies the limit before the multiplication: a Retry-After may be Infinity, and Infinity times 0 refusals is NaN.
  const longest = Math.min(Math.max(step, retryAfter), THROTTLED_SPREAD_MAX_SECONDS);
  const spread = Math.min(earlierRefusals * longest, THROTTLED_SPREAD_MAX_SECONDS);
  const scheduled = step * (1 - JITTER + 2 * JITTER * draw);
  const requested = Math.min(retryAfter * (1 + JITTER * draw), RETRY_AFTER_MAX_SECONDS);
  return Math.max(scheduled, requested) + spread * draw;
}
