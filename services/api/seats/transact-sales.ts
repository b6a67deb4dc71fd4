import { randomUUID } from 'node:crypto';
import type { Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { waitForDeparture } from '../departures/reserve-seats';
import type { StoredAnswer } from '../idempotency/idempotency.repository';
import type { ComparedRequest } from '../idempotency/fingerprint';
import { replay, type ReplayedResponse } from '../idempotency/run-idempotent';
import { decideBooking } from './decide/decide-booking';
import { lockSales, type SaleLocks } from './lock';
import { decideHold } from './decide/decide-hold';
import { type ReadFacts, readSaleFacts } from './read/read-sale-facts';
import type { Sale, Sold, SoldOf } from './sale';
import { TenantCounter } from './decide/tenant-limits';
import { type Granted, writeSales } from './write';

/** The result of one sale of a transaction. */
export type Outcome =
  | { kind: 'sold'; sold: Sold | ReplayedResponse }
  | { kind: 'refused'; refusal: unknown }
  /** Another transaction has locked the departure. */
  | { kind: 'departure locked' }
  /** Another transaction uses the Idempotency-Key or the UUID of the OCTO booking, or erases the answer of the key. */
  | { kind: 'key in use' }
  /** Another transaction is changing the API key or its tenant. */
  | { kind: 'API key changing' };

/** The outcomes of a transaction, in the order of its sales. */
export interface WrittenSales {
  outcomes: Outcome[];
  /** Null: nothing was sold. */
  transactionId: string | null;
}

export interface TransactOptions {
  /**
   * Returns false for a sale whose departure must not be locked. The outcome of such a sale is `departure locked`, unless its
   * Idempotency-Key has a stored answer.
   */
  mayLock?: (sale: Sale) => boolean;
  /** Keeps counts of earlier transactions. By default, all counts are read from the database. */
  counter?: TenantCounter;
}

/**
 * Creates holds and bookings in one transaction, in order of arrival, in four steps: locks their keys and departures, reads the facts,
 * decides each sale, and writes all that are granted. Waits for no lock of another transaction: a sale that would have to wait gets `key in
 * use`, `API key changing` or `departure locked`.
 */
export async function transactSales(
  trx: Trx,
  sales: Sale[],
  { mayLock = () => true, counter = new TenantCounter() }: TransactOptions = {},
): Promise<WrittenSales> {
  const locks = await lockSales(trx, sales, mayLock);
  const read = await readSaleFacts(trx, sales, locks, counter);
  const outcomes = new Map<Sale, Outcome>();
  const granted: Granted[] = [];
  for (const sale of sales) {
    const decided = lockOfAnother(sale, locks, read, mayLock) ?? decide(sale, read);
    if ('sale' in decided) granted.push(decided);
    else outcomes.set(sale, decided);
  }
  for (const [sale, sold] of await writeSales(trx, granted, read.leadIds, read.facts.at))
    outcomes.set(sale, { kind: 'sold', sold });
  return {
    transactionId: granted.length > 0 ? read.transactionId : null,
    outcomes: sales.map((sale) => outcomes.get(sale)!),
  };
}

/**
 * Creates one hold or booking in the caller's transaction, in the four steps of transactSales. Waits for the lock of the departure.
 * @param sale without a claim and without a principal: the caller has locked and checked the API key
 * @throws the refusal; DepartureBusyError after two seconds (409)
 */
export async function writeSale<S extends Sale>(trx: Trx, sale: S): Promise<SoldOf<S>> {
  // Waits for the lock here, because lockSales waits for none.
  if (sale.departureId !== null) await waitForDeparture(trx, sale.departureId);
  const { outcomes } = await transactSales(trx, [sale]);
  const [outcome] = outcomes;
  if (outcome!.kind === 'sold') return outcome!.sold as SoldOf<S>;
  throw outcome!.kind === 'refused' ? outcome!.refusal : new Error(`the sale is ${outcome!.kind}`);
}

/**
 * Returns the outcome of a sale that another transaction blocks by a lock. Undefined: no lock blocks the sale. A locked departure does not
 * block a sale whose Idempotency-Key has a stored answer.
 */
function lockOfAnother(
  sale: Sale,
  locks: SaleLocks,
  { answerOf, lockedElsewhere }: ReadFacts,
  mayLock: (sale: Sale) => boolean,
): Outcome | undefined {
  const { principal, departureId } = sale;
  const stored = answerOf(sale);
  if (!locks.ownKey.has(sale) || stored?.isLocked) return { kind: 'key in use' };
  if (principal && locks.isChanging(principal)) return { kind: 'API key changing' };
  if (stored || departureId === null) return undefined;
  return mayLock(sale) && !lockedElsewhere.has(departureId) ? undefined : { kind: 'departure locked' };
}

/**
 * Decides one sale. If its Idempotency-Key has a stored answer, returns this answer. Otherwise decides by the facts, which include the
 * sales granted earlier in the transaction.
 */
function decide(sale: Sale, { facts, answerOf }: ReadFacts): Granted | Outcome {
  const { claim, principal } = sale;
  const stored = answerOf(sale);
  try {
    if (principal) facts.assertKeyServes(principal);
    if (stored) return { kind: 'sold', sold: answerIn(stored, claim!.request) };
    return sale.kind === 'hold' ? decideHold(facts, sale, randomUUID()) : decideBooking(facts, sale);
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    return { kind: 'refused', refusal };
  }
}

/** @throws IdempotencyKeyReusedError (422) */
function answerIn({ fingerprint, status, answer }: StoredAnswer, request: ComparedRequest): ReplayedResponse {
  if (fingerprint === null) return replay({ fingerprint }, request);
  return replay({ fingerprint: Buffer.from(fingerprint, 'hex'), status, answer }, request);
}
