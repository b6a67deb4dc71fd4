import { type MissingAnswer, missingAnswers } from '../questions/answers';
import type { BookingLead } from './booking-lead';

/** The fields of a booking that decide which answers are missing. */
export type MissingOfSale = Pick<BookingLead, 'asked' | 'party' | 'categories' | 'anonymizedAt'>;

/** Returns the required answers that a booking lacks. An anonymized booking is asked nothing any more. */
export function missingOfBooking({ asked, anonymizedAt, ...party }: MissingOfSale): MissingAnswer[] {
  return anonymizedAt === null ? missingAnswers(asked, party) : [];
}
