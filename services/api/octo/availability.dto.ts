import type { Tour } from '../catalog/tour';
import {
  departureStatus,
  type DepartureStatus,
  type ListedDeparture,
  seatsAvailable,
} from '../departures/departure';
import type { PricedDeparture } from '../departures/find-departures';
import { type Party, seatsOf } from '../pricing/party';
import type { OctoCapability } from './capabilities';
import { type OctoUnitPricing, toUnitPricing } from './pricing.dto';
import { maxUnits } from './product.dto';

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
   * The date of the departure.
   * @example "2027-03-06"
   */
  localDate: string;
  /**
   * True if the wanted units are free; without units, if one is.
   * @example true
   */
  available: boolean;
  /**
   * LIMITED: fewer than half of the seats are free.
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
  /** The whole day, for a tour without a start time; else empty. */
  openingHours: OctoOpeningHours[];
  /** With `octo/pricing`. */
  unitPricingFrom?: OctoUnitPricing[];
}

export interface OctoAvailability {
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
   * True for a tour without a start time.
   * @example false
   */
  allDay: boolean;
  /**
   * True if the wanted units are free; without units, if one is.
   * @example true
   */
  available: boolean;
  /**
   * LIMITED: fewer than half of the seats are free.
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
  /** The whole day, for a tour without a start time; else empty. */
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
  /** The wanted units; undefined: one seat. */
  party?: Party;
}

/** Returns the departures of a tour as OCTO's availabilities. */
export function toAvailabilities(
  tour: Tour,
  departures: PricedDeparture[],
  view: AvailabilityView,
): OctoAvailability[] {
  const toLocalTime = localTimeIn(tour.timeZone);
  return departures.map((priced) => toAvailability(tour, priced, view, toLocalTime));
}

/** Returns a departure as OCTO's availability. @param toLocalTime of the tour's time zone */
export function toAvailability(
  tour: Tour,
  priced: PricedDeparture,
  view: AvailabilityView,
  toLocalTime: ToLocalTime,
): OctoAvailability {
  const { departure } = priced;
  const unitPricing = pricingOf(priced, view);
  return {
    id: departure.id,
    localDateTimeStart: toLocalTime(departure.departureDate, `${tour.startTime ?? '00:00'}:00`),
    localDateTimeEnd: toLocalTime(lastDay(tour, departure), '23:59:59'),
    allDay: tour.startTime === null,
    ...seatsOfDay(tour, priced, view),
    maxUnits: maxUnits(tour),
    utcCutoffAt: departure.salesEndAt.toISOString().replace(/\.\d+Z$/, 'Z'),
    openingHours: openingHours(tour),
    ...(unitPricing && { unitPricing }),
  };
}

/** Returns the departures of a tour as the days of OCTO's calendar. */
export function toCalendar(
  tour: Tour,
  departures: PricedDeparture[],
  view: AvailabilityView,
): OctoCalendarDay[] {
  return departures.map((priced) => {
    const unitPricingFrom = pricingOf(priced, view);
    return {
      localDate: priced.departure.departureDate,
      ...seatsOfDay(tour, priced, view),
      openingHours: openingHours(tour),
      ...(unitPricingFrom && { unitPricingFrom }),
    };
  });
}

function seatsOfDay(tour: Tour, { departure, quote }: PricedDeparture, { party }: AvailabilityView) {
  const vacancies = seatsAvailable(departure);
  const capacity = departure.seatsTotal;
  const status = STATUSES[departureStatus(departure)];
  const isLimited = status === 'AVAILABLE' && vacancies * 2 < capacity;
  const wanted = party ? seatsOf(party) : 1;
  const isPriced = !party?.child || quote.platform.child !== undefined;
  return {
    available: isPriced && wanted <= Math.min(vacancies, maxUnits(tour)) && vacancies > 0,
    status: isLimited ? ('LIMITED' as const) : status,
    vacancies,
    capacity,
  };
}

function pricingOf({ departure, quote }: PricedDeparture, { capabilities }: AvailabilityView) {
  return capabilities.includes('octo/pricing') ? toUnitPricing(departure.tour, quote) : undefined;
}

function openingHours({ startTime }: Tour) {
  return startTime === null ? ALL_DAY : [];
}

function lastDay({ durationDays }: Tour, { departureDate, returnDate }: ListedDeparture): string {
  return returnDate ?? addDays(departureDate, durationDays - 1);
}

const DAY_MS = 86_400_000;

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

const MINUTE_MS = 60_000;

/** Returns a local time with the offset of its time zone: `2027-03-06T12:00:00+07:00`. */
export type ToLocalTime = (date: string, time: string) => string;

/**
 * Returns the function that adds the offset of a time zone. A time that the clock shows twice, because it goes back, gets its first offset.
 * For a time that the clock skips, the result is the time that it shows instead, as in PostgreSQL: 03:30 for 02:30.
 * @param timeZone IANA name. Call it once for all dates of a tour: creating the formatter takes longer than using it
 */
export function localTimeIn(timeZone: string): ToLocalTime {
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number) => {
    const name = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    return name.slice('GMT'.length) || '+00:00';
  };
  return (date, time) => {
    const asUtc = Date.parse(`${date}T${time}Z`);
    const instantBy = (offset: string) => asUtc - toMs(offset);
    // A day earlier and a day later in UTC are before and after any change of the clock on the local day.
    const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)];
    // A time that the clock shows twice has both offsets; the first is the one before the change. A skipped time has neither.
    const isByOffsetAfter = before !== after && offsetAt(instantBy(before)) !== before;
    const isSkipped = isByOffsetAfter && offsetAt(instantBy(after)) !== after;
    if (!isSkipped) return `${date}T${time}${isByOffsetAfter ? after : before}`;
    return withOffset(instantBy(before), after);
  };
}

function withOffset(instant: number, offset: string): string {
  return new Date(instant + toMs(offset)).toISOString().slice(0, '2027-03-06T12:00:00'.length) + offset;
}

function toMs(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}
