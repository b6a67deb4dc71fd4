import type { Db } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import {
  type Departure,
  type ExplainedDeparture,
  isOpen,
  limitingResource,
  seatsAvailable,
  seatsLeft,
  type WantedSeats,
} from './departure';
import {
  DepartureCancelledError,
  DepartureGoneError,
  InsufficientSeatsError,
  isDepartureNotAvailable,
} from './departure.errors';
import { findAlternatives } from './departure.repository';

type SaleKind = 'hold' | 'booking';

/**
 * Another request moved the hold or booking, or changed its people, while the transaction waited for the locks. The transaction is repeated,
 * and then locks the new departure. Only the terminal shows this error, after three tries: seats/perform.ts translates it for requests.
 * @rule the code of a sale that others change too fast: test/api/moved-sale.test.ts
 */
export class SaleChangedError extends AppError {
  readonly code: `${SaleKind}_busy`;

  constructor(readonly sale: SaleKind) {
    super(`Other requests have changed the ${sale} during each of three tries. Try again in a second.`);
    this.code = `${sale}_busy`;
  }

  override get repeatsTransaction(): boolean {
    return true;
  }
}

/**
 * Checks that a hold or booking, read after the lock, is still on the departure that this transaction locked.
 * @throws SaleChangedError
 */
export function assertNotMoved(
  sale: SaleKind,
  lockedId: string | null,
  { departureId }: { departureId: string | null },
): void {
  if (departureId !== lockedId) throw new SaleChangedError(sale);
}

/**
 * Checks that `quantity` seats of the departure are free. seats/rules/tenant-limits.ts checks the limits of the tenant.
 * @throws DepartureGoneError, DepartureCancelledError, InsufficientSeatsError (409)
 * @rule a departure has free seats, and can still be booked: test/api/departure-status.test.ts
 */
export function assertFree(departure: Departure, quantity: number): void {
  assertOpen(departure, quantity);
  assertSeatsLeft(departure, quantity);
}

/** Checks that `quantity` seats are left, whether the departure can be booked or not. @throws InsufficientSeatsError (409) */
export function assertSeatsLeft(departure: ExplainedDeparture, quantity: number): void {
  const left = Math.max(0, seatsLeft(departure));
  if (left >= quantity) return;
  throw new InsufficientSeatsError(wantedOf(departure, quantity), left, limitingResource(departure));
}

/** Checks that the resources of the departure leave `quantity` seats, whatever seats it has itself. @throws InsufficientSeatsError (409) */
export function assertResourcesLeave(departure: ExplainedDeparture, quantity: number): void {
  const { seatsOfResources, scarceResource = null } = departure;
  if (seatsOfResources === null || seatsOfResources >= quantity) return;
  const left = Math.max(0, seatsOfResources);
  throw new InsufficientSeatsError(wantedOf(departure, quantity), left, scarceResource);
}

/**
 * Checks that the departure can still be booked, with or without free seats.
 * @param quantity the wanted seats: the refusal names other departures with as many free seats
 * @throws DepartureGoneError, DepartureCancelledError (409)
 */
export function assertOpen(departure: Departure, quantity: number): void {
  if (isOpen(departure)) return;
  const wanted = wantedOf(departure, quantity);
  throw departure.cancelled ? new DepartureCancelledError(wanted) : new DepartureGoneError(wanted);
}

/** Returns the departure as the desk sells it: its closing before the start does not bind. */
export function withoutClosing<D extends Departure>(departure: D): D {
  return { ...departure, closed: departure.past };
}

/** Describes a request for seats of the departure. A refusal contains this description. */
export function wantedOf(departure: Departure, quantity: number): WantedSeats {
  const { id: departureId, tour, departureDate, startTime: departureTime, sandbox } = departure;
  return { tourId: tour.id, departureId, departureDate, departureTime, quantity, sandbox };
}

/** Adds up to three other departures to a DepartureNotAvailableError. Runs after the transaction, so that no lock is held. */
export async function addAlternatives(db: Db, refusal: unknown): Promise<void> {
  if (!isDepartureNotAvailable(refusal)) return;
  const others = await findAlternatives(db, refusal.wanted);
  refusal.alternatives = others.map((departure) => ({
    departureDate: departure.departureDate,
    departureTime: departure.startTime,
    seatsAvailable: seatsAvailable(departure),
  }));
}
