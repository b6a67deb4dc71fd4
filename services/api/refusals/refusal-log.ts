import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { isUuid } from '../../platform/forms/text-forms';
import { InsufficientSeatsError, isDepartureNotAvailable } from '../departures/departure.errors';
import { addAlternatives } from '../departures/check-seats';
import type { Operation } from '../idempotency/operation';
import { personFinder } from '../customers/person-finder';
import {
  eraseExternalReferences,
  findExternalReferences,
  insertRefusals,
  lockRefusals,
  type RecordedRefusal,
  type RefusalCount,
} from './refusal.repository';
import type { PartialCustomer } from '../customers/customer';

/** A refused request, with the values that were known when it was refused. */
export interface RefusedRequest {
  tenantId: string;
  operation: Operation;
  requestId: string;
  departureDate?: string | null;
  departureTime?: string;
  quantity?: number;
  externalRef?: string | null;
  /** The people in the request. A reference that identifies one of them is not stored. */
  people?: PartialCustomer[];
  /** As the client sent it: any text. */
  holdId?: string | null;
  bookingRef?: string;
}

/** Collects the refusals of this process until the sweeper writes them. */
export interface RefusalLog {
  /** Records an AppError. Ignores the code `validation_failed` and internal errors, which are not refusals. */
  record(request: RefusedRequest, refusal: unknown): void;
  /** Writes the refusals that were recorded since the last call. Keeps the refusals for the next call if the write fails. */
  write(db: Db): Promise<void>;
}

/** The most refusals whose details are kept until the next write. Further refusals are only counted, which limits the memory. */
const WITH_DETAILS_MAX = 500;

type Count = Omit<RefusalCount, 'ageMs'> & { since: number };
type Detail = Omit<RecordedRefusal, 'ageMs'> & { since: number };

export function createRefusalLog(): RefusalLog {
  let counts = new Map<string, Count>();
  let details: Detail[] = [];

  function restore(oldCounts: Map<string, Count>, oldDetails: Detail[]): void {
    for (const [key, old] of oldCounts)
      counts.set(key, { ...old, count: old.count + (counts.get(key)?.count ?? 0) });
    details = [...oldDetails, ...details].slice(0, WITH_DETAILS_MAX);
  }

  return {
    record(request, refusal) {
      if (!(refusal instanceof AppError) || refusal.code === 'validation_failed') return;
      const { tenantId, operation } = request;
      const since = performance.now();
      const key = `${tenantId} ${operation} ${refusal.code}`;
      const counted = counts.get(key) ?? { tenantId, operation, code: refusal.code, since, count: 0 };
      counts.set(key, { ...counted, count: counted.count + 1 });
      if (details.length < WITH_DETAILS_MAX) details.push({ ...detailsOf(request, refusal), since });
    },
    async write(db) {
      if (counts.size === 0) return;
      const [writing, writingDetails] = [counts, details];
      counts = new Map();
      details = [];
      const now = performance.now();
      const aged = <T extends { since: number }>({ since, ...rest }: T) => ({ ...rest, ageMs: now - since });
      const rows = [[...writing.values()].map(aged), writingDetails.map(aged)] as const;
      try {
        await inTransaction(db, (trx) => insertRefusals(trx, ...rows));
      } catch (error) {
        restore(writing, writingDetails);
        throw error;
      }
    },
  };
}

/** Records the refusal for operators, and throws it again. If the departure is not available, adds up to three other departures. */
export async function refuseWithAlternatives(
  { db, refusals }: { db: Db; refusals: RefusalLog },
  request: RefusedRequest,
  refusal: unknown,
): Promise<never> {
  refusals.record(request, refusal);
  await addAlternatives(db, refusal);
  throw refusal;
}

function detailsOf(request: RefusedRequest, refusal: AppError): Omit<Detail, 'since'> {
  const { tenantId, operation, requestId, bookingRef = null } = request;
  return {
    tenantId,
    operation,
    requestId,
    bookingRef,
    code: refusal.code,
    externalRef: referenceWithoutPerson(request),
    ...requestedSeats(request, refusal),
    seatsAvailable: refusal instanceof InsufficientSeatsError ? refusal.seatsAvailable : null,
    resource: refusal instanceof InsufficientSeatsError ? refusal.resource : null,
    holdId: request.holdId && isUuid(request.holdId) ? request.holdId.toLowerCase() : null,
  };
}

function referenceWithoutPerson({ externalRef = null, people = [] }: RefusedRequest): string | null {
  return externalRef !== null && personFinder(people)(externalRef) ? null : externalRef;
}

/** Returns the seats that the refusal names. If the refusal names none, returns the seats that the request names. */
function requestedSeats(request: RefusedRequest, refusal: AppError) {
  if (isDepartureNotAvailable(refusal)) return refusal.wanted;
  const { departureDate = null, departureTime = null, quantity = null } = request;
  return { tourId: null, departureDate, departureTime, quantity };
}

const PAGE_SIZE = 5000;

/**
 * Erases those references of a tenant's refusals that identify a person. The caller anonymizes a booking of the tenant in the same
 * transaction. Other refusals of the tenant may still be in memory: insertRefusals later writes these refusals without their references.
 * @returns the number of erased references
 */
export async function eraseRefusals(
  trx: Trx,
  tenantId: string,
  identifiesPerson: (text: string) => boolean,
): Promise<number> {
  await lockRefusals(trx);
  let erased = 0;
  for (let afterId = 0; ;) {
    const page = await findExternalReferences(trx, tenantId, { afterId, limit: PAGE_SIZE });
    const ids = page.filter(({ externalRef }) => identifiesPerson(externalRef)).map(({ id }) => id);
    if (ids.length > 0) await eraseExternalReferences(trx, ids);
    erased += ids.length;
    if (page.length < PAGE_SIZE) return erased;
    afterId = page.at(-1)!.id;
  }
}
