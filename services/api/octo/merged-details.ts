import type { OctoContact } from '../holds/octo-booking';
import type { Tenant } from '../tenants/tenant';
import { customerOf, type SentDetails, withUuids } from './booking.request';
import type { StoredOctoBooking } from './stored-octo-booking';
import type { PartialCustomer } from '../customers/customer';

/**
 * Returns the contact, the unit items and the customer after a change. Undefined: the change leaves out the contact, or the unit items.
 */
export function mergedWith(
  { contact, unitItems }: SentDetails,
  { octo, hold, lead }: StoredOctoBooking,
  tenant: Tenant,
) {
  const merged = contact && { ...withoutOldName(octo.contact, contact), ...contact };
  return {
    contact: merged,
    unitItems: unitItems && withUuids(unitItems, octo.unitItems),
    customer: merged && withNamed(contact, customerOf(merged, tenant), (lead ?? hold).customer),
  };
}

/** Returns the customer's fields that the sent contact names, and the present ones for the others: REST may have changed them. */
function withNamed(
  sent: OctoContact,
  { name, phone, phoneAsSent, email }: PartialCustomer,
  now: PartialCustomer,
): PartialCustomer {
  const { fullName, firstName, lastName, phoneNumber, emailAddress } = sent;
  const namesPerson = [fullName, firstName, lastName].some((part) => part !== undefined);
  return {
    name: namesPerson ? name : now.name,
    phone: phoneNumber === undefined ? now.phone : phone,
    phoneAsSent: phoneNumber === undefined ? now.phoneAsSent : phoneAsSent,
    email: emailAddress === undefined ? now.email : email,
  };
}

/**
 * Returns the stored contact without the names that the sent contact replaces. A full name replaces the first and last name. A first or
 * last name replaces the full name.
 */
function withoutOldName(old: OctoContact, sent: OctoContact): OctoContact {
  const { fullName: _, ...parts } = old;
  const { firstName: _first, lastName: _last, ...rest } = parts;
  if (sent.fullName !== undefined) return rest;
  return sent.firstName !== undefined || sent.lastName !== undefined ? parts : old;
}
