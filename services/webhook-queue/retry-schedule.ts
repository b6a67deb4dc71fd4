import type { AttemptReport, NextStep } from './delivery';

const JITTER = 0.2;
const RETRY_AFTER_MAX_SECONDS = 24 * 3600;
const THROTTLED = [429, 503];
const SPARED_FREE = 3;

/** The receiver is there, but not now. */
export function asksForPatience(statusCode: number | null): boolean {
  return statusCode !== null && THROTTLED.includes(statusCode);
}

/** It was nobody's fault that this try came to nothing: the receiver paces itself, or had just closed a kept connection. */
export function sparesTry({ outcome, statusCode }: Pick<AttemptReport, 'outcome' | 'statusCode'>): boolean {
  return outcome === 'hung_up' || asksForPatience(statusCode);
}

/** What a delivery has behind it before this try. */
export interface Spent {
  /** Tries that count against the schedule. */
  tries: number;
  /** Tries that were nobody's fault; the first three did not count. */
  spared: number;
}

/**
 * What follows a try. `schedule` has one entry a try, the seconds to wait before it; the first try is made at once,
 * whatever its entry says. A receiver's Retry-After makes the wait longer, never shorter; the first three answers 429 or 503,
 * or kept connections that had closed, do not spend a try.
 */
export function decideNext(
  report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'retryAfterSeconds'>,
  before: Spent,
  schedule: readonly number[],
  random: () => number = Math.random,
): NextStep {
  const again: NextStep = { status: 'retrying', waitSeconds: 0, tries: before.tries };
  // Cut off by our own shutdown: it is not counted and goes out again at once.
  if (report.outcome === 'interrupted') return again;
  const free = sparesTry(report) && before.spared < SPARED_FREE;
  if (free && report.outcome === 'hung_up') return again;
  const tries = before.tries + (free ? 0 : 1);
  if (report.outcome === 'delivered') return { status: 'delivered', waitSeconds: 0, tries };
  // A last try that was free is made once more, after the longest wait there is.
  const step = schedule[before.tries + 1] ?? (free ? schedule.at(-1) : undefined);
  if (report.outcome === 'gone' || step === undefined) return { status: 'dead', waitSeconds: 0, tries };
  return { status: 'retrying', waitSeconds: waitFor(step, report.retryAfterSeconds ?? 0, random()), tries };
}

/** Spread, so that what failed together does not come back together; over what was asked for only to the later side. */
function waitFor(step: number, asked: number, draw: number): number {
  const patient = Math.min(asked * (1 + JITTER * draw), RETRY_AFTER_MAX_SECONDS);
  return Math.max(step * (1 - JITTER + 2 * JITTER * draw), patient);
}

/** Seconds from a Retry-After header (a number, or an HTTP date in any of its three forms); null if it says nothing usable. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header);
  // An HTTP date begins with its weekday; Date.parse alone would believe far more. One form leaves out that it is GMT.
  const date = header.endsWith('GMT') ? header : `${header} GMT`;
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(date) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
