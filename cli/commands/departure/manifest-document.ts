import { freeText } from '../booking/document';
import { adjustmentAnswer } from '../../../services/api/bookings/adjustment';
import { type BookingLead, peopleOf, travellersOf } from '../../../services/api/bookings/booking-lead';
import { findStandingLeads } from '../../../services/api/bookings/booking-lead.repository';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import { findTourDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import type { Category } from '../../../services/api/parties/category';
import { namedNumbers, peopleOfParty } from '../../../services/api/parties/party';
import { unitsOf } from '../../../services/api/parties/party-rules';
import { toMajor } from '../../../services/api/pricing/currency';
import {
  selectUsedResources,
  type UsedResource,
} from '../../../services/api/resources/uses-of-departures.repository';
import { csvLine } from '../../../services/platform/csv-cells';
import { describeAnswer, toAnswersDocument } from '../../engine/answers';
import type { AuditedContext } from '../../engine/context';
import {
  describeTraveller,
  recordReveal,
  toCustomerDocument,
  toReferenceDocument,
  toTravellerDocument,
} from '../../engine/personal-data';
import { describePickup, toPickupDocument } from '../../engine/pickup';
import { nameOfDeparture } from './document';

/** Reads who travels with a departure. `reveal` records that names and telephones were shown. */
export async function readManifest(
  context: AuditedContext,
  { tour, named }: { tour: CatalogTour; named: NamedDeparture },
  reveal: boolean,
): Promise<Manifest> {
  const { db } = context;
  const departure = await findTourDeparture(db, tour, named);
  const leads = await findStandingLeads(db, departure.id);
  if (reveal) {
    const entry = { action: 'departure.reveal', subject: `${tour.slug} ${nameOfDeparture(departure)}` };
    await recordReveal(context, entry, { bookings: leads.length });
  }
  return {
    tour: tour.slug,
    departure_date: departure.departureDate,
    start_time: departure.startTime,
    cancelled: departure.cancelled,
    timeZone: tour.timeZone,
    resources: await selectUsedResources(db, departure.id),
    ...countTravellers(leads, tour.categories),
    bookings: leads.map((lead) => toManifestBooking(lead, reveal)),
  };
}

export type ManifestBooking = ReturnType<typeof toManifestBooking>;

export interface Manifest {
  tour: string;
  departure_date: string;
  start_time: string | null;
  cancelled: boolean;
  /** The zone of the tour. */
  timeZone: string;
  /** Guides first. */
  resources: UsedResource[];
  people: number;
  seats: number;
  /** The categories with at least one unit. A supplement has neither people nor seats. */
  categories: CountedCategory[];
  bookings: ManifestBooking[];
}

interface CountedCategory {
  /** The code. */
  category: string;
  units: number;
  people: number;
  seats: number;
}

/**
 * Counts people and seats of the bookings together and by category. A unit has as many as its booking has locked.
 * @param present the present categories of the tour, which decide the order
 */
function countTravellers(leads: BookingLead[], present: readonly Category[]) {
  const locked = leads.flatMap(({ categories }) => categories.map(({ code }) => code));
  const codes = new Set([...present.map(({ code }) => code), ...locked]);
  const categories = [...codes].map((code) => countCategory(leads, code)).filter(({ units }) => units > 0);
  const total = (field: 'people' | 'seats') => categories.reduce((sum, counted) => sum + counted[field], 0);
  return { people: total('people'), seats: total('seats'), categories };
}

function countCategory(leads: BookingLead[], code: string): CountedCategory {
  const counted = { category: code, units: 0, people: 0, seats: 0 };
  for (const { party, categories } of leads) {
    const units = unitsOf(party, code);
    const { people, seats } = categories.find((one) => one.code === code) ?? { people: 0, seats: 0 };
    counted.units += units;
    counted.people += units * people;
    counted.seats += units * seats;
  }
  return counted;
}

function toManifestBooking(lead: BookingLead, reveal: boolean) {
  const { name, phone, phone_as_sent } = toCustomerDocument(lead.customer, reveal);
  const travellers = travellersOf(lead);
  const adjustment = adjustmentAnswer(lead.adjustment, lead);
  return {
    booking_ref: lead.bookingRef,
    tenant: lead.tenant.slug,
    status: lead.status,
    ...namedNumbers(lead.party),
    party: lead.party,
    people: peopleOfParty(lead.party, lead.categories),
    seats: lead.seats,
    name,
    phone,
    phone_as_sent,
    travellers: travellers && travellers.map((one) => toTravellerDocument(one, reveal)),
    answers: toAnswersDocument(lead, reveal),
    pickup: toPickupDocument(lead, reveal),
    notes: freeText(lead.notes, reveal),
    external_ref: toReferenceDocument(lead.externalRef, peopleOf(lead), reveal),
    source: lead.source,
    payment_method: lead.paymentMethod,
    total_price: toMajor(lead.totalMinor, lead.currencyDigits),
    currency: lead.currency,
    adjustment: adjustment && { ...adjustment, reason: freeText(adjustment.reason, reveal) },
  };
}

const CSV_COLUMNS = [
  'tour',
  'departure_date',
  'start_time',
  'booking_ref',
  'tenant',
  'status',
  'adults',
  'children',
  'single_supplements',
  'name',
  'phone',
  'travellers',
  'notes',
  'external_ref',
  'party',
  'people',
  'seats',
  'source',
  'payment_method',
  'total_price',
  'currency',
  'adjustment_amount',
  'answers',
  'pickup',
  'phone_as_sent',
] as const;

/** Returns the manifests as CSV, with the tour and the departure in each line. */
export async function* csvLines(manifests: Manifest[]): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  for (const manifest of manifests) yield* csvLinesOf(manifest);
}

function* csvLinesOf(manifest: Manifest): Generator<string> {
  const { bookings, tour, departure_date, start_time } = manifest;
  for (const {
    travellers: named,
    party,
    adjustment,
    answers: asked,
    pickup: fetched,
    phone_as_sent = null,
    ...booking
  } of bookings) {
    const travellers = named && named.map(describeTraveller).join('; ');
    const departure = { tour, departure_date, start_time };
    const adjustment_amount = adjustment?.amount ?? null;
    const answers = asked.map(describeAnswer).join('; ') || null;
    const pickup = fetched && describePickup(fetched, manifest);
    const values = {
      ...departure,
      ...booking,
      travellers,
      answers,
      pickup,
      phone_as_sent,
      party: JSON.stringify(party),
      adjustment_amount,
    };
    yield csvLine(CSV_COLUMNS.map((column) => values[column]));
  }
}
