import { getBooking } from '../../../services/api/bookings/find-booking';
import { ANY_TENANT } from '../../../services/api/tenants/tenant';
import type { AuditedContext } from '../../engine/context';
import { eraseAndAnswer, type ErasureOptions } from './erasure';

export async function anonymizeBookingCommand(
  context: AuditedContext,
  options: ErasureOptions,
  ref: string,
): Promise<void> {
  const read = () => getBooking(context.db, ANY_TENANT, ref);
  await eraseAndAnswer(context, { kind: 'booking', name: ref, title: ref, read }, options);
}
