import {
  assertNotEmpty,
  contactInput,
  dateInput,
  emailInput,
  givenInput,
  nameInput,
  optionalDate,
  optionalInput,
  readAll,
  textInput,
} from '../http/input';
import { departureTimeInput } from '../catalog/start-time';
import { InvalidInputError } from '../../platform/errors';
import type { RequestedParty } from '../parties/party-rules';
import {
  comparedParty,
  comparedUnits,
  newPartyInput,
  partyInput,
  withoutEmptyParty,
} from '../parties/requested-party';
import type { RequestReading } from '../idempotency/fingerprint';
import { PHONE_MAX, type PhoneInput, phoneInput } from '../tenants/phone';
import type { HoldAmendment } from '../seats/changes/change-hold';
import type { HoldBody, HoldPatch } from './hold.dto';
import type { HoldRequest } from '../seats/changes/place-hold';

/**
 * Reads the body of a new hold. If tsoa refuses the body, readsBody calls this function too, so that one answer contains all issues.
 * @throws BadInputError with all issues of the body (400)
 */
export function holdRequest(body: HoldBody, reading: RequestReading): Omit<HoldRequest, 'by'> {
  const customer = body.customer ?? {};
  const read = readAll({
    departureDate: () => dateInput('body', 'departure_date', body.departure_date),
    departureTime: () => givenInput(body.departure_time, (time) => departureTimeInput('body', time)),
    party: () => holdPartyInput(body),
    externalRef: () => optionalInput(body.external_ref, (ref) => textInput('external_ref', ref, 128)),
    name: () => optionalInput(customer.name, (name) => nameInput('customer.name', name)),
    phone: () => optionalInput(customer.phone, (phone) => customerPhone(phone, reading)),
    email: () => optionalInput(customer.email, (email) => emailInput('customer.email', email, reading)),
  });
  const { departureDate, departureTime, party, externalRef, name, phone, email } = read;
  const { hold_minutes: holdMinutes } = body;
  const person = { name, phone: null, email, ...phone };
  return { departureDate, departureTime, party, holdMinutes, externalRef, customer: person };
}

/** Returns what a hold asks for, for the comparison with an earlier request. */
export function comparedHold({ party, ...others }: ReturnType<typeof holdRequest>) {
  return { ...others, party: comparedParty(party) };
}

/**
 * Returns the change that a body asks for, for the comparison with an earlier request. It has the form that answers stored before categories
 * were data were compared by. A quantity beside a party says nothing more.
 */
export function comparedHoldChange(body: HoldPatch, reading: RequestReading) {
  const { party = {}, ...others } = holdAmendment(body, reading);
  const { adult: adults, child: children, ...units } = comparedUnits(party);
  return {
    ...others,
    quantity: body.party === undefined ? body.quantity : undefined,
    adults,
    children,
    party: Object.keys(units).length > 0 ? units : undefined,
  };
}

/**
 * Reads the body of a change. If tsoa refuses the body, readsBody calls this function too, so that one answer contains all issues.
 * @throws BadInputError with all issues of the body (400)
 */
export function holdAmendment(body: HoldPatch, reading: RequestReading): HoldAmendment {
  const { departure_date, external_ref } = body;
  const customer = body.customer ?? {};
  const { departureDate, departureTime, party, externalRef, name, phone, email } = readAll({
    something: () => assertNotEmpty(withoutEmptyParty(body)),
    someone: () => givenInput(body.customer, () => assertNotEmpty(customer, 'customer')),
    departureDate: () => optionalDate('body', 'departure_date', departure_date),
    departureTime: () => givenInput(body.departure_time, (time) => departureTimeInput('body', time)),
    party: () => partyInput(body),
    externalRef: () => givenInput(external_ref, (ref) => textInput('external_ref', ref, 128)),
    name: () => givenInput(customer.name, (name) => nameInput('customer.name', name)),
    phone: () => givenInput(customer.phone, (phone) => customerPhone(phone, reading)),
    email: () => givenInput(customer.email, (email) => emailInput('customer.email', email, reading)),
  });
  return {
    party,
    departureDate,
    departureTime,
    externalRef,
    customer: { name, email, ...phone },
  };
}

/** @throws InvalidInputError (400) for a hold without a quantity and without a party */
function holdPartyInput(body: HoldBody): RequestedParty {
  if (body.quantity === undefined && body.party === undefined)
    throw new InvalidInputError('body', 'quantity', 'is required without party');
  return newPartyInput(body);
}

function customerPhone(phone: string, reading: RequestReading): PhoneInput {
  return phoneInput('customer.phone', contactInput('customer.phone', phone, PHONE_MAX), reading);
}
