import { getBooking } from '../../../services/api/bookings/find-booking';
import { ANY_TENANT } from '../../../services/api/tenants/tenant-scope';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toBookingDetailDocument } from './booking-document';

export async function showBookingCommand(
  { db, output }: Context,
  _options: object,
  ref: string,
): Promise<void> {
  const document = toBookingDetailDocument(await getBooking(db, ANY_TENANT, ref));
  output.answer(document, () => properties(document));
}
