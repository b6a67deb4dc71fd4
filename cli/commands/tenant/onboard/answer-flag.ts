import { AppError } from '../../../../services/platform/errors';
import type { Context } from '../../../context';
import { askText, type Objection } from '../../../prompts';
import { UsageError } from '../../../usage-error';
import type { OnboardOptions } from './onboard-options';
import { toPlan } from './onboard-plan';
import { onboardFlag } from './onboard-flags';
import { provisionTenant, rehearse } from './provision-tenant';

/** Where the person is on the guided path, and what is known so far: from flags, and from answers. */
export interface Walk {
  context: Context;
  answers: OnboardOptions;
}

/** What declines an answer that nobody must give. */
export const NONE = 'none';

interface Question<V> {
  message: string;
  /** What Enter alone answers; `none` makes the answer one that may be left out. */
  otherwise?: string;
  /** Instead of the flag's own parser. */
  read?: (text: string) => V;
  /** The database has a say in it: whatever it would refuse at the end, it refuses now. */
  judged?: boolean;
}

/** Asks for what a flag would have said, unless it did. */
export async function answerFlag<K extends keyof OnboardOptions>(
  { context, answers }: Walk,
  key: K,
  { message, otherwise, read = parserOf(key), judged = false }: Question<OnboardOptions[K]>,
): Promise<void> {
  if (answers[key] !== undefined) return;
  const declines = (text: string) => otherwise === NONE && text.trim() === NONE;
  const objection = objecting(async (text) => {
    const given = declines(text) ? answers : { ...answers, [key]: read(text) };
    if (judged) await rehearsePlan(context, given);
  });
  const text = await askText(context.io, message, objection, otherwise);
  if (!declines(text)) answers[key] = read(text);
}

/** Everything that the answers so far would make, taken back again. */
export function rehearsePlan(context: Context, answers: OnboardOptions) {
  const plan = toPlan(answers);
  return rehearse(context.db, (trx) => provisionTenant(context, trx, plan));
}

/** The refusals of parsers and of use cases as objections. */
function objecting(judge: (text: string) => Promise<void>): Objection {
  return async (text) => {
    try {
      await judge(text);
      return undefined;
    } catch (error) {
      if (error instanceof UsageError || error instanceof AppError) return error.message;
      throw error;
    }
  };
}

/** `bookingPrefix` is --booking-prefix; in an objection it is called "it". */
function parserOf<K extends keyof OnboardOptions>(key: K): (text: string) => OnboardOptions[K] {
  const flag = onboardFlag(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  return (text) => (flag.parse ? flag.parse(text.trim(), 'It') : text.trim()) as OnboardOptions[K];
}
