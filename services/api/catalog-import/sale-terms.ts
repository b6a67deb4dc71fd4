import { z } from 'zod';
import { TIERS_MAX, tierIssue } from '../catalog/cancellation-policy';
import { CUTOFF_RULE, readCutoff } from '../catalog/cutoff';
import { expecting, integerField, listField, objectField } from './field-checks';

// Checks when a departure closes, and what a cancellation refunds.

/** Reads a number 0 as the text `0`. */
export const CUTOFF = z
  .custom<string | 0>(
    (value) => value === 0 || (typeof value === 'string' && readCutoff(value) !== undefined),
    expecting(CUTOFF_RULE),
  )
  .transform((value) => readCutoff(String(value))!);

/** A cancellation policy. Tiers that are valid one by one must also fall. */
export const CANCELLATION = objectField({
  tiers: listField(
    objectField({ until: CUTOFF, refund_percent: integerField(0, 100) }),
    TIERS_MAX,
  ).superRefine((tiers, context) => {
    const issue = tierIssue(tiers);
    if (issue) context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  }),
});

/** Returns what is wrong with `closes_before` beside `closes_at`; undefined: nothing. Null clears a field, so it goes with the other one. */
export function closingIssue(departure: {
  closes_at?: string | null;
  closes_before?: string | null;
}): string | undefined {
  return departure.closes_at && departure.closes_before
    ? 'must not be given together with closes_at: one of them alone decides'
    : undefined;
}
