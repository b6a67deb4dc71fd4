import { randomUUID } from 'node:crypto';
import { InvalidInputError } from '../../platform/errors';
import { isUuid } from '../../platform/text-forms';
import type { Tour } from '../catalog/tour';
import { customerOfContact, type OctoContact, type StoredUnitItem } from '../holds/octo-booking';
import type { PartialCustomer } from '../holds/seat-hold';
import { emailInput, proseInput, readAll, textInput } from '../http/input';
import { type Party, seatsOf } from '../pricing/party';
import { PHONE_MAX, phoneInput, readPhone } from '../tenants/phone';
import type { Tenant } from '../tenants/tenant';
import type {
  OctoChangeBody,
  OctoConfirmationBody,
  OctoContactBody,
  OctoReservationBody,
  OctoUnitItemBody,
} from './booking.dto';
import { invalidId, unprocessable } from './octo.errors';
import { maxUnits, unitsOf } from './product';

/** A unit item as sent; a missing UUID is chosen later. */
export type SentUnitItem = Omit<StoredUnitItem, 'uuid' | 'unitId'> & { uuid: string | null; unitId: string };

/** The texts of a request; an undefined field was left out. */
export interface SentDetails {
  contact: OctoContact | undefined;
  unitItems: SentUnitItem[] | undefined;
  /** Null clears it. */
  notes: string | null | undefined;
  /** Null clears it. */
  resellerReference: string | null | undefined;
}

/**
 * Reads the texts of a body, also before its validation.
 * @throws BadInputError with all issues of the body (400)
 */
export function detailsOf(body: OctoReservationBody | OctoChangeBody | OctoConfirmationBody): SentDetails {
  const { contact, unitItems, notes, resellerReference } = body;
  return readAll({
    contact: () => (contact == null ? undefined : contactInput('contact', contact)),
    unitItems: () => (unitItems == null ? undefined : listInput('unitItems', unitItems).map(unitItemInput)),
    notes: () => clearable(notes as string | null | undefined, (text) => proseInput('notes', text, 2000)),
    resellerReference: () =>
      clearable(resellerReference, (text) => textInput('resellerReference', text, 128)),
  });
}

/**
 * Returns the details in a form in which another spelling of the same details is equal: with phone numbers by the country, and a unit
 * without the fields of its contact that are null.
 */
export function comparableDetails({ contact, unitItems, ...texts }: SentDetails, phoneCountry: string) {
  return {
    ...texts,
    contact: contact && withPhoneBy(phoneCountry, contact),
    unitItems: unitItems?.map((item) => ({
      ...item,
      contact: withoutNull(withPhoneBy(phoneCountry, item.contact)),
    })),
  };
}

function withPhoneBy(country: string, contact: OctoContact): OctoContact {
  const { phoneNumber } = contact;
  return phoneNumber ? { ...contact, phoneNumber: readPhone(phoneNumber, country) ?? phoneNumber } : contact;
}

/** Returns the fields of a new contact that are known. */
export function withoutNull(contact: OctoContact): OctoContact {
  return Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== null));
}

/** Reads the reason of a cancellation. @throws InvalidInputError (400) */
export function reasonOf(body: { reason?: string | null } | undefined): string | null {
  return clearable(body?.reason, (text) => proseInput('reason', text, 500)) ?? null;
}

/** Reads the UUID of a reservation in lower case. @throws InvalidInputError (400) */
export function uuidInput(field: string, uuid: string | null | undefined): string | null {
  if (uuid == null) return null;
  if (typeof uuid !== 'string' || !isUuid(uuid)) throw new InvalidInputError('body', field, 'must be a UUID');
  return uuid.toLowerCase();
}

/** Some clients send an empty text for a missing one. */
function clearable<T>(value: string | null | undefined, read: (text: string) => T): T | null | undefined {
  return value === null || value === '' ? null : value === undefined ? undefined : read(value);
}

/** @throws InvalidInputError (400) */
function listInput<T>(field: string, value: T[]): T[] {
  if (!Array.isArray(value)) throw new InvalidInputError('body', field, 'must be a list');
  return value;
}

/** @throws InvalidInputError (400) */
function objectInput<T extends object>(field: string, value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInputError('body', field, 'must be an object');
  return value;
}

/** @throws BadInputError, InvalidInputError (400) */
function contactInput(field: string, sent: OctoContactBody): OctoContact {
  const contact = objectInput(field, sent);
  const line = (name: keyof OctoContactBody & string, max: number) => () =>
    clearable(contact[name] as string | null | undefined, (text) => textInput(`${field}.${name}`, text, max));
  const read = readAll<OctoContact>({
    fullName: line('fullName', 200),
    firstName: line('firstName', 200),
    lastName: line('lastName', 200),
    emailAddress: () => clearable(contact.emailAddress, (text) => emailInput(`${field}.emailAddress`, text)),
    phoneNumber: line('phoneNumber', PHONE_MAX),
    locales: () =>
      contact.locales == null
        ? undefined
        : listInput(`${field}.locales`, contact.locales).map((locale) =>
            textInput(`${field}.locales`, locale, 35),
          ),
    postalCode: line('postalCode', 32),
    country: line('country', 64),
    notes: () => clearable(contact.notes, (text) => proseInput(`${field}.notes`, text, 2000)),
  });
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function unitItemInput(item: OctoUnitItemBody, index: number): SentUnitItem {
  const field = `unitItems[${index}]`;
  const { uuid, unitId, resellerReference, contact } = objectInput(field, item);
  return readAll({
    uuid: () => uuidInput(`${field}.uuid`, uuid),
    unitId: () => unitId,
    resellerReference: () =>
      clearable(resellerReference, (text) => textInput(`${field}.resellerReference`, text, 128)) ?? null,
    contact: () => (contact == null ? {} : contactInput(`${field}.contact`, contact)),
  });
}

/**
 * Returns the party of the unit items.
 * @throws OctoRefusalError UNPROCESSABLE_ENTITY for none or for more than the product allows, INVALID_UNIT_ID;
 *   InvalidInputError for one UUID twice (400)
 */
export function partyOfItems(tour: Tour, items: SentUnitItem[] | undefined): Party {
  if (!items?.length) throw unprocessable('unitItems must have at least one unit.');
  const party = { adult: 0, child: 0, single_supplement: 0 };
  for (const { unitId } of items) {
    const unit = unitsOf(tour).find((known) => known === unitId);
    if (!unit) throw invalidId('unitId', unitId);
    party[unit] += 1;
  }
  assertUnits(tour, party);
  const uuids = items.flatMap(({ uuid }) => uuid ?? []);
  if (new Set(uuids).size < uuids.length)
    throw new InvalidInputError('body', 'unitItems', 'must not have a uuid twice');
  return party;
}

/** @throws OctoRefusalError UNPROCESSABLE_ENTITY for more units than the product allows */
export function assertUnits(tour: Tour, party: Party): void {
  if (seatsOf(party) > maxUnits(tour))
    throw unprocessable(`unitItems must have at most ${maxUnits(tour)} units.`);
}

/**
 * Returns the unit items with their UUIDs: a unit without one keeps the UUID of an earlier unit of its kind.
 * @param earlier the unit items before the change
 */
export function withUuids(items: SentUnitItem[], earlier: StoredUnitItem[] = []): StoredUnitItem[] {
  const named = new Set(items.map(({ uuid }) => uuid));
  const free = earlier.filter(({ uuid }) => !named.has(uuid));
  return items.map((item) => {
    const index = item.uuid === null ? free.findIndex(({ unitId }) => unitId === item.unitId) : -1;
    const [kept] = index < 0 ? [] : free.splice(index, 1);
    return { ...item, uuid: item.uuid ?? kept?.uuid ?? randomUUID() } as StoredUnitItem;
  });
}

/**
 * Returns the customer of a contact, with the phone number in the form of REST.
 * @throws InvalidInputError for a phone number of fewer than 6 digits (400)
 */
export function customerOf(contact: OctoContact, { country }: Tenant): PartialCustomer {
  const customer = customerOfContact(contact);
  const { phone } = customer;
  const name = customer.name === null ? null : [...customer.name].slice(0, 200).join('');
  return {
    ...customer,
    name,
    phone: phone === null ? null : phoneInput('contact.phoneNumber', phone, country),
  };
}

/** Returns the minutes of a hold: the tenant's default, or those of the request up to the tenant's most. */
export function holdMinutesOf(
  { expirationMinutes }: { expirationMinutes?: number | null },
  { holdDefaultMinutes, holdMaxMinutes }: Tenant,
): number {
  return Math.min(expirationMinutes ?? holdDefaultMinutes, holdMaxMinutes);
}
