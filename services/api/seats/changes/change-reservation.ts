import type { BookingLead } from '../../bookings/booking-lead';
import type { TourRef } from '../../catalog/tour';
import type { ApiKeyPrincipal, Scope } from '../../credentials/credential';
import { SaleChangedError } from '../../departures/check-seats';
import type { DepartureChoice } from '../../departures/choose-departure';
import type { Departure } from '../../departures/departure';
import {
  type ChangedOctoDetails,
  octoColumns,
  type OctoDetails,
  withChangedDetails,
} from '../../holds/octo-booking';
import { isConsumed } from '../../holds/hold-status';
import type { SeatHold } from '../../holds/seat-hold';
import { type Actor, byKey } from '../../tenants/actor';
import type { Decided } from '../decided';
import { countedKey, type SaleFacts, type StoredHold, type StoredLead } from '../read/facts';
import { departuresOfMove, type SeatChange, type Seller } from '../seat-change';
import { lockedLead } from '../stored-booking';
import { lockedHold } from '../stored-hold';
import { type Cancellation, decideCancellation } from './cancel-booking';
import { type BookingAmendment, decideBookingChange } from './change-booking';
import { decideHoldChange, type HoldAmendment } from './change-hold';
import { decideConfirmation } from './confirm-booking';
import { type BookingRequest, decideBooking, wantedBookingOfHold } from './create-booking';
import { decideExtension } from './extend-hold';
import { decideRelease } from './release-hold';

/** A reservation of OCTO: its details, its hold, and the booking that consumed the hold. */
export interface Reservation {
  octo: OctoDetails;
  hold: SeatHold;
  /** Null before the confirmation. */
  lead: BookingLead | null;
}

/** The decision about a reservation: its parts after the change, and the rows of its hold and its booking. */
export interface ReservationDecision extends Omit<Decided<Partial<Reservation>>, 'octo'> {
  /** The details to write. Undefined: the details stay as they are, with their time. */
  details?: ChangedOctoDetails;
}

export type ReservationSeller<Result> = Seller<Result> & { principal: ApiKeyPrincipal };

interface ReservationChange<Result> {
  /** The reservation before its departure was locked. */
  found: Reservation;
  /** The scope that the change needs. */
  scope: Scope;
  /** The departure after the change, and its tour. */
  to: { departureId: string; tour: TourRef };
  /** True: the change may make a booking of the hold. */
  makesBooking?: boolean;
  /** True: the change may quote the prices of the tour, and a refusal names none of its dates if the tenant does not see it. */
  mayMove?: boolean;
  decide(reservation: LockedReservation): ReservationDecision;
  /** @param departure the departure after the change, with its seats after it. Undefined: it does not exist */
  toResult(after: Reservation, departure: Departure | undefined): Result;
}

/** Builds the change of a reservation: the rows of its hold, its booking and its details are written together. */
export function changeReservation<Result>(
  seller: ReservationSeller<Result>,
  { found, scope, to, makesBooking, mayMove, decide, toResult }: ReservationChange<Result>,
): SeatChange<Result> {
  const { principal } = seller;
  const movedTo = mayMove ? to.tour.id : undefined;
  return {
    ...seller,
    principal: { ...principal, scope },
    locks: {
      departureIds: departuresOfMove(found.lead?.departureId ?? found.hold.departureId, to.departureId),
      leadId: found.lead?.id,
    },
    reads: { tourId: movedTo, holdId: found.hold.id, bookingNumber: makesBooking },
    isAlone: true,
    hiddenTourId: movedTo,
    decide: (facts) => {
      const before = new LockedReservation(seller, found, facts);
      const { details, result, ...rows } = decide(before);
      const octo = details ? withChangedDetails(before.octo, details, facts.at) : before.octo;
      const { hold = before.hold, lead = before.lead } = result;
      return {
        ...rows,
        octo: details && { id: before.hold.id, columns: octoColumns(details, facts.at) },
        // The decision has counted its seats in the facts.
        result: toResult({ octo, hold, lead }, before.departure(to.departureId)),
      };
    },
  };
}

/** A reservation as it is under the locks, with the decisions about its hold and its booking. */
export class LockedReservation implements Reservation {
  readonly octo: OctoDetails;
  readonly hold: StoredHold;
  readonly lead: StoredLead | null;
  private readonly by: Actor;

  /**
   * @throws SaleChangedError if it moved or was confirmed during the wait, so that the change begins again; HoldNotFoundError,
   *   BookingNotFoundError (404)
   */
  constructor(
    private readonly seller: ReservationSeller<unknown>,
    found: Reservation,
    private readonly facts: SaleFacts,
  ) {
    const { sandbox } = seller.tenant;
    this.by = byKey(seller.principal);
    this.hold = found.lead ? facts.storedHolds.get(found.hold.id)! : lockedHold(facts, found.hold, sandbox);
    this.lead = found.lead && lockedLead(facts, found.lead);
    if (!this.lead && isConsumed(this.hold)) throw new SaleChangedError('hold');
    this.octo = this.hold.octo!;
  }

  /** Returns a locked departure. Undefined: it does not exist. */
  departure(id: string): Departure | undefined {
    return this.facts.departures.get(countedKey(id, this.seller.tenant.sandbox));
  }

  /** @throws CredentialError, InsufficientScopeError (401) */
  assertScope(scope: Scope): void {
    this.facts.assertKeyServes({ ...this.seller.principal, scope });
  }

  /** Throws the errors of decideExtension. */
  extend(holdMinutes: number, hold: StoredHold = this.hold): ReservationDecision {
    return ofHold(decideExtension(this.facts, this.seller.tenant, hold, { holdMinutes, by: this.by }));
  }

  /** Throws the errors of decideRelease. */
  release(): ReservationDecision {
    return ofHold(decideRelease(this.facts, this.seller.tenant, this.hold, this.by));
  }

  /** Throws the errors of decideHoldChange and, if `holdMinutes` is given, of decideExtension. */
  changeHold(to: DepartureChoice, amendment: HoldAmendment, holdMinutes?: number): ReservationDecision {
    const { facts, by } = this;
    const { tenant } = this.seller;
    const changed = decideHoldChange(facts, tenant, this.hold, { by, to, amendment });
    if (holdMinutes === undefined) return ofHold(changed);
    const extended = decideExtension(
      facts,
      tenant,
      { ...this.hold, ...changed.result.after },
      { holdMinutes, by },
    );
    return {
      result: { hold: extended.result.after },
      hold: withExtension(changed.hold, extended.hold),
      changed: [...changed.changed, ...extended.changed],
    };
  }

  /**
   * Makes a confirmed booking that consumes the hold, and stores the changed details. Throws the errors of decideBooking.
   * @param details those that the request changes
   */
  book(
    request: Omit<BookingRequest, 'holdId' | 'departureDate' | 'by' | 'isConfirmed'>,
    details: ChangedOctoDetails,
  ): ReservationDecision {
    const { hold, facts, by } = this;
    const { tenant } = this.seller;
    const wanted = wantedBookingOfHold(tenant, hold, { ...request, by, isConfirmed: true });
    const held = { ...hold, tenantId: tenant.id, octo: withChangedDetails(this.octo, details, facts.at) };
    const { result: lead, ...rows } = decideBooking({ ...facts, holds: [held] }, wanted);
    const consumed = { ...hold, status: held.status, endedAt: new Date(facts.at), endedBy: by };
    return { ...rows, result: { lead, hold: consumed }, details };
  }

  /** Confirms the booking. Throws the errors of decideConfirmation. */
  confirm(lead: StoredLead): ReservationDecision {
    return ofLead(decideConfirmation(this.facts, this.seller.tenant, lead, { by: this.by }));
  }

  /** Cancels the booking. Throws the errors of decideCancellation. */
  cancel(lead: StoredLead, cancellation: Omit<Cancellation, 'by'>): ReservationDecision {
    const { facts, by } = this;
    return ofLead(decideCancellation(facts, this.seller.tenant, lead, { ...cancellation, by }));
  }

  /** Changes the booking. Throws the errors of decideBookingChange. */
  changeBooking(lead: StoredLead, to: DepartureChoice, amendment: BookingAmendment): ReservationDecision {
    const { facts, by } = this;
    return ofLead(decideBookingChange(facts, this.seller.tenant, lead, { by, to, amendment }));
  }
}

function ofHold({ result, ...rows }: Decided<{ after: SeatHold }>): ReservationDecision {
  return { ...rows, result: { hold: result.after } };
}

function ofLead({ result, ...rows }: Decided<{ after: BookingLead }>): ReservationDecision {
  return { ...rows, result: { lead: result.after } };
}

/** Returns the rows of a hold that is changed and extended. */
function withExtension(changed: Decided<unknown>['hold'], extended: Decided<unknown>['hold']) {
  if (!changed || !extended) return changed ?? extended;
  return { ...changed, ...extended, columns: { ...changed.columns, ...extended.columns } };
}
