import { InvalidInputError } from '../../platform/errors';
import { adultsOnly, type Party, seatsOf } from './party';

/** Adults and children of one request together. */
const PARTY_MAX = 50;

export interface PartyBody {
  adults?: number;
  children?: number;
  single_supplements?: number;
}

/**
 * Reads the numbers of a booking. Takes the default for a value that tsoa refuses, which is an issue of its own.
 * @throws InvalidInputError (400) for nobody, for more than 50 travellers, and for more supplements than adults
 */
export function partyInput(body: PartyBody): Party {
  const adults = numberOr(1, body.adults);
  const children = numberOr(0, body.children);
  const single_supplements = numberOr(0, body.single_supplements);
  if (adults + children < 1)
    throw new InvalidInputError('body', 'adults', 'must be at least 1 without children');
  if (adults + children > PARTY_MAX)
    throw new InvalidInputError('body', 'children', `must be at most ${PARTY_MAX} together with the adults`);
  if (single_supplements > adults)
    throw new InvalidInputError('body', 'single_supplements', 'must not be more than the adults');
  return { adult: adults, child: children, single_supplement: single_supplements };
}

/**
 * Reads the party of a hold: adults and children together are its quantity, all adults unless said.
 * @throws InvalidInputError (400)
 */
export function holdPartyInput(body: { quantity: number; adults?: number; children?: number }): Party {
  const quantity = numberOr(1, body.quantity);
  const child = numberOr(0, body.children);
  const adult = numberOr(quantity - child, body.adults);
  const numbers = [body.quantity, body.adults, body.children].filter((number) => number !== undefined);
  if (!numbers.every(isCount)) return adultsOnly(quantity);
  if (adult < 0 || adult + child !== quantity)
    throw new InvalidInputError('body', 'quantity', 'must be the adults and children together');
  return { adult, child, single_supplement: 0 };
}

/**
 * Checks the number of people after a change.
 * @throws InvalidInputError (400)
 */
export function assertPartySize(party: Party): void {
  const seats = seatsOf(party);
  if (seats < 1 || seats > PARTY_MAX)
    throw new InvalidInputError(
      'body',
      'adults',
      `must be from 1 to ${PARTY_MAX} together with the children`,
    );
}

export function numberOr(fallback: number, value: unknown): number {
  return isCount(value) ? value : fallback;
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= PARTY_MAX;
}
