import type { Tour } from '../catalog/tour';
import {
  departureStatus,
  type DepartureStatus,
  type ListedDeparture,
  seatsAvailable,
} from '../departures/departure';
import type { PricedDeparture } from '../departures/find-departures';
import { type Party, seatsOf } from '../pricing/party';
import type { OctoAvailability, OctoAvailabilityStatus, OctoCalendarDay } from './availability.dto';
import type { OctoCapability } from './capabilities';
import { localTimeIn, type ToLocalTime } from './local-time';
import { toUnitPricing } from './pricing';
import { maxUnits } from './product';

const STATUSES: Record<DepartureStatus, OctoAvailabilityStatus> = {
  available: 'AVAILABLE',
  sold_out: 'SOLD_OUT',
  closed: 'CLOSED',
  cancelled: 'CLOSED',
  gone: 'CLOSED',
};

const ALL_DAY = [{ from: '00:00', to: '23:59' }];

/** How departures become availabilities. */
export interface AvailabilityView {
  capabilities: OctoCapability[];
  /** The wanted units; undefined: one of any. */
  party?: Party;
}

/** Returns the departures of a tour as OCTO's availabilities (CONTRACT section 9, Availability). */
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
