import type { DatedTier } from '../catalog/cancellation-policy';
import type { CutoffText } from '../catalog/cutoff';
import type { TourAsks } from '../catalog/tour-asks';
import type { PricedTour } from '../pricing/price-categories';
import { partyIssue, fewestSeats, type Party, seatsOf, unitCount, type Prices } from '../parties/party-rules';

/** The most seats of a departure. */
export const SEATS_TOTAL_MAX = 100_000;

export const DEPARTURE_STATUSES = ['available', 'sold_out', 'cancelled', 'gone', 'closed'] as const;
export type DepartureStatus = (typeof DEPARTURE_STATUSES)[number];

/** A departure of a tour, with the seats that were taken at `asOf` by the database's clock. */
export interface Departure {
  id: string;
  /** The tour's fields that pricing needs. Read in the same statement, because an import may change the tour and the departure together. */
  tour: PricedTour;
  departureDate: string;
  /** Local time, HH:MM: the departure's own start time, or that of its tour. Null: none. */
  startTime: string | null;
  returnDate: string | null;
  seatsTotal: number;
  /** Held and booked seats. */
  seatsTaken: number;
  /** The seats that its resources leave for more sales. Null: they limit none. Below 0: more are sold than a unit carries. */
  seatsOfResources: number | null;
  /** True: `seatsTaken` counts the seats of all sandbox tenants. False: the seats of all real tenants (ADR 29). */
  sandbox: boolean;
  cancelled: boolean;
  /** True: the departure has started or, if it has no start time, its date has ended in the tour's time zone. */
  past: boolean;
  /** True: the closing time of its sales has passed. */
  closed: boolean;
  prices: Prices;
  asOf: Date;
}

/** A departure whose free seats a refusal may explain. */
export interface ExplainedDeparture extends Departure {
  /** The code of the resource that leaves the fewest seats. Null: none limits them. Undefined: its resources are not locked. */
  scarceResource?: string | null;
}

/** A departure that a transaction has locked, to sell or free its seats. */
export interface LockedDeparture extends ExplainedDeparture {
  /** The present tiers of its tour, which a sale locks. Null: the tour states none. */
  tiers: DatedTier[] | null;
  /** The questions and the pickup of its tour now, which a booking locks. */
  asks: TourAsks;
  /** The first instant at which the departure cannot be booked, with microseconds. */
  closingAt: string;
  /** The first instant at which the departure is past. */
  pastAt: string;
  /** Ids of the resources that it uses. */
  resourceIds: string[];
}

/** A departure in a list of its tour. */
export interface ListedDeparture extends Departure {
  /** The first instant at which the departure cannot be booked. */
  salesEndAt: Date;
  /** The departure's own cut-off. Null: its own instant, or the cut-off of its tour. */
  closesBefore: CutoffText | null;
}

/** The tour, date and time by which a request names a departure. */
export interface DepartureKey {
  tourId: string;
  /** YYYY-MM-DD */
  departureDate: string;
  /** HH:MM. Undefined: the only departure of the date. */
  departureTime?: string;
}

/** The departure to which a change moves a hold or booking. The parts that the change does not name stay the same. */
export interface DepartureMove extends Partial<DepartureKey> {
  /** The id of the departure. With it, a time is not needed: the start time may change before the departure is locked. */
  departureId?: string;
}

/** The position of a departure in the list of its tour's departures. */
export interface DeparturePosition {
  date: string;
  /** HH:MM. Null: the departure has no start time. Undefined: the position after all departures of the date. */
  time?: string | null;
}

/** A request for seats. */
export interface WantedSeats {
  tourId: string;
  /** Null: there is no such departure. */
  departureId: string | null;
  departureDate: string;
  /** The start time of the departure, or the requested one. Null: none. */
  departureTime: string | null;
  quantity: number;
  /** True: a sandbox tenant sent the request. */
  sandbox: boolean;
}

/**
 * The facts that end the sale of a departure, the deciding one first, with the status that follows. `cancelled` comes first, because a
 * departure stays cancelled on any date. Free seats change none of them. DEPARTURE_STATUS (departure.repository.ts) is made of this list.
 * The SQL function departure_is_open() is true if none is, and departure_closes_at() returns the first instant at which it is false
 * (0141_closing_and_cancellation.sql).
 * @rule what ends the sale of a departure: test/api/statuses.test.ts
 */
export const ENDS_OF_SALE = [
  { fact: 'cancelled', status: 'cancelled' },
  { fact: 'past', status: 'gone' },
  { fact: 'closed', status: 'closed' },
] as const;

export function departureStatus(departure: Departure): DepartureStatus {
  const end = ENDS_OF_SALE.find(({ fact }) => departure[fact]);
  if (end) return end.status;
  return seatsLeft(departure) > 0 ? 'available' : 'sold_out';
}

/**
 * Returns the seats that neither sales nor the resources of the departure take, whether it can be booked or not: the least that both leave.
 * seatsLeftSql (departure-row.ts) is its SQL. Below 0: more are sold.
 * @rule the seats that a departure and its resources leave: test/resources/counted-alike.test.ts
 */
export function seatsLeft({
  seatsTotal,
  seatsTaken,
  seatsOfResources,
}: Pick<Departure, 'seatsTotal' | 'seatsTaken' | 'seatsOfResources'>): number {
  return Math.min(seatsTotal - seatsTaken, seatsOfResources ?? Infinity);
}

/** Returns the code of the resource that leaves fewer seats than the departure has left itself. Null: none does. */
export function limitingResource({
  seatsTotal,
  seatsTaken,
  seatsOfResources,
  scarceResource = null,
}: ExplainedDeparture): string | null {
  return seatsOfResources !== null && seatsOfResources < seatsTotal - seatsTaken ? scarceResource : null;
}

/** Returns the departure as it is without some of its sold seats, for the change of a sale that has them. */
export function withoutSeats<D extends Departure>(departure: D, seats: number): D {
  const { seatsTaken, seatsOfResources } = departure;
  return {
    ...departure,
    seatsTaken: seatsTaken - seats,
    seatsOfResources: seatsOfResources === null ? null : seatsOfResources + seats,
  };
}

/** Returns true if nothing ends the sale of the departure. It may be sold out. */
export function isOpen(departure: Departure): boolean {
  return !ENDS_OF_SALE.some(({ fact }) => departure[fact]);
}

/** Returns the number of seats that can be sold: 0 for a departure that is cancelled, gone or closed. */
export function seatsAvailable(departure: Departure): number {
  return departureStatus(departure) === 'available' ? seatsLeft(departure) : 0;
}

/** Returns whether the departure has enough free seats for the smallest booking that it sells. */
export function fitsSmallestBooking(departure: Departure): boolean {
  return fewestSeats(departure.prices, departure.tour.categories) <= seatsAvailable(departure);
}

/**
 * Returns whether this number of seats of the departure can be booked.
 * @rule whether a departure can be booked: test/octo/availability.test.ts
 */
export function canBookSeats(departure: Departure, seats: number): boolean {
  return fitsSmallestBooking(departure) && seats <= seatsAvailable(departure);
}

/** Returns whether the party can be booked: the departure sells its units together, and has enough free seats for them. */
export function canBookParty(departure: Departure, party: Party, mostUnits: number): boolean {
  return (
    sellsTogether(departure, party) &&
    seatsOf(party, departure.tour.categories) <= seatsAvailable(departure) &&
    unitCount(party) <= mostUnits
  );
}

function sellsTogether({ tour: { categories }, prices }: Departure, party: Party): boolean {
  return partyIssue(party, categories, prices, {}) === undefined;
}
