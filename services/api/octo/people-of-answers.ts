import { isDeepStrictEqual } from 'node:util';
import type { OctoContact } from '../holds/octo-booking';
import { NO_CONTACT, type OctoBooking, type OctoContactAnswer } from './booking.dto';

/** The personal data that a request has stored. An undefined field: none. */
export interface SentOctoPeople {
  contact?: OctoContact;
  unitItems?: { contact: OctoContact }[];
  notes?: string | null;
  /** The reason of a cancellation. */
  reason?: string | null;
  pickup?: { hotel?: string | null; room?: string | null };
}

/**
 * Returns a booking without the personal data that the request has not stored, for a key that may not read bookings: another key may have
 * sent them (ADR 62). REST has the same rule in rest/people-of-answers.ts.
 * @rule which people the answer of a write of OCTO shows: test/api/people-of-writes.long.test.ts
 */
export function octoBookingWithoutPeople(booking: OctoBooking, sent: SentOctoPeople = {}): OctoBooking {
  const { cancellation, contact, notes, unitItems } = booking;
  return {
    ...booking,
    cancellation: cancellation && { ...cancellation, reason: ifSent(cancellation.reason, sent.reason) },
    contact: sentContact(contact, sent.contact),
    notes: ifSent(notes, sent.notes),
    unitItems: unitItems.map((item, index) => ({
      ...item,
      contact: sentContact(item.contact, sent.unitItems?.[index]?.contact),
    })),
    ...('pickupHotel' in booking && {
      pickupHotel: ifSent(booking.pickupHotel ?? null, sent.pickup?.hotel),
      pickupHotelRoom: ifSent(booking.pickupHotelRoom ?? null, sent.pickup?.room),
    }),
  };
}

/** Returns the fields of a contact that were sent, and NO_CONTACT for the others. */
function sentContact(contact: OctoContactAnswer, sent: OctoContact = {}): OctoContactAnswer {
  const shown = Object.entries(contact).filter(([field, value]) =>
    isDeepStrictEqual(value, sent[field as keyof OctoContact]),
  );
  return { ...NO_CONTACT, ...Object.fromEntries(shown) };
}

function ifSent(value: string | null, sent: string | null | undefined): string | null {
  return value === sent ? value : null;
}
