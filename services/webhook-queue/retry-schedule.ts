import type { AttemptReport, NextStep } from './delivery';

const JITTER = 0.2;
const RETRY_AFTER_MAX_SECONDS = 24 * 3600;

/**
 * What follows a try. `schedule` has one entry a try, the seconds to wait before it; the first try is made at once,
 * whatever its entry says. A receiver's Retry-After makes the wait longer, never shorter.
 */
export function decideNext(
  report: Pick<AttemptReport, 'outcome' | 'retryAfterSeconds'>,
  triesBefore: number,
  schedule: readonly number[],
  random: () => number = Math.random,
): NextStep {
  // Cut off by our own shutdown: nobody's fault, so it is not counted and goes out again at once.
  if (report.outcome === 'interrupted') return { status: 'retrying', waitSeconds: 0, tries: triesBefore };
  const tries = triesBefore + 1;
  if (report.outcome === 'delivered') return { status: 'delivered', waitSeconds: 0, tries };
  const step = schedule[tries];
  if (report.outcome === 'gone' || step === undefined) return { status: 'dead', waitSeconds: 0, tries };
  const jittered = step * (1 - JITTER + 2 * JITTER * random());
  const asked = Math.min(report.retryAfterSeconds ?? 0, RETRY_AFTER_MAX_SECONDS);
  return { status: 'retrying', waitSeconds: Math.max(jittered, asked), tries };
}

/** Seconds from a Retry-After header (a number, or an HTTP date); null if it says nothing usable. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  // An HTTP date begins with its weekday; Date.parse alone would believe far more.
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
