import { randomUUID } from 'node:crypto';
import type { Trx } from '../../platform/database';
import { AppError } from '../../platform/errors';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { createKeyCheck, idsInUse, type KeyCheck, readKeyCheck } from '../credentials/verify-credential';
import { decideBooking } from '../bookings/create-booking';
import { tryLocks, waitForDeparture } from '../departures/reserve-seats';
import { findDateByReference } from '../holds/find-hold';
import { decideHold } from '../holds/place-hold';
import { type AnsweredClaim, claimKeys, storeAnswers, waitForKey } from '../idempotency/claim-keys';
import type { IdempotencyKeyReusedError } from '../idempotency/idempotency.errors';
import { ReplayedResponse } from '../idempotency/run-idempotent';
import { departureKey } from '../departures/departure';
import type { Sale, Sold } from './sale';
import { type ReadFacts, readSaleFacts } from './read-sale-facts';
import type { SaleFacts } from './sale-facts';
import { TenantCounter } from './tenant-counter';
import { type Granted, writeGranted } from './write-granted';

/** The result of one sale of a transaction. */
export type Outcome =
  | { kind: 'sold'; sold: Sold | ReplayedResponse }
  | { kind: 'refused'; refusal: unknown }
  /** Another transaction has the departure. */
  | { kind: 'locked' }
  /** Another transaction has the Idempotency-Key. */
  | { kind: 'claimed' }
  /** Another transaction is changing the API key or its tenant. */
  | { kind: 'changing' };

/** The outcomes of a transaction, in the order of its sales. */
export interface WrittenSales {
  outcomes: Outcome[];
  /** Null: nothing was sold. */
  transactionId: string | null;
}

export interface GrantOptions {
  /** Returns false for a departure that the caller leaves locked; its sales get `locked`, unless their key is answered. */
  mayLock?: (sale: Sale) => boolean;
  /** True for one sale that waits for its Idempotency-Key. The caller has locked its API key and its tenant. */
  waitForKey?: boolean;
  /** By default each tenant is counted. */
  counter?: TenantCounter;
}

/**
 * Creates holds and bookings in one transaction, in order of arrival. Claims their keys, locks their departures, reads the
 * facts, decides each sale, and writes all that are granted with one statement per table. Waits for no key and no departure:
 * a sale whose key or departure another transaction has gets `claimed`, `changing` or `locked`.
 */
export async function grantSales(
  trx: Trx,
  sales: Sale[],
  { mayLock = () => true, waitForKey = false, counter = new TenantCounter() }: GrantOptions = {},
): Promise<WrittenSales> {
  const outcomes = new Map<Sale, Outcome>();
  for (const [sale, state] of await claimOwnKeys(trx, sales, waitForKey)) outcomes.set(sale, state);
  let open = sales.filter((sale) => !outcomes.has(sale));
  const end = (kind: 'locked' | 'changing', ends: (sale: Sale) => boolean) => {
    for (const sale of open) if (ends(sale)) outcomes.set(sale, { kind });
    open = open.filter((sale) => !outcomes.has(sale));
  };
  end('locked', (sale) => !mayLock(sale));
  const wanted = new Map(open.flatMap(departureOf).map((one) => [departureKey(one), one]));
  const locks = await tryLocks(trx, [...wanted.values()], idsInUse(principalsOf(open)));
  const busy = new Set(locks.busy.map(departureKey));
  end('locked', (sale) => departureOf(sale).some((one) => busy.has(departureKey(one))));
  // After the locks: a change of the tenant has committed, or waits for this transaction.
  const keys = await readKeyCheck(trx, principalsOf(open), locks.usedIds);
  end('changing', ({ principal }) => principal !== null && keys.busy.has(principal.keyId));
  let transactionId: string | null = null;
  if (open.length > 0) {
    const read = await readSaleFacts(trx, open, locks.departureIds, keys.assertKeyServes, counter);
    transactionId = await sell(trx, open, read, outcomes);
  }
  return { transactionId, outcomes: sales.map((sale) => outcomes.get(sale)!) };
}

/**
 * Creates one hold or booking in the caller's transaction. Waits for its key and its departure.
 * @throws the refusal; IdempotencyInProgressError, DepartureBusyError after two seconds (409)
 */
export async function writeSale(trx: Trx, sale: Sale): Promise<Sold | ReplayedResponse> {
  const [outcome] = (await grantWithWait(trx, sale)).outcomes;
  return soldOf(outcome!);
}

/**
 * Writes one sale like grantSales, and waits for its key and its departure.
 * @throws IdempotencyInProgressError, DepartureBusyError after two seconds (409); errors that precede the lock
 */
export async function grantWithWait(trx: Trx, sale: Sale, counter?: TenantCounter): Promise<WrittenSales> {
  if (sale.claim) {
    await waitForKey(trx, sale.claim);
    // An answered key waits for no departure.
    for (const [, answered] of await claimOwnKeys(trx, [sale], true))
      return { outcomes: [answered], transactionId: null };
  }
  // Before the departure is locked, so that a change of the key or tenant delays no other sale of the departure.
  await createKeyCheck(trx, principalsOf([sale]), true);
  const dated = await withDate(trx, sale);
  for (const { tourId, departureDate } of departureOf(dated))
    await waitForDeparture(trx, tourId, departureDate);
  return grantSales(trx, [dated], { waitForKey: true, counter });
}

/** @throws the refusal */
export function soldOf(outcome: Outcome): Sold | ReplayedResponse {
  if (outcome.kind === 'sold') return outcome.sold;
  throw outcome.kind === 'refused' ? outcome.refusal : new Error(`the sale is ${outcome.kind}`);
}

/** Gives a booking without a date the date of the live hold that has its reference. */
async function withDate(trx: Trx, sale: Sale): Promise<Sale> {
  if (sale.kind === 'hold' || sale.departureDate !== null) return sale;
  const departureDate = await findDateByReference(trx, sale.tenant.id, sale.tour.id, sale.externalRef);
  return { ...sale, departureDate };
}

function departureOf({ tour, departureDate }: Sale) {
  return departureDate === null ? [] : [{ tourId: tour.id, departureDate }];
}

/** Returns the sales that end here: their key is answered, was used for another request, or belongs to another transaction. */
async function claimOwnKeys(trx: Trx, sales: Sale[], wait: boolean): Promise<[Sale, Outcome][]> {
  const keyed = sales.filter((sale) => sale.claim !== null);
  const states = await claimKeys(
    trx,
    keyed.map((sale) => sale.claim!),
    wait,
  );
  const answered = keyed.filter((_sale, index) => typeof states[index] !== 'string');
  const keys = await createKeyCheck(trx, principalsOf(answered), wait);
  return keyed.flatMap((sale, index): [Sale, Outcome][] => {
    const state = states[index]!;
    if (state === 'free') return [];
    if (state === 'claimed elsewhere') return [[sale, { kind: 'claimed' }]];
    if (keys.busy.has(sale.principal!.keyId)) return [[sale, { kind: 'changing' }]];
    return [[sale, answerOf(sale, state, keys.assertKeyServes)]];
  });
}

function principalsOf(sales: Sale[]): ApiKeyPrincipal[] {
  return sales.flatMap(({ principal }) => principal ?? []);
}

function answerOf(
  { principal }: Sale,
  answered: ReplayedResponse | IdempotencyKeyReusedError,
  assertKeyServes: KeyCheck['assertKeyServes'],
): Outcome {
  try {
    assertKeyServes(principal!);
    if (answered instanceof ReplayedResponse) return { kind: 'sold', sold: answered };
    return { kind: 'refused', refusal: answered };
  } catch (refusal) {
    return { kind: 'refused', refusal };
  }
}

/** Decides the sales under the locks and writes what is granted. @returns the transaction's id; null if nothing was granted */
async function sell(
  trx: Trx,
  sales: Sale[],
  { facts, at, transactionId }: ReadFacts,
  outcomes: Map<Sale, Outcome>,
): Promise<string | null> {
  const granted: Granted[] = [];
  for (const sale of sales) {
    try {
      granted.push(decide(facts, sale));
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal;
      outcomes.set(sale, { kind: 'refused', refusal });
    }
  }
  const answers: AnsweredClaim[] = [];
  for (const [sale, sold] of await writeGranted(trx, granted, at)) {
    outcomes.set(sale, { kind: 'sold', sold });
    if (sale.claim) answers.push({ claim: sale.claim, response: sale.claim.toResponse(sold as never) });
  }
  if (answers.length > 0) await storeAnswers(trx, answers);
  return granted.length > 0 ? transactionId : null;
}

/** @throws the refusal, and leaves the facts as they are */
function decide(facts: SaleFacts, sale: Sale): Granted {
  if (sale.principal) facts.assertKeyServes(sale.principal);
  return sale.kind === 'hold' ? decideHold(facts, sale, randomUUID()) : decideBooking(facts, sale);
}
