import { randomUUID } from 'node:crypto';
import { InvalidInputError } from '../../platform/errors';
import { type Form, matching } from '../../platform/forms/form';
import { LANGUAGE_TAG_MAX, NAME_MAX, PHONE_MAX } from '../../platform/forms/lengths';
import { isUuid, withoutDirection } from '../../platform/forms/text-forms';
import {
  contactForm,
  emailForm,
  type EmailReading,
  lineForm,
  notesForm,
  personNameForm,
  reasonForm,
  referenceForm,
} from '../../platform/forms/texts';
import { customerOfContact, type OctoContact, type StoredUnitItem } from '../holds/octo-booking';
import { bodyInput, clearableInput, readAll } from '../http/input';
import type { RequestReading } from '../idempotency/fingerprint';
import type { Party } from '../parties/party-rules';
import { keptPhoneForm, type PhoneReading, readPhoneBy } from '../customers/phone';
import type { Tenant } from '../tenants/tenant';
import { countUnits } from './find-product';
import { unprocessable } from './octo.errors';
import type { PartialCustomer } from '../customers/customer';
import { type OctoPickupBody, type SentPickup, sentPickup } from './pickup.request';

/**
 * The person who travels or books. All fields are optional, are kept as sent, and are personal data.
 * @example {"fullName": "Ana Lima", "emailAddress": "ana@example.com", "phoneNumber": "+4930901820", "locales": ["de"], "country": "DE"}
 */
export interface OctoContactBody {
  /** At most 200 characters. */
  fullName?: string | null;
  /** At most 200 characters. */
  firstName?: string | null;
  /** At most 200 characters. */
  lastName?: string | null;
  emailAddress?: string | null;
  phoneNumber?: string | null;
  /**
   * Languages in order of preference.
   * @maxItems 50
   */
  locales?: string[] | null;
  postalCode?: string | null;
  /** ISO 3166. */
  country?: string | null;
  /** At most 2,000 characters. */
  notes?: string | null;
  [field: string]: unknown;
}

/** @example {"unitId": "adult", "resellerReference": "T-1"} */
export interface OctoUnitItemBody {
  /** UUID that the caller chooses. */
  uuid?: string | null;
  /** The id of a unit of the product. */
  unitId: string;
  resellerReference?: string | null;
  contact?: OctoContactBody | null;
  [field: string]: unknown;
}

/**
 * @example {"uuid": "0d3c1b52-6f0a-4a3e-9d4e-0f1f3f6f7a11", "productId": "6b1f9b6e-2f2c-4c1e-9a35-7d0c5a1f4e21", "optionId": "DEFAULT", "availabilityId": "c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11", "expirationMinutes": 30, "unitItems": [{"unitId": "adult"}, {"unitId": "adult"}]}
 */
export interface OctoReservationBody extends OctoPickupBody {
  /** UUID that the caller chooses. A repeat with the same body gets the booking as it is now. */
  uuid?: string | null;
  /** UUID of the tour. */
  productId: string;
  /** Always `DEFAULT`. */
  optionId: string;
  /** UUID of the departure. */
  availabilityId: string;
  /**
   * Minutes of the hold. A number above the tenant's limit counts as the limit.
   * @isInt
   * @minimum 1
   */
  expirationMinutes?: number | null;
  /** At most 2,000 characters. */
  notes?: string | null;
  /**
   * One for each unit.
   * @maxItems 100
   */
  unitItems?: OctoUnitItemBody[] | null;
  contact?: OctoContactBody | null;
  /** The caller's own reference. */
  resellerReference?: string | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** @example {"expirationMinutes": 30} */
export interface OctoExtensionBody {
  /**
   * Minutes from now; by default the tenant's. A number above the tenant's limit counts as the limit.
   * @isInt
   * @minimum 1
   */
  expirationMinutes?: number | null;
  [field: string]: unknown;
}

/** @example {"contact": {"fullName": "Ana Lima", "emailAddress": "ana@example.com"}, "resellerReference": "R-81"} */
export interface OctoConfirmationBody extends OctoPickupBody {
  /** Fields that are left out stay as they are. */
  contact?: OctoContactBody | null;
  /** The caller's own reference. */
  resellerReference?: string | null;
  /**
   * All units of the booking. A unit with the UUID of an earlier unit replaces that unit.
   * @maxItems 100
   */
  unitItems?: OctoUnitItemBody[] | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** Fields that are left out stay as they are. @example {"unitItems": [{"unitId": "adult"}, {"unitId": "child"}], "notes": "Two bicycles"} */
export interface OctoChangeBody extends OctoPickupBody {
  /** UUID of another tour; only before the confirmation, and with `availabilityId`. */
  productId?: string | null;
  /** Always `DEFAULT`. */
  optionId?: string | null;
  /** UUID of another departure. */
  availabilityId?: string | null;
  /**
   * Minutes from now; only before the confirmation. A number above the tenant's limit counts as the limit.
   * @isInt
   * @minimum 1
   */
  expirationMinutes?: number | null;
  /** At most 2,000 characters; null clears it. */
  notes?: string | null;
  /**
   * All units of the booking. A unit with the UUID of an earlier unit replaces that unit.
   * @maxItems 100
   */
  unitItems?: OctoUnitItemBody[] | null;
  /** Fields that are left out stay as they are. */
  contact?: OctoContactBody | null;
  /** The caller's own reference; null clears it. */
  resellerReference?: string | null;
  /** ISO 4217. The currency in which you sell the tour. */
  currency?: string | null;
  [field: string]: unknown;
}

/** @example {"reason": "The customer is ill."} */
export interface OctoCancellationBody {
  /** At most 500 characters. */
  reason?: string | null;
  [field: string]: unknown;
}

/** A unit item as sent. A null UUID: withUuids chooses one. */
export type SentUnitItem = Omit<StoredUnitItem, 'uuid' | 'unitId'> & { uuid: string | null; unitId: string };

/** The details of a request. An undefined field was left out. */
export interface SentDetails {
  contact: OctoContact | undefined;
  unitItems: SentUnitItem[] | undefined;
  /** Null clears it. */
  notes: string | null | undefined;
  /** Null clears it. */
  resellerReference: string | null | undefined;
  pickup: SentPickup | undefined;
}

type OctoDetailsBody = OctoReservationBody | OctoChangeBody | OctoConfirmationBody;

/**
 * Reads the details of a body, also of one that its schema refuses. Any field may thus have another type.
 * @throws BadInputError with all issues of the body (400)
 */
export function detailsOf(body: OctoDetailsBody): SentDetails {
  return readDetails(body, {});
}

function readDetails(body: OctoDetailsBody, reading: EmailReading): SentDetails {
  const { contact, unitItems, notes, resellerReference } = body;
  const readItem = (item: OctoUnitItemBody, index: number) => unitItemInput(item, index, reading);
  return readAll({
    contact: () => (contact == null ? undefined : octoContactInput('contact', contact, reading)),
    unitItems: () => (unitItems == null ? undefined : listInput('unitItems', unitItems).map(readItem)),
    notes: () => clearable('notes', notes, notesForm),
    resellerReference: () => clearable('resellerReference', resellerReference, referenceForm),
    pickup: () => sentPickup(body),
  });
}

/**
 * Returns the details in a form in which different spellings of the same details are equal: phone numbers have the country's code, and the
 * contact of a unit has no null fields. Releases that stored digests without a form ignored pickups.
 */
export function comparableDetails(body: OctoDetailsBody, reading: RequestReading) {
  const { contact, unitItems, pickup, ...texts } = readDetails(body, reading);
  return {
    ...texts,
    pickup: reading.emailAsSent ? undefined : pickup,
    contact: contact && withPhoneBy(reading, contact),
    unitItems: unitItems?.map((item) => ({
      ...item,
      contact: withoutNull(withPhoneBy(reading, item.contact)),
    })),
  };
}

function withPhoneBy(reading: PhoneReading, contact: OctoContact): OctoContact {
  const { phoneNumber } = contact;
  if (!phoneNumber) return contact;
  const { phone = phoneNumber, phoneAsSent = phone } = readPhoneBy(reading, phoneNumber) ?? {};
  return { ...contact, phoneNumber: phoneAsSent };
}

export function withoutNull<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>;
}

/** Reads the reason of a cancellation. @throws InvalidInputError (400) */
export function reasonOf(body: { reason?: string | null } | undefined): string | null {
  return clearable('reason', body?.reason, reasonForm) ?? null;
}

/** Reads the UUID of a reservation in lower case. @throws InvalidInputError (400) */
export function uuidInput(field: string, uuid: string | null | undefined): string | null {
  return uuid == null ? null : bodyInput(field, uuid, UUID).toLowerCase();
}

const UUID = matching(isUuid, 'must be a UUID');

/** Reads a text. Returns null for an empty one too, because some clients send it instead of null. */
function clearable<T>(field: string, value: unknown, form: Form<T>): T | null | undefined {
  return clearableInput(field, value === '' ? null : value, form);
}

function listInput<T>(field: string, value: T[]): T[] {
  if (!Array.isArray(value)) throw new InvalidInputError('body', field, 'must be a list');
  return value;
}

function objectInput<T extends object>(field: string, value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInputError('body', field, 'must be an object');
  return value;
}

function octoContactInput(field: string, sent: OctoContactBody, reading: EmailReading): OctoContact {
  const fields = objectInput(field, sent);
  const text = (name: TextOfContact, form: Form<string>) => () =>
    clearable(`${field}.${name}`, fields[name], form);
  const read = readAll<OctoContact>({
    fullName: text('fullName', personNameForm),
    firstName: text('firstName', personNameForm),
    lastName: text('lastName', personNameForm),
    emailAddress: text('emailAddress', emailForm(reading)),
    phoneNumber: text('phoneNumber', contactForm(PHONE_MAX)),
    locales: () => localesInput(`${field}.locales`, fields.locales),
    postalCode: text('postalCode', lineForm(32)),
    country: text('country', lineForm(64)),
    notes: text('notes', notesForm),
  });
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function localesInput(field: string, locales: string[] | null | undefined): string[] | undefined {
  if (locales == null) return undefined;
  return listInput(field, locales).map((locale) => bodyInput(field, locale, lineForm(LANGUAGE_TAG_MAX)));
}

/** The fields of a contact that are a text each. */
type TextOfContact = Exclude<Extract<keyof OctoContact, string>, 'locales'>;

function unitItemInput(item: OctoUnitItemBody, index: number, reading: EmailReading): SentUnitItem {
  const field = `unitItems[${index}]`;
  const { uuid, unitId, resellerReference, contact } = objectInput(field, item);
  return readAll({
    uuid: () => uuidInput(`${field}.uuid`, uuid),
    unitId: () => unitId,
    resellerReference: () =>
      clearable(`${field}.resellerReference`, resellerReference, referenceForm) ?? null,
    contact: () => (contact == null ? {} : octoContactInput(`${field}.contact`, contact, reading)),
  });
}

/**
 * Returns the units of the unit items. Checks only rules that are the same for all products: requireUnits and assertMaxUnits check those of
 * one product.
 * @throws OctoRefusalError UNPROCESSABLE_ENTITY for no unit items; InvalidInputError for two unit items with the same UUID (400)
 */
export function unitsOfItems(items: SentUnitItem[] | undefined): Party {
  if (!items?.length) throw unprocessable('unitItems must have at least one unit.');
  const uuids = items.flatMap(({ uuid }) => uuid ?? []);
  if (new Set(uuids).size < uuids.length)
    throw new InvalidInputError('body', 'unitItems', 'must not have a uuid twice');
  return countUnits(items.map(({ unitId }) => ({ id: unitId, quantity: 1 })));
}

/**
 * Returns the unit items with a UUID each. An item without one keeps the UUID of an earlier item of the same unit, or gets a new one.
 * @param earlier the unit items before the change
 */
export function withUuids(items: SentUnitItem[], earlier: StoredUnitItem[] = []): StoredUnitItem[] {
  const named = new Set(items.map(({ uuid }) => uuid));
  const free = earlier.filter(({ uuid }) => !named.has(uuid));
  return items.map((item) => {
    const index = item.uuid === null ? free.findIndex(({ unitId }) => unitId === item.unitId) : -1;
    const [kept] = index < 0 ? [] : free.splice(index, 1);
    return { ...item, uuid: item.uuid ?? kept?.uuid ?? randomUUID() };
  });
}

/**
 * Returns the customer of a contact, with the phone number in the form of REST.
 * @throws InvalidInputError for a phone number of fewer than 6 digits (400)
 */
export function customerOf(contact: OctoContact, reading: PhoneReading): PartialCustomer {
  const customer = customerOfContact(contact);
  const { phone } = customer;
  const name = customer.name && shortened(customer.name);
  const read = phone === null ? undefined : bodyInput('contact.phoneNumber', phone, keptPhoneForm(reading));
  return { name, phone: read?.phone ?? null, phoneAsSent: read?.phoneAsSent ?? null, email: customer.email };
}

/** Returns the first characters of a name, NAME_MAX at most: a first and a last name may have more. Removes marks of direction, which may lose their end. */
function shortened(name: string): string {
  const characters = [...name];
  return characters.length > NAME_MAX ? [...withoutDirection(name)].slice(0, NAME_MAX).join('') : name;
}

/**
 * Returns the minutes of a hold. Uses the minutes of the request, by default those of the tenant. Returns no more than the tenant's
 * maximum.
 */
export function holdMinutesOf(
  { expirationMinutes }: { expirationMinutes?: number | null },
  { holdDefaultMinutes, holdMaxMinutes }: Tenant,
): number {
  return Math.min(expirationMinutes ?? holdDefaultMinutes, holdMaxMinutes);
}
