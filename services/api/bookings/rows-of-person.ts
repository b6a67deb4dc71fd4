import type { Db } from '../../platform/database/database';
import { listHolds } from '../holds/find-hold';
import { type PartialCustomer, peopleOfHold } from '../holds/seat-hold';
import { peopleOf } from './booking-lead';
import { listBookings } from './find-booking';

/** The bookings, and the holds without a booking, that have a person's phone or e-mail. */
export interface RowsOfPerson {
  bookings: string[];
  holds: string[];
}

const MOST_ROWS = 1000;

/**
 * Finds the other rows of the customer of a booking or hold within the tenant, newest first: those with the same phone or e-mail. A name
 * alone may be another person's.
 * @param own the reference or the id of the booking or hold itself
 */
export async function findRowsOfPerson(
  db: Db,
  tenantId: string,
  customer: PartialCustomer,
  own: string,
): Promise<RowsOfPerson> {
  const bookings: string[] = [];
  const holds: string[] = [];
  const isSame = sameContact(customer);
  for (const search of [customer.phone, customer.email].filter((one) => one !== null)) {
    const found = await listBookings(db, tenantId, { search, limit: MOST_ROWS });
    const held = await listHolds(db, tenantId, { search, limit: MOST_ROWS });
    bookings.push(
      ...found.items.filter((lead) => peopleOf(lead).some(isSame)).map((lead) => lead.bookingRef),
    );
    holds.push(
      ...held
        .filter((hold) => hold.status !== 'converted' && peopleOfHold(hold).some(isSame))
        .map(({ id }) => id),
    );
  }
  const others = (ids: string[]) => [...new Set(ids)].filter((id) => id !== own);
  return { bookings: others(bookings), holds: others(holds) };
}

function sameContact({ phone, email }: PartialCustomer): (other: PartialCustomer) => boolean {
  const folded = email?.toLowerCase();
  return (other) =>
    (phone !== null && other.phone === phone) ||
    (folded !== undefined && other.email?.toLowerCase() === folded);
}
