import type { Tour } from '../catalog/tour';
import {
  canBookParty,
  departureStatus,
  type DepartureStatus,
  fitsSmallestBooking,
  isOpen,
  type ListedDeparture,
  seatsAvailable,
} from '../departures/departure';
import type { PricedDeparture, SoldDeparture } from '../departures/find-departures';
import type { OctoCapability } from './capabilities';
import { lowestUnitPricing, type OctoUnitPricing, toUnitPricing } from './pricing.dto';
import { type OctoPickupOffer, pickupTimesOf, toPickupOffer } from './pickup.dto';
import { hasStartTimes, maxUnits } from './product.dto';
import type { Party } from '../parties/party-rules';
import { addDays } from '../../platform/forms/days';
import { localTimeIn, type ToLocalTime } from '../catalog/local-time';

export interface OctoOpeningHours {
  /**
   * Local time.
   * @example "00:00"
   */
  from: string;
  /**
   * Local time.
   * @example "23:59"
   */
  to: string;
}

export type OctoAvailabilityStatus = 'AVAILABLE' | 'LIMITED' | 'SOLD_OUT' | 'CLOSED';

export interface OctoCalendarDay {
  /**
   * The date of the departures.
   * @example "2027-03-06"
   */
  localDate: string;
  /**
   * True if one departure sells the wanted units together and has enough free seats for them. If the request names no units: for one unit.
   * @example true
   */
  available: boolean;
  /**
   * The best status of the departures, in the order AVAILABLE, LIMITED, SOLD_OUT, CLOSED. LIMITED: fewer than half of the seats are free.
   * SOLD_OUT: the free seats are too few for any unit.
   * @example "LIMITED"
   */
  status: OctoAvailabilityStatus;
  /**
   * Free seats of all departures.
   * @isInt
   * @example 7
   */
  vacancies: number;
  /**
   * All seats of all departures.
   * @isInt
   * @example 16
   */
  capacity: number;
  /** The whole day, for a departure without a start time; else empty. */
  openingHours: OctoOpeningHours[];
  /** With `octo/pricing`: the lowest price of each unit. */
  unitPricingFrom?: OctoUnitPricing[];
}

export interface OctoAvailability extends OctoPickupOffer {
  /**
   * UUID of the departure.
   * @example "c1a7a6de-5b0f-4f0a-9f0e-3b6f4d2f8a11"
   */
  id: string;
  /** @example "2027-03-06T12:00:00+07:00" */
  localDateTimeStart: string;
  /**
   * The end of the last day.
   * @example "2027-03-08T23:59:59+07:00"
   */
  localDateTimeEnd: string;
  /**
   * True for a product with opening hours.
   * @example false
   */
  allDay: boolean;
  /**
   * True if the departure sells the wanted units together and has enough free seats for them. If the request names no units: for one unit.
   * @example true
   */
  available: boolean;
  /**
   * LIMITED: fewer than half of the seats are free. SOLD_OUT: the free seats are too few for any unit.
   * @example "LIMITED"
   */
  status: OctoAvailabilityStatus;
  /**
   * Free seats.
   * @isInt
   * @example 7
   */
  vacancies: number;
  /**
   * All seats.
   * @isInt
   * @example 16
   */
  capacity: number;
  /**
   * The most units of one booking.
   * @isInt
   * @example 16
   */
  maxUnits: number;
  /**
   * The end of sales.
   * @example "2027-03-04T12:00:00Z"
   */
  utcCutoffAt: string;
  /** The whole day, for a departure without a start time; else empty. */
  openingHours: OctoOpeningHours[];
  /** With `octo/pricing`. */
  unitPricing?: OctoUnitPricing[];
}

const STATUSES: Record<DepartureStatus, OctoAvailabilityStatus> = {
  available: 'AVAILABLE',
  sold_out: 'SOLD_OUT',
  closed: 'CLOSED',
  cancelled: 'CLOSED',
  gone: 'CLOSED',
};

const ALL_DAY = [{ from: '00:00', to: '23:59' }];

/** The values of a request on which the answer of an availability depends. */
export interface AvailabilityView {
  capabilities: OctoCapability[];
  /** The wanted units; undefined: one unit. */
  party?: Party;
}

/** Creates the rows of an answer from slices of a tour's departures, which are by date. Yields the rows that are complete after each slice. */
export type ToRows<Row> = (
  tour: Tour,
  slices: AsyncIterable<PricedDeparture[]>,
  view: AvailabilityView,
) => AsyncGenerator<Row[]>;

/** Yields the departures as OCTO's availabilities. */
export async function* toAvailabilities(
  tour: Tour,
  slices: AsyncIterable<PricedDeparture[]>,
  view: AvailabilityView,
): AsyncGenerator<OctoAvailability[]> {
  const toLocalTime = localTimeIn(tour.timeZone);
  for await (const slice of slices)
    yield slice.map((priced) => toAvailability(tour, priced, view, toLocalTime));
}

/** Returns a departure as OCTO's availability. @param toLocalTime the function for the tour's time zone */
export function toAvailability(
  tour: Tour,
  priced: SoldDeparture,
  view: AvailabilityView,
  toLocalTime: ToLocalTime,
): OctoAvailability {
  const { departure } = priced;
  const unitPricing = pricingOf(priced, view);
  return {
    id: departure.id,
    localDateTimeStart: toLocalTime(departure.departureDate, `${departure.startTime ?? '00:00'}:00`),
    localDateTimeEnd: toLocalTime(lastDay(tour, departure), '23:59:59'),
    // OCTO's validator refuses true in a product with start times, also for a departure without one.
    allDay: !hasStartTimes(tour),
    ...seatsOfDeparture(tour, priced, view),
    maxUnits: maxUnits(tour),
    utcCutoffAt: departure.salesEndAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    openingHours: openingHours(tour, departure),
    ...(unitPricing && { unitPricing }),
    ...toPickupOffer(tour.pickup, view.capabilities, () =>
      pickupTimesOf(departure, tour.timeZone, toLocalTime),
    ),
  };
}

/** Yields the days of OCTO's calendar, each with all its departures. */
export async function* toCalendar(
  tour: Tour,
  slices: AsyncIterable<PricedDeparture[]>,
  view: AvailabilityView,
): AsyncGenerator<OctoCalendarDay[]> {
  let unfinished: PricedDeparture[] = [];
  for await (const slice of slices) {
    const days = byDate([...unfinished, ...slice]);
    // The last day of a slice may continue in the next one.
    unfinished = days.pop() ?? [];
    yield days.map((ofDay) => toCalendarDay(tour, ofDay, view));
  }
  if (unfinished.length > 0) yield [toCalendarDay(tour, unfinished, view)];
}

function byDate(departures: PricedDeparture[]): PricedDeparture[][] {
  const days: PricedDeparture[][] = [];
  let date: string | undefined;
  for (const priced of departures) {
    const { departureDate } = priced.departure;
    if (departureDate === date) days.at(-1)!.push(priced);
    else days.push([priced]);
    date = departureDate;
  }
  return days;
}

/** The statuses from the best to the worst. */
const BEST_FIRST = ['AVAILABLE', 'LIMITED', 'SOLD_OUT', 'CLOSED'] as const;

function toCalendarDay(tour: Tour, ofDay: PricedDeparture[], view: AvailabilityView): OctoCalendarDay {
  const seats = ofDay.map((priced) => seatsOfDeparture(tour, priced, view));
  const [{ departure }] = ofDay as [PricedDeparture];
  const unitPricingFrom = lowestPricingOf(ofDay, view);
  return {
    localDate: departure.departureDate,
    available: seats.some(({ available }) => available),
    status: BEST_FIRST.find((best) => seats.some(({ status }) => status === best))!,
    vacancies: sum(seats.map(({ vacancies }) => vacancies)),
    capacity: sum(seats.map(({ capacity }) => capacity)),
    // A departure without a start time is the only one of its date.
    openingHours: openingHours(tour, departure),
    ...(unitPricingFrom && { unitPricingFrom }),
  };
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Returns the lowest prices of a day's open departures. If none is open, returns the lowest prices of all departures of the day. */
function lowestPricingOf(ofDay: PricedDeparture[], view: AvailabilityView): OctoUnitPricing[] | undefined {
  if (!view.capabilities.includes('octo/pricing')) return undefined;
  const open = ofDay.filter(({ departure }) => isOpen(departure));
  const shown = open.length > 0 ? open : ofDay;
  return lowestUnitPricing(shown.map(({ quote }) => quote));
}

function seatsOfDeparture(tour: Tour, { departure }: SoldDeparture, { party }: AvailabilityView) {
  const fitsOne = fitsSmallestBooking(departure);
  return {
    available: party ? canBookParty(departure, party, maxUnits(tour)) : fitsOne,
    status: statusOf(departure, fitsOne),
    vacancies: seatsAvailable(departure),
    capacity: departure.seatsTotal,
  };
}

/** @param fitsOne the free seats are enough for one unit */
function statusOf(departure: ListedDeparture, fitsOne: boolean): OctoAvailabilityStatus {
  const status = STATUSES[departureStatus(departure)];
  if (status !== 'AVAILABLE') return status;
  if (!fitsOne) return 'SOLD_OUT';
  return seatsAvailable(departure) * 2 < departure.seatsTotal ? 'LIMITED' : 'AVAILABLE';
}

function pricingOf({ quote }: SoldDeparture, { capabilities }: AvailabilityView) {
  if (!capabilities.includes('octo/pricing')) return undefined;
  return quote ? toUnitPricing(quote) : [];
}

/**
 * Returns the whole day for a departure without a start time. Also returns it for every departure of a product with opening hours, even for
 * a past departure with a start time: OCTO requires opening hours on each departure of such a product.
 */
function openingHours(tour: Tour, { startTime }: ListedDeparture): OctoOpeningHours[] {
  return startTime === null || !hasStartTimes(tour) ? ALL_DAY : [];
}

function lastDay({ durationDays }: Tour, { departureDate, returnDate }: ListedDeparture): string {
  return returnDate ?? addDays(departureDate, durationDays - 1);
}
