import { type Db, inTransaction } from '../../platform/database';
import { AppError } from '../../platform/errors';
import { isUuid } from '../../platform/text-forms';
import { type Person, personFinder } from '../customers/person-finder';
import type { Operation } from '../idempotency/operation';
import { InsufficientSeatsError, isDepartureNotAvailable } from './departure.errors';
import { insertRefusals, type NotedRefusal } from './refusal.repository';

/** What a request asked for, as far as it is known where it was refused. */
export interface AskedSeats {
  tenantId: string;
  operation: Operation;
  requestId: string;
  departureDate?: string | null;
  quantity?: number;
  externalRef?: string | null;
  /** Whom the request named; a reference that says the same is not written down. */
  customer?: Person;
  /** Any text. */
  holdId?: string | null;
  bookingRef?: string;
}

/** Of a flood the rest is only counted: they are all alike. */
const TOLD_IN_FULL = 500;

interface Count {
  tenantId: string;
  operation: Operation;
  code: string;
  since: number;
  count: number;
}

type Noted = Omit<NotedRefusal, 'ageMs'> & { since: number };

/** Of this process, as its metrics are, until the sweeper writes them down. */
let counts = new Map<string, Count>();
let told: Noted[] = [];

/** Remembers a refusal of the domain, whatever its reason. Faults of input and our own failures are none. */
export function noteRefusal(asked: AskedSeats, refusal: unknown): void {
  if (!(refusal instanceof AppError) || refusal.code === 'validation_failed') return;
  const { tenantId, operation } = asked;
  const since = performance.now();
  const key = `${tenantId} ${operation} ${refusal.code}`;
  const counted = counts.get(key) ?? { tenantId, operation, code: refusal.code, since, count: 0 };
  counts.set(key, { ...counted, count: counted.count + 1 });
  if (told.length < TOLD_IN_FULL) told.push({ ...describe(asked, refusal), since });
}

/** Writes down what was noted since the last time. What cannot be written is kept for the next. */
export async function writeRefusals(db: Db): Promise<void> {
  if (counts.size === 0) return;
  const [writing, inFull] = [counts, told];
  counts = new Map();
  told = [];
  const now = performance.now();
  const aged = <T extends { since: number }>({ since, ...rest }: T) => ({ ...rest, ageMs: now - since });
  try {
    await inTransaction(db, (trx) => insertRefusals(trx, [...writing.values()].map(aged), inFull.map(aged)));
  } catch (error) {
    takeBack(writing, inFull);
    throw error;
  }
}

function takeBack(writing: Map<string, Count>, inFull: Noted[]): void {
  for (const [key, old] of writing) {
    counts.set(key, { ...old, count: old.count + (counts.get(key)?.count ?? 0) });
  }
  told = [...inFull, ...told].slice(0, TOLD_IN_FULL);
}

function describe(asked: AskedSeats, refusal: AppError): Omit<Noted, 'since'> {
  const { tenantId, operation, requestId, bookingRef = null } = asked;
  return {
    ...{ tenantId, operation, requestId, bookingRef, code: refusal.code },
    externalRef: namelessReference(asked),
    ...wantedSeats(asked, refusal),
    seatsAvailable: refusal instanceof InsufficientSeatsError ? refusal.seatsAvailable : null,
    holdId: asked.holdId && isUuid(asked.holdId) ? asked.holdId.toLowerCase() : null,
  };
}

function namelessReference({ externalRef = null, customer }: AskedSeats): string | null {
  return externalRef !== null && customer && personFinder([customer])(externalRef) ? null : externalRef;
}

/** As the departure was asked for them, or, where it did not come to that, as the request has it. */
function wantedSeats(asked: AskedSeats, refusal: AppError) {
  if (isDepartureNotAvailable(refusal)) return refusal.wanted;
  return { tourId: null, departureDate: asked.departureDate ?? null, quantity: asked.quantity ?? null };
}
