import type { WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import type { NewSaleChange } from '../audit/changed-fields';
import type { BookingLead, Refund } from '../bookings/booking-lead';
import type { Departure } from '../departures/departure';
import type { SeatHold } from '../holds/seat-hold';
import type { Actor } from '../tenants/actor';
import type { ChangedDate } from './after-commit';
import type { HeldSeats } from './read/facts';
import type { StoredColumns } from '../../platform/database/row-description';

/** The result of a granted change of seats, and the rows that it writes. A part that is left out is not written. */
export interface Decided<Result> {
  result: Result;
  newHold?: NewHold;
  newLead?: NewLead;
  hold?: {
    id: string;
    columns: StoredColumns;
    change?: NewSaleChange;
    /** The new end of an extended hold. */
    extension?: { expiresAt: string; by: Actor | null };
  };
  lead?: {
    id: number;
    columns: StoredColumns;
    change?: NewBookingChange;
    /** The columns of booking_answers that change. */
    answers?: StoredColumns;
  };
  /** The details of OCTO of a hold. */
  octo?: { id: string; columns: StoredColumns };
  /** In the order in which the tenant gets them. */
  events?: WebhookEvent[];
  /** The dates whose seats change. */
  changed: ChangedDate[];
}

interface NewBookingChange extends NewSaleChange {
  /** The refund of what a smaller total frees. Undefined, null: none. */
  refund?: Refund | null;
}

interface NewHold {
  columns: StoredColumns;
  /** The details of OCTO. Undefined: placed by REST. */
  octo: StoredColumns | undefined;
  /** Its status becomes `converted` if a later booking of the transaction consumes the hold. */
  held: HeldSeats;
}

interface NewLead {
  id: number;
  columns: StoredColumns;
  /** The hold that the booking consumes. */
  held: HeldSeats | null;
  /** The row of booking_answers. Undefined: the tour asks nothing. */
  answers?: StoredColumns;
}

/** Returns the date of a departure. */
export function dateOfDeparture({ tour, departureDate, sandbox }: Departure): ChangedDate {
  return { tourId: tour.id, date: departureDate, sandbox };
}

/** Returns the date of a hold. @param sandbox true: its tenant is a sandbox tenant */
export function dateOfHold({ tour, departureDate }: SeatHold, sandbox: boolean): ChangedDate {
  return { tourId: tour.id, date: departureDate, sandbox };
}

/** Returns the date of a booking. Empty: the booking has no date. */
export function datesOfLead({ tour, departureDate, sandbox }: BookingLead): ChangedDate[] {
  return departureDate === null ? [] : [{ tourId: tour.id, date: departureDate, sandbox }];
}
