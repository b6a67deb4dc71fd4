import type { Db } from '../../platform/database/database';
import { holdsOfOctoContact, pageOfHolds } from '../holds/find-hold';
import { peopleOfHold, type SeatHold } from '../holds/seat-hold';
import { nationalDigits } from '../customers/phone';
import type { TenantScope } from '../tenants/tenant';
import { type BookingLead, peopleOf } from './booking-lead';
import { bookingsOfHolds, walkBookings } from './find-booking';
import { type Contact, contactsOf, hasContact, type PartialCustomer } from '../customers/customer';

/** A booking, or a hold without a booking, whose customer is not erased. */
export interface PersonRow {
  kind: 'booking' | 'hold';
  /** The reference of the booking, or the id of the hold. */
  name: string;
  sale: BookingLead | SeatHold;
  /** Its customer, travellers and contacts; for a booking found by its hold, those of the hold too. */
  people: PartialCustomer[];
}

/** The bookings, and the holds without a booking, that have a person's phone or e-mail. */
export interface RowsOfPerson {
  bookings: string[];
  holds: string[];
}

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
  const found: PersonRow[] = [];
  for (const contact of contactsOf(customer)) found.push(...(await findRowsOfContact(db, tenantId, contact)));
  const others = eachOnce(found).filter(({ name }) => name !== own);
  const namesOf = (kind: PersonRow['kind']) =>
    others.filter((row) => row.kind === kind).map(({ name }) => name);
  return { bookings: namesOf('booking'), holds: namesOf('hold') };
}

/** Finds the rows one of whose people has the e-mail, in any case, or the phone, in any spelling. Newest first, bookings before holds. */
export async function findRowsOfContact(db: Db, scope: TenantScope, contact: Contact): Promise<PersonRow[]> {
  const text = 'email' in contact ? contact.email : contact.phone;
  const digits = 'email' in contact ? undefined : nationalDigits(text);
  const ofUnits = await holdsOfOctoContact(db, scope, digits ?? text.toLowerCase());
  const rows = [...(await findRowsByText(db, scope, text)), ...(await toRows(db, ofUnits))];
  return eachOnce(rows).filter(({ people }) => people.some((person) => hasContact(person, contact)));
}

const PAGE_SIZE = 500;

/**
 * Finds the rows by a name, a phone, an e-mail or a reference (customers/search-people.ts).
 * @param most ends the search after this number of rows or a few more
 */
export async function findRowsByText(
  db: Db,
  scope: TenantScope,
  search: string,
  most = Infinity,
): Promise<PersonRow[]> {
  const rows: PersonRow[] = [];
  for await (const lead of walkBookings(db, scope, { search })) {
    if (lead.anonymizedAt === null) rows.push(rowOfBooking(lead));
    if (rows.length > most) return rows;
  }
  let after: string | undefined;
  do {
    const { items, lastId } = await pageOfHolds(db, scope, { search, after, limit: PAGE_SIZE });
    rows.push(...(await toRows(db, items)));
    after = lastId ?? undefined;
  } while (after !== undefined && rows.length <= most);
  return eachOnce(rows);
}

/** Returns the rows of holds. A hold that became a booking is erased with it, so its row is that of the booking. */
async function toRows(db: Db, holds: SeatHold[]): Promise<PersonRow[]> {
  const kept = holds.filter(({ anonymizedAt }) => anonymizedAt === null);
  const leads = await bookingsOfHolds(
    db,
    kept.map(({ id }) => id),
  );
  return kept.flatMap((hold): PersonRow[] => {
    const lead = leads.find(({ holdId }) => holdId === hold.id);
    if (!lead) return [{ kind: 'hold', name: hold.id, sale: hold, people: peopleOfHold(hold) }];
    const row = rowOfBooking(lead);
    return lead.anonymizedAt === null ? [{ ...row, people: [...row.people, ...peopleOfHold(hold)] }] : [];
  });
}

function rowOfBooking(lead: BookingLead): PersonRow {
  return { kind: 'booking', name: lead.bookingRef, sale: lead, people: peopleOf(lead) };
}

/** Returns each row once. A booking that was found by its hold too keeps the people of both. */
export function eachOnce(rows: PersonRow[]): PersonRow[] {
  const byName = new Map<string, PersonRow>();
  for (const row of rows) {
    const known = byName.get(row.name);
    byName.set(row.name, known ? { ...known, people: [...known.people, ...row.people] } : row);
  }
  return [...byName.values()];
}
