import type { WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import { withGiven } from '../audit/changed-fields';
import type { PartialCustomer } from '../customers/customer';
import type { ReservedPickup } from '../pickups/pickup';

export type OctoBookingStatus = 'CONFIRMED' | 'ON_HOLD' | 'PENDING' | 'EXPIRED' | 'CANCELLED';

/** A contact with OCTO's field names, as the caller sent it. A field that the caller left out is undefined. */
export interface OctoContact {
  fullName?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  emailAddress?: string | null;
  phoneNumber?: string | null;
  locales?: string[];
  postalCode?: string | null;
  country?: string | null;
  notes?: string | null;
}

/** One unit of an OCTO booking. */
export interface StoredUnitItem {
  uuid: string;
  /** The code of its category. */
  unitId: string;
  resellerReference: string | null;
  contact: OctoContact;
}

/** The fields of an OCTO booking that a hold and a lead do not have (0107_leads.sql). */
export interface OctoDetails {
  /** Chosen by the caller, and unique within its tenant. It is not the id of the hold. */
  uuid: string;
  contact: OctoContact;
  unitItems: StoredUnitItem[];
  /** The notes of the hold. A lead stores its notes itself. */
  notes: string | null;
  /** The reason for which the hold was cancelled. A lead stores its reason itself. */
  cancelReason: string | null;
  /** The pickup of the hold. A lead stores its own, and only the words of the reseller stay here. Null: none, or erased. */
  pickup: ReservedPickup | null;
  /** The time of the last change by an OCTO request, RFC 3339. */
  updatedAt: string;
}

export type NewOctoDetails = Omit<OctoDetails, 'cancelReason' | 'updatedAt'> & {
  /** The fingerprint of the request (idempotency/fingerprint.ts). */
  fingerprint: Buffer;
};

/** Returns the SQL expression of the OctoDetails of a hold; null for a hold that REST placed. @param holdId SQL: the id of the hold */
export function octoDetails(holdId: string): string {
  return `(select json_build_object('uuid', o.uuid, 'contact', o.contact, 'unitItems', o.unit_items, 'notes', o.notes, 'pickup', o.pickup,
      'cancelReason', o.cancel_reason, 'updatedAt', o.updated_at)
    from octo_bookings o where o.hold_id = ${holdId})`;
}

/** Changed details. An undefined field stays as it is. */
export type ChangedOctoDetails = Partial<
  Pick<OctoDetails, 'contact' | 'unitItems' | 'notes' | 'cancelReason' | 'pickup'>
>;

/** Returns the details after a change. @param at the time of the change */
export function withChangedDetails(now: OctoDetails, changed: ChangedOctoDetails, at: string): OctoDetails {
  return { ...withGiven<OctoDetails>(now, changed), updatedAt: at };
}

/** Returns the columns of changed details. @param at the time of the change */
export function octoColumns(
  { contact, unitItems, notes, cancelReason, pickup }: ChangedOctoDetails,
  at: string,
) {
  return { contact, unit_items: unitItems, notes, cancel_reason: cancelReason, pickup, updated_at: at };
}

/** Returns the contact as a customer, whose name is the full name, or else the first and last name. */
export function customerOfContact(contact: OctoContact): PartialCustomer {
  const { fullName, firstName, lastName, phoneNumber, emailAddress } = contact;
  const name = fullName ?? ([firstName, lastName].filter(Boolean).join(' ') || null);
  return { name, phone: phoneNumber ?? null, email: emailAddress ?? null };
}

/** One traveller of a unit item, as a lead stores its travellers. */
interface UnitTraveller {
  category: string;
  first_name: string;
  last_name: string;
  birth_date: null;
  note: string | null;
}

/** Returns the person of a unit item. A full name is not split. Undefined: the contact has no name. */
export function travellerOfUnitItem({ unitId, contact }: StoredUnitItem): UnitTraveller | undefined {
  const { fullName, firstName, lastName, notes } = contact;
  const named = firstName || lastName;
  if (!named && !fullName) return undefined;
  return {
    category: unitId,
    first_name: (named ? firstName : fullName) ?? '',
    last_name: (named && lastName) || '',
    birth_date: null,
    note: notes ?? null,
  };
}

/**
 * Returns the contacts of the booking and of its unit items, to find texts that identify them. A contact with a full name is returned a
 * second time, with its first and last name.
 */
export function peopleOfOcto({ contact, unitItems }: OctoDetails): PartialCustomer[] {
  return [contact, ...unitItems.map((item) => item.contact)].flatMap((one) => [
    customerOfContact(one),
    ...(one.fullName ? [customerOfContact({ ...one, fullName: null })] : []),
  ]);
}

/**
 * Returns the unit items without their people.
 * @param identifiesPerson returns whether a text identifies the person. A reference that identifies the person is erased too
 */
export function withoutPeople(
  unitItems: StoredUnitItem[],
  identifiesPerson: (text: string) => boolean,
): StoredUnitItem[] {
  return unitItems.map(({ resellerReference, ...item }) => ({
    ...item,
    resellerReference: resellerReference && identifiesPerson(resellerReference) ? null : resellerReference,
    contact: {},
  }));
}

/**
 * Creates the event of a hold that was released, moved or booked. Only a subscription of OCTO gets it, and only for a hold that OCTO placed.
 * @param bookingRef the booking that consumes the hold. Left out: there is none
 */
export function octoHoldEvent({
  id,
  tenantId,
  bookingRef = null,
}: {
  id: string;
  tenantId: string;
  bookingRef?: string | null;
}): WebhookEvent {
  return { tenantId, type: 'octo.booking_update', bookingRef, body: { hold_id: id } };
}
