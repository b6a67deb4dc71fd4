import { InvalidInputError } from '../../platform/errors';
import {
  assertNotEmpty,
  birthDateInput,
  clearableInput,
  contactInput,
  emailInput,
  givenInput,
  nameInput,
  optionalDate,
  optionalInput,
  proseInput,
  readAll,
  textInput,
} from '../http/input';
import { departureTimeInput, optionalDepartureTime } from '../catalog/start-time';
import {
  comparedParty,
  comparedUnits,
  newPartyInput,
  partyInput,
  withoutEmptyParty,
} from '../parties/requested-party';
import { isCountry } from '../tenants/country';
import type { RequestReading } from '../idempotency/fingerprint';
import { PHONE_MAX, type PhoneInput, phoneInput } from '../tenants/phone';
import type { BookingAmendment } from '../seats/changes/change-booking';
import type { Cancellation } from '../seats/changes/cancel-booking';
import type { BookingRequest } from '../seats/changes/create-booking';
import type { BookingBody, BookingPatch, CancelBody, TravellerBody } from './booking.dto';
import type { Traveller } from '../bookings/booking-lead';

/**
 * Reads the body of a new booking. If tsoa refuses the body, readsBody calls this function too, so that one answer contains all issues.
 * @throws BadInputError with all issues of the body (400)
 */
export function bookingRequest(body: BookingBody, reading: RequestReading): Omit<BookingRequest, 'by'> {
  const { holdId, externalRef, departureDate, departureTime, party, travellers, ...others } = readAll({
    departureDate: () => optionalDate('body', 'departure_date', body.departure_date) ?? null,
    departureTime: () => optionalDepartureTime('body', body.departure_time, dateSource(body)),
    party: () => newPartyInput(body),
    travellers: () => optionalInput(body.travellers, travellersOf),
    name: () => nameInput('name', body.name),
    phone: () => customerPhone(body.phone, phoneReading(body, reading)),
    phoneCountry: () => optionalInput(body.phone_country, (code) => phoneCountryInput('phone_country', code)),
    email: () => emailInput('email', body.email, reading),
    holdId: () => optionalInput(body.hold_id, (id) => textInput('hold_id', id, 128).toLowerCase()),
    externalRef: () => optionalInput(body.external_ref, (ref) => textInput('external_ref', ref, 128)),
    notes: () => optionalInput(body.notes, (notes) => proseInput('notes', notes, 2000)),
  });
  const { name, phone, email, notes } = others;
  return {
    departureDate,
    departureTime,
    party,
    travellers,
    customer: { name, email, ...phone },
    paymentMethod: body.payment_method ?? null,
    holdId,
    expectedTotal: body.expected_total ?? null,
    externalRef,
    notes,
  };
}

/** Returns what a booking asks for, for the comparison with an earlier request. */
export function comparedBooking({ party, ...others }: ReturnType<typeof bookingRequest>) {
  return { ...others, party: comparedParty(party) };
}

/** Returns the change that a body asks for, for the comparison with an earlier request. */
export function comparedBookingChange(body: BookingPatch, reading: RequestReading) {
  const { party = {}, ...others } = bookingAmendment(body, reading);
  return { ...others, party: comparedUnits(party) };
}

/**
 * Reads the body of a change. If tsoa refuses the body, readsBody calls this function too, so that one answer contains all issues.
 * @throws BadInputError with all issues of the body (400)
 */
export function bookingAmendment(body: BookingPatch, reading: RequestReading): BookingAmendment {
  const { expected_total: expectedTotal = null, ...fields } = body;
  const { phone_country } = body;
  const { departureDate, departureTime, party, name, phone, email, notes, externalRef, travellers } = readAll(
    {
      something: () => assertNotEmpty(withoutEmptyParty(fields)),
      party: () => partyInput(body),
      departureDate: () => optionalDate('body', 'departure_date', body.departure_date),
      departureTime: () => givenInput(body.departure_time, (time) => departureTimeInput('body', time)),
      name: () => givenInput(body.name, (name) => nameInput('name', name)),
      phone: () => givenInput(body.phone, (phone) => customerPhone(phone, phoneReading(body, reading))),
      phoneCountry: () => givenInput(phone_country, (code) => countryOfPhone(code, body.phone)),
      email: () => givenInput(body.email, (email) => emailInput('email', email, reading)),
      notes: () => clearableInput(body.notes, (notes) => proseInput('notes', notes, 2000)),
      externalRef: () => clearableInput(body.external_ref, (ref) => textInput('external_ref', ref, 128)),
      travellers: () => clearableInput(body.travellers, travellersOf),
    },
  );
  return {
    departureDate,
    departureTime,
    party,
    customer: { name, email, ...phone },
    notes,
    externalRef,
    travellers,
    expectedTotal,
  };
}

/**
 * Returns the value that decides the date of the booking: the date itself, or the id or the reference of a hold. Undefined: the body has
 * none of them.
 */
function dateSource({ departure_date, hold_id, external_ref }: BookingBody): string | undefined {
  return departure_date ?? hold_id ?? external_ref;
}

function customerPhone(phone: string, reading: RequestReading): PhoneInput {
  return phoneInput('phone', contactInput('phone', phone, PHONE_MAX), reading);
}

/** Returns the reading with the country that the body names. */
function phoneReading(
  { phone_country: code }: Pick<BookingBody, 'phone_country'>,
  reading: RequestReading,
): RequestReading {
  return typeof code === 'string' && isCountry(code) ? { ...reading, country: code } : reading;
}

function countryOfPhone(code: string, phone: string | undefined): string {
  if (phone === undefined) throw new InvalidInputError('body', 'phone_country', 'must come with phone');
  return phoneCountryInput('phone_country', code);
}

function phoneCountryInput(field: string, code: string): string {
  if (isCountry(code)) return code;
  throw new InvalidInputError('body', field, 'must be an ISO 3166 alpha-2 code such as DE');
}

/** Reads the reason of a cancellation, and the refund that the customer saw. @throws BadInputError (400) */
export function cancelRequest(body: CancelBody | undefined): Pick<Cancellation, 'reason' | 'expectedRefund'> {
  return readAll({
    reason: () => optionalInput(body?.reason, (reason) => proseInput('reason', reason, 500)),
    expectedRefund: () => body?.expected_refund,
  });
}

function assertList(travellers: TravellerBody[]): void {
  if (!Array.isArray(travellers)) throw new InvalidInputError('body', 'travellers', 'must be a list');
}

/** @throws BadInputError with all issues of the texts (400) */
function travellersOf(travellers: TravellerBody[]): Traveller[] {
  assertList(travellers);
  return travellers.map((traveller, index) => travellerInput(traveller ?? {}, `travellers.${index}`));
}

const CODE_MAX = 32;
const NOTE_MAX = 2000;

function travellerInput(traveller: TravellerBody, field: string): Traveller {
  const { category, first_name, last_name, birth_date, note } = traveller;
  return {
    ...readAll({
      category: () => textInput(`${field}.category`, category, CODE_MAX),
      first_name: () => nameInput(`${field}.first_name`, first_name),
      last_name: () => nameInput(`${field}.last_name`, last_name),
      birth_date: () =>
        optionalInput(birth_date ?? undefined, (date) => birthDateInput(`${field}.birth_date`, date)),
      note: () => optionalInput(note ?? undefined, (text) => proseInput(`${field}.note`, text, NOTE_MAX)),
    }),
  };
}
