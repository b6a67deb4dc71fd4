import { getBooking } from '../../../services/api/bookings/find-booking';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toBookingDetailDocument } from './booking-document';

export async function showBookingCommand(
  { db, output }: Context,
  _options: object,
  ref: string,
): Promise<void> {
  const document = toBookingDetailDocument(await getBooking(db, ref));
  output.answer(document, () => properties(document));
}
