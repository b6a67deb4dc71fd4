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
import { phoneForm } from '../customers/phone';
import type { HoldAmendment } from '../seats/changes/change-hold';
import type { HoldBody, HoldPatch } from './hold.dto';
import type { HoldRequest } from '../seats/changes/place-hold';
import { assertNotEmpty, bodyInput, givenInput, optionalInput, readAll } from '../http/input';
import { calendarDateForm } from '../../platform/forms/days';
import { emailForm, personNameForm, referenceForm } from '../../platform/forms/texts';
import { startTimeForm } from '../catalog/start-time';

/**
 * Reads the body of a new hold. ReadsBody names this function, so the body may have wrong types.
 * @throws BadInputError with all issues of the body (400)
 */
export function holdRequest(body: HoldBody, reading: RequestReading): Omit<HoldRequest, 'by'> {
  const customer = body.customer ?? {};
  const read = readAll({
    departureDate: () => bodyInput('departure_date', body.departure_date, calendarDateForm),
    departureTime: () => givenInput('departure_time', body.departure_time, startTimeForm),
    party: () => holdPartyInput(body),
    externalRef: () => optionalInput('external_ref', body.external_ref, referenceForm),
    name: () => optionalInput('customer.name', customer.name, personNameForm),
    phone: () => optionalInput('customer.phone', customer.phone, phoneForm(reading)),
    email: () => optionalInput('customer.email', customer.email, emailForm(reading)),
  });
  const { departureDate, departureTime, party, externalRef, name, phone } = read;
  const { hold_minutes: holdMinutes } = body;
  const person = { name, phone: null, email: read.email, ...phone };
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
 * Reads the body of a change. ReadsBody names this function, so the body may have wrong types.
 * @throws BadInputError with all issues of the body (400)
 */
export function holdAmendment(body: HoldPatch, reading: RequestReading): HoldAmendment {
  const customer = body.customer ?? {};
  const { departureDate, departureTime, party, externalRef, ...person } = readAll({
    something: () => assertNotEmpty(withoutEmptyParty(body)),
    someone: () => body.customer === undefined || assertNotEmpty(customer, 'customer'),
    departureDate: () => givenInput('departure_date', body.departure_date, calendarDateForm),
    departureTime: () => givenInput('departure_time', body.departure_time, startTimeForm),
    party: () => partyInput(body),
    externalRef: () => givenInput('external_ref', body.external_ref, referenceForm),
    name: () => givenInput('customer.name', customer.name, personNameForm),
    phone: () => givenInput('customer.phone', customer.phone, phoneForm(reading)),
    email: () => givenInput('customer.email', customer.email, emailForm(reading)),
  });
  return {
    party,
    departureDate,
    departureTime,
    externalRef,
    customer: { name: person.name, email: person.email, ...person.phone },
  };
}

/** @throws InvalidInputError (400) for a hold without a quantity and without a party */
function holdPartyInput(body: HoldBody): RequestedParty {
  if (body.quantity === undefined && body.party === undefined)
    throw new InvalidInputError('body', 'quantity', 'is required without party');
  return newPartyInput(body);
}
