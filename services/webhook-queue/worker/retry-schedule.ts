import type { AttemptReport, NextStep } from '../deliveries/delivery';
import { asksForPatience } from '../sending/judge-answer';

const JITTER = 0.2;
const RETRY_AFTER_MAX_SECONDS = 24 * 3600;
const SPARED_FREE = 3;

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
 * or kept connections that had closed, do not spend a try. What our own shutdown cut off goes out again at once.
 */
export function decideNext(
  report: Pick<AttemptReport, 'outcome' | 'statusCode' | 'retryAfterSeconds'>,
  before: Spent,
  schedule: readonly number[],
  random: () => number = Math.random,
): NextStep {
  const free = sparesTry(report) && before.spared < SPARED_FREE;
  if (report.outcome === 'interrupted' || (free && report.outcome === 'hung_up'))
    return { status: 'retrying', waitSeconds: 0, tries: before.tries };
  const tries = before.tries + (free ? 0 : 1);
  if (report.outcome === 'delivered') return { status: 'delivered', waitSeconds: 0, tries };
  const step = nextStep(schedule, before.tries, free);
  if (report.outcome === 'gone' || step === undefined) return { status: 'dead', waitSeconds: 0, tries };
  return { status: 'retrying', waitSeconds: waitFor(step, report.retryAfterSeconds ?? 0, random()), tries };
}

/** A last try that was free is made once more, after the longest wait there is. */
function nextStep(schedule: readonly number[], tries: number, free: boolean): number | undefined {
  return schedule[tries + 1] ?? (free ? schedule.at(-1) : undefined);
}

/** Spread, so that what failed together does not come back together; over what was asked for only to the later side. */
function waitFor(step: number, asked: number, draw: number): number {
  const patient = Math.min(asked * (1 + JITTER * draw), RETRY_AFTER_MAX_SECONDS);
  return Math.max(step * (1 - JITTER + 2 * JITTER * draw), patient);
}
