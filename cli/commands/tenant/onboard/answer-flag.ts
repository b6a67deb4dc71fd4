import { AppError } from '../../../../services/platform/errors';
import type { Context } from '../../../engine/context';
import { UsageError } from '../../../engine/failure';
import { askText, type Objection } from '../../../terminal/prompts';
import { onboardFlag } from './onboard-flags';
import { type OnboardOptions, toPlan } from './onboard-plan';
import { provisionTenant, rehearse } from './provision-tenant';

/** Holds the answers known so far from flags and questions. */
export interface Dialogue {
  context: Context;
  answers: OnboardOptions;
}

/** Skips an optional question. */
export const NONE = 'none';

interface Question<V> {
  message: string;
  /** Default answer for Enter; `none` makes the question optional. */
  otherwise?: string;
  /** Replaces the flag's own parser. */
  read?: (text: string) => V;
  /** False: the answer is not checked against the database until later answers are known. */
  rehearsed?: boolean;
}

/** Asks for the value of a flag that is not given. */
export async function answerFlag<K extends keyof OnboardOptions>(
  { context, answers }: Dialogue,
  key: K,
  { message, otherwise, read = parserOf(key), rehearsed = true }: Question<OnboardOptions[K]>,
): Promise<void> {
  if (answers[key] !== undefined) return;
  const declines = (text: string) => otherwise === NONE && text.trim() === NONE;
  const objection = objecting(async (text) => {
    const given = declines(text) ? answers : { ...answers, [key]: read(text) };
    if (rehearsed) await rehearsePlan(context, given);
  });
  const text = await askText(context.io, message, objection, otherwise);
  if (!declines(text)) answers[key] = read(text);
}

/** Creates everything of the answers so far and rolls it back. */
export function rehearsePlan(context: Context, answers: OnboardOptions) {
  const plan = toPlan(answers);
  return rehearse(context.db, (trx) => provisionTenant(context, trx, plan));
}

/** Turns errors of parsers and use cases into objections. */
function objecting(check: (text: string) => Promise<void>): Objection {
  return async (text) => {
    try {
      await check(text);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError || error instanceof AppError) return error.message;
      throw error;
    }
  };
}

/** Returns the parser of the flag of an answer: --booking-prefix for `bookingPrefix`. Its errors call the value "It". */
function parserOf<K extends keyof OnboardOptions>(key: K): (text: string) => OnboardOptions[K] {
  const flag = onboardFlag(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  return (text) => (flag.parse ? flag.parse(text.trim(), 'It') : text.trim()) as OnboardOptions[K];
}
