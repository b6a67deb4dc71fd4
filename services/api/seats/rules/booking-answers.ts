import type { BookingLead } from '../../bookings/booking-lead';
import { AnswersMissingError } from '../../bookings/booking.errors';
import { pickupInLanguage, type TourAsks } from '../../catalog/tour-asks';
import { questionsInLanguage } from '../../catalog/tour-text';
import { pickupAfterChange, pickupAt, pickupOfNew, type PickupStart } from '../../pickups/pickup';
import type { SeatHold } from '../../holds/seat-hold';
import type { Category } from '../../parties/category';
import type { Party } from '../../parties/party-rules';
import { type MissingOfSale, missingOfBooking } from '../../bookings/missing-answers';
import type { BookingAnswers } from '../../questions/answers';
import {
  answersAfterChange,
  answersOfNew,
  type GivenAnswers,
  checkTogether,
} from '../../questions/given-answers';
import type { StoredColumns } from '../../../platform/database/row-description';

type Source = BookingLead['source'];

/** The answers of a new booking. */
interface AnsweredSale {
  party: Party;
  source: Source;
  answers?: GivenAnswers;
  /** True: the same transaction confirms the booking. */
  isConfirmed: boolean;
  despiteMissingAnswers?: boolean;
}

/** The hold of a booking. */
type HoldOfSale = Pick<SeatHold, 'octo'> | null;

/**
 * Returns what a new booking locks of what its tour asks. It takes over the pickup of its reservation, unless it names one. A booking that is confirmed at once must have its answers, as at a confirmation.
 * @throws InvalidAnswersError (400), AnswersMissingError (409)
 */
export function answersToLock(
  sale: AnsweredSale,
  asks: TourAsks,
  categories: readonly Category[],
  held: HoldOfSale,
): BookingAnswers | null {
  const asked = answersOfSale(asks, { ...sale, answers: withReserved(sale.answers, held) }, categories);
  if (sale.isConfirmed && !sale.despiteMissingAnswers)
    assertNothingMissing({ ...sale, asked, categories, anonymizedAt: null });
  return asked;
}

/** Returns the answers with the pickup of the reservation, unless they name one. */
function withReserved(answers: GivenAnswers | undefined, held: HoldOfSale): GivenAnswers | undefined {
  const kept = held?.octo?.pickup?.chosen;
  return kept && answers?.pickup === undefined ? { ...answers, pickup: { kept } } : answers;
}

/**
 * Returns the questions that a new booking locks, in the language that its request asks for, with its answers. Null: its tour asks nothing.
 * @throws InvalidAnswersError (400), also for answers of a tour that asks nothing
 */
function answersOfSale(
  asks: TourAsks,
  { party, source, answers: given = {} }: AnsweredSale,
  categories: readonly Category[],
): BookingAnswers | null {
  const { lang = null } = given;
  const questions = asks ? questionsInLanguage(asks, lang) : [];
  const { answers, pickup } = checkTogether({
    answers: () => answersOfNew(questions, given, { party, categories }, isBound(source)),
    pickup: () => pickupOfNew(pickupInLanguage(asks, lang), given.pickup, isBound(source)),
  });
  return asks && { questions, answers, pickup, timeZone: asks.timeZone };
}

/** Returns whether a booking of this source must have its required answers. OCTO and imports know no questions. */
function isBound(source: Source): boolean {
  return source !== 'octo' && source !== 'import';
}

/** Checks that a booking may be confirmed. @throws AnswersMissingError (409) */
export function assertNothingMissing(sale: MissingOfSale & { source: Source }): void {
  const missing = isBound(sale.source) ? missingOfBooking(sale) : [];
  if (missing.length > 0) throw new AnswersMissingError(missing);
}

/** A booking after a change. */
interface AnsweredChange {
  party: Party;
  categories: readonly Category[];
  /** The questions and the pickup of its tour now. */
  asks: TourAsks;
  start: PickupStart;
}

/**
 * Returns the questions and answers of a booking after a change.
 * @param after its party after the change
 * @throws InvalidAnswersError (400)
 */
export function answersOfChange(
  { asked, source }: BookingLead,
  given: GivenAnswers = {},
  after: AnsweredChange,
): BookingAnswers | null {
  const { pickupTime } = given;
  const offered = pickupInLanguage(after.asks, given.lang ?? null);
  const { answers, pickup } = checkTogether({
    answers: () => answersAfterChange(asked?.questions ?? [], asked?.answers ?? [], given, after),
    pickup: () => {
      const named = pickupAfterChange(asked?.pickup ?? null, offered, given.pickup, isBound(source));
      return pickupTime === undefined ? named : pickupAt(named, pickupTime, after.start);
    },
  });
  return asked && { ...asked, answers, pickup };
}

/** Returns the row of booking_answers of a new booking. Undefined: its tour asks nothing. */
export function columnsOfAnswers(lead: BookingLead): StoredColumns | undefined {
  return lead.asked
    ? { lead_id: lead.id, questions: lead.asked.questions, ...answerColumns(lead) }
    : undefined;
}

/** Returns the columns of booking_answers that a change writes. Undefined: none. */
export function changedAnswers(before: BookingLead, after: BookingLead): StoredColumns | undefined {
  if (!after.asked) return undefined;
  const [old, now] = [answerColumns(before), answerColumns(after)];
  return JSON.stringify(old) === JSON.stringify(now) ? undefined : now;
}

function answerColumns(lead: BookingLead): StoredColumns {
  const { answers = [], pickup = null } = lead.asked ?? {};
  return { answers, pickup, missing: missingOfBooking(lead).length };
}
