import { InvalidInputError } from '../../platform/errors';
import { birthDateForm, calendarDateForm } from '../../platform/forms/days';
import { type Form, matching } from '../../platform/forms/form';
import {
  emailForm,
  lineForm,
  notesForm,
  personNameForm,
  reasonForm,
  referenceForm,
} from '../../platform/forms/texts';
import { assertNotEmpty, bodyInput, clearableInput, givenInput, optionalInput, readAll } from '../http/input';
import { departureTimeWithoutDate, startTimeForm } from '../catalog/start-time';
import {
  comparedParty,
  comparedUnits,
  newPartyInput,
  partyInput,
  withoutEmptyParty,
} from '../parties/requested-party';
import { isCountry } from '../tenants/country';
import type { RequestReading } from '../idempotency/fingerprint';
import { type PhoneInput, phoneForm } from '../customers/phone';
import type { BookingAmendment } from '../seats/changes/change-booking';
import type { Cancellation } from '../seats/changes/cancel-booking';
import type { Confirmation } from '../seats/changes/confirm-booking';
import type { BookingRequest } from '../seats/changes/create-booking';
import type { BookingBody, BookingPatch, CancelBody, ConfirmBody, TravellerBody } from './booking.dto';
import type { Traveller } from '../bookings/booking-lead';
import { comparedGivenAnswers, comparedNewAnswers, givenAnswers } from './answers.request';

/**
 * Reads the body of a new booking. ReadsBody names this function, so the body may have wrong types.
 * @throws BadInputError with all issues of the body (400)
 */
export function bookingRequest(body: BookingBody, reading: RequestReading): Omit<BookingRequest, 'by'> {
  const { holdId, externalRef, departureDate, departureTime, party, travellers, answers, ...others } =
    readAll({
      departureDate: () => optionalInput('departure_date', body.departure_date, calendarDateForm),
      departureTime: () => timeOfDate(body),
      party: () => newPartyInput(body),
      travellers: () => travellersInput(body.travellers) ?? null,
      answers: () => givenAnswers(body),
      name: () => bodyInput('name', body.name, personNameForm),
      phone: () => bodyInput('phone', body.phone, phoneOf(body, reading)),
      phoneCountry: () => optionalInput('phone_country', body.phone_country, PHONE_COUNTRY),
      email: () => bodyInput('email', body.email, emailForm(reading)),
      holdId: () => optionalInput('hold_id', body.hold_id, referenceForm)?.toLowerCase() ?? null,
      externalRef: () => optionalInput('external_ref', body.external_ref, referenceForm),
      notes: () => optionalInput('notes', body.notes, notesForm),
    });
  const { name, phone, notes } = others;
  return {
    departureDate,
    departureTime,
    party,
    travellers,
    answers,
    customer: { name, email: others.email, ...phone },
    paymentMethod: body.payment_method ?? null,
    holdId,
    expectedTotal: body.expected_total ?? null,
    externalRef,
    notes,
  };
}

/** Returns what a booking asks for, for the comparison with an earlier request. */
export function comparedBooking({ party, answers, ...others }: ReturnType<typeof bookingRequest>) {
  return { ...others, party: comparedParty(party), answers: comparedNewAnswers(answers) };
}

/** Returns the change that a body asks for, for the comparison with an earlier request. */
export function comparedBookingChange(body: BookingPatch, reading: RequestReading) {
  const { party = {}, answers, ...others } = bookingAmendment(body, reading);
  return { ...others, party: comparedUnits(party), answers: comparedGivenAnswers(answers) };
}

/**
 * Reads the body of a change. ReadsBody names this function, so the body may have wrong types.
 * @throws BadInputError with all issues of the body (400)
 */
export function bookingAmendment(body: BookingPatch, reading: RequestReading): BookingAmendment {
  const { expected_total: expectedTotal = null, lang: _, ...fields } = body;
  const { departureDate, departureTime, party, notes, externalRef, travellers, answers, ...person } = readAll(
    {
      something: () => assertNotEmpty(withoutEmptyParty(fields)),
      party: () => partyInput(body),
      departureDate: () => givenInput('departure_date', body.departure_date, calendarDateForm),
      departureTime: () => givenInput('departure_time', body.departure_time, startTimeForm),
      name: () => givenInput('name', body.name, personNameForm),
      phone: () => givenInput('phone', body.phone, phoneOf(body, reading)),
      phoneCountry: () => countryOfPhone(body),
      email: () => givenInput('email', body.email, emailForm(reading)),
      notes: () => clearableInput('notes', body.notes, notesForm),
      externalRef: () => clearableInput('external_ref', body.external_ref, referenceForm),
      travellers: () => travellersInput(body.travellers),
      answers: () => givenAnswers(body),
    },
  );
  return {
    departureDate,
    departureTime,
    party,
    customer: { name: person.name, email: person.email, ...person.phone },
    notes,
    externalRef,
    travellers,
    answers,
    expectedTotal,
  };
}

const CATEGORY = lineForm(32);
const PHONE_COUNTRY = matching(isCountry, 'must be an ISO 3166 alpha-2 code such as DE');

/** Reads the start time. Refuses it without a date, or a hold or a reference that decides the date. */
function timeOfDate(body: BookingBody): string | undefined {
  const time = givenInput('departure_time', body.departure_time, startTimeForm);
  const date = body.departure_date ?? body.hold_id ?? body.external_ref;
  if (time !== undefined && date == null) throw departureTimeWithoutDate('body');
  return time;
}

/** Returns the form of the phone number in the country that the body names. */
function phoneOf({ phone_country: code }: BookingPatch, reading: RequestReading): Form<PhoneInput> {
  return phoneForm(typeof code === 'string' && isCountry(code) ? { ...reading, country: code } : reading);
}

function countryOfPhone({ phone_country: code, phone }: BookingPatch): string | undefined {
  if (code !== undefined && phone === undefined)
    throw new InvalidInputError('body', 'phone_country', 'must come with phone');
  return givenInput('phone_country', code, PHONE_COUNTRY);
}

/** Reads whether a confirmation accepts missing answers. @throws BadInputError (400) */
export function confirmRequest(body: ConfirmBody | undefined): Pick<Confirmation, 'despiteMissingAnswers'> {
  return body?.despite_missing_answers === true ? { despiteMissingAnswers: true } : {};
}

/** Reads the reason of a cancellation, and the refund that the customer saw. @throws BadInputError (400) */
export function cancelRequest(body: CancelBody | undefined): Pick<Cancellation, 'reason' | 'expectedRefund'> {
  return readAll({
    reason: () => optionalInput('reason', body?.reason, reasonForm),
    expectedRefund: () => body?.expected_refund,
  });
}

/** @throws BadInputError with all issues of the travellers (400) */
function travellersInput<T extends null | undefined>(travellers: TravellerBody[] | T): Traveller[] | T {
  if (travellers == null) return travellers;
  if (!Array.isArray(travellers)) throw new InvalidInputError('body', 'travellers', 'must be a list');
  return travellers.map((traveller, index) => travellerInput(traveller ?? {}, `travellers.${index}`));
}

function travellerInput(traveller: TravellerBody, field: string): Traveller {
  const { category, first_name, last_name, birth_date, note } = traveller;
  return readAll<Traveller>({
    category: () => bodyInput(`${field}.category`, category, CATEGORY),
    first_name: () => bodyInput(`${field}.first_name`, first_name, personNameForm),
    last_name: () => bodyInput(`${field}.last_name`, last_name, personNameForm),
    birth_date: () => clearableInput(`${field}.birth_date`, birth_date, birthDateForm) ?? null,
    note: () => clearableInput(`${field}.note`, note, notesForm) ?? null,
  });
}
