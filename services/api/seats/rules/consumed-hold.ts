import type { TourRef } from '../../catalog/tour';
import { SaleChangedError } from '../../departures/check-seats';
import type { LockedDeparture } from '../../departures/departure';
import { AmbiguousHoldReferenceError, HoldNotFoundError, noLiveHold } from '../../holds/hold.errors';
import { holdOutcome, isLive } from '../../holds/hold-status';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import { add, countedKey, type HeldSeats, referenceKey, type SaleFacts } from '../read/facts';

/** The parts of a wanted booking by which it finds the hold that it consumes. */
interface WantedSeatsOfHold {
  tenant: Tenant;
  tour: TourRef;
  /** In lower case. Null: not named. */
  holdId: string | null;
  externalRef: string | null;
  /** HH:MM. Undefined: not named. */
  departureTime?: string;
  /** True: the departure is that of a hold, so the booking needs that hold. */
  needsHold: boolean;
  /** Null: unknown. */
  by: Actor | null;
}

/**
 * Refuses a booking without a date if a hold of the tenant for this tour has the same reference. Such a booking is meant to consume the
 * hold.
 * @throws SaleChangedError for one live hold, placed after the sale was prepared: the sale is repeated with the departure of that hold;
 * AmbiguousHoldReferenceError for several live holds, HoldExpiredError if all holds with the reference have ended (409)
 */
export function assertNoHoldByReference(facts: SaleFacts, wanted: WantedSeatsOfHold): void {
  const { tenant, tour, externalRef, departureTime } = wanted;
  if (!externalRef) return;
  const known = facts.references.get(referenceKey(tenant.id, tour.id, externalRef, departureTime));
  const granted = facts.holds.some((hold) => {
    const departure = facts.departures.get(countedKey(hold.departureId, tenant.sandbox));
    return (
      hold.tenantId === tenant.id &&
      hold.externalRef === externalRef &&
      isLive(hold) &&
      departure?.tour.id === tour.id &&
      (departureTime === undefined || departure.startTime === departureTime)
    );
  });
  if (known && known.live > 1) throw new AmbiguousHoldReferenceError();
  if (granted || known?.live === 1) throw new SaleChangedError('hold');
  if (known) throw noLiveHold();
}

/** Returns the named hold, or the tenant's only live hold on the departure with the booking's reference. Null: the booking has no hold. */
export function holdToConsume(
  facts: SaleFacts,
  wanted: WantedSeatsOfHold,
  departure: LockedDeparture,
): HeldSeats | null {
  const { holdId, externalRef, tenant } = wanted;
  const own = facts.holds.filter((hold) => hold.tenantId === tenant.id);
  if (holdId !== null) {
    const named = own.find(({ id }) => id === holdId);
    if (!named) throw new HoldNotFoundError();
    // The hold moved to another departure while the sale waited for the lock. The sale is repeated. The repeat compares the new date of the
    // hold with the date of the request.
    if (named.departureId !== departure.id) throw new SaleChangedError('hold');
    holdOutcome(named, 'book');
    return named;
  }
  const live = own.filter(
    (hold) =>
      externalRef && // An empty reference names no hold.
      hold.externalRef === externalRef &&
      hold.departureId === departure.id &&
      isLive(hold),
  );
  if (live.length === 1) return live[0]!;
  // The hold moved or ended while the sale waited for the lock. The sale is repeated, and finds the departure again.
  if (wanted.needsHold) throw new SaleChangedError('hold');
  return null;
}

/** Marks the hold as consumed in the facts, for the decisions that follow in the transaction. */
export function consume(
  facts: SaleFacts,
  { tenant, by }: Pick<WantedSeatsOfHold, 'tenant' | 'by'>,
  held: HeldSeats,
): void {
  held.status = holdOutcome(held, 'book');
  held.endedBy = by;
  if (!held.byDesk) add(facts.liveHolds, tenant.id, -1);
}
