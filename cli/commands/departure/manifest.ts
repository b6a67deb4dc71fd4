import { type BookingLead, peopleOf, travellersOf } from '../../../services/api/bookings/booking-lead';
import { findStandingLeads } from '../../../services/api/bookings/booking-lead.repository';
import { findTour } from '../../../services/api/catalog/find-tour';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { findTourDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import { describeParty, seatsOf } from '../../../services/api/pricing/party';
import { csvLine } from '../../../services/platform/csv-cells';
import { HIDDEN } from '../../../services/platform/text-forms';
import type { Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { CSV_FLAG } from '../../engine/list';
import {
  describeTraveller,
  recordReveal,
  REVEAL_FLAG,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
  toTravellerDocument,
} from '../../engine/personal-data';
import { departureOnDate } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { beside } from '../../terminal/table';
import { countOf, foldLines } from '../../terminal/text';
import { nameOfDeparture } from './document';

interface ManifestOptions extends RevealOptions {
  csv?: boolean;
}

export const manifestVerb: Verb = {
  usage: 'manifest <tour> <date>',
  about: 'Print who travels with a departure, for its guide: each confirmed or unpaid booking, with a box',
  args: { date: departureOnDate },
  flags: [CSV_FLAG, REVEAL_FLAG],
  examples: [
    'departure manifest dolomites-hut-to-hut 2027-06-05 --reveal',
    'departure manifest lisbon-tram 2027-06-05T09:30 --csv --reveal > saturday.csv',
  ],
  audits: true,
  run: printManifestCommand,
};

async function printManifestCommand(
  context: AuditedContext,
  { csv = false, reveal = false }: ManifestOptions,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const { db, output } = context;
  const tour = await findTour(db, idOrSlug);
  const departure = await findTourDeparture(db, tour, named);
  const leads = await findStandingLeads(db, departure.id);
  if (reveal) {
    const entry = { action: 'departure.reveal', subject: `${tour.slug} ${nameOfDeparture(departure)}` };
    await recordReveal(context, entry, { bookings: leads.length });
  }
  const manifest = {
    tour: tour.slug,
    departure_date: departure.departureDate,
    start_time: departure.startTime,
    people: leads.reduce((people, { party }) => people + seatsOf(party), 0),
    bookings: leads.map((lead) => toManifestBooking(lead, reveal)),
  };
  if (csv) return output.pour(csvLines(manifest), 'csv');
  await output.answer(manifest, (screen) => describeManifest(manifest, departure.cancelled, screen));
  if (!reveal && leads.length > 0)
    output.note('Names, phones, travellers and notes are masked: --reveal shows them');
}

type ManifestBooking = ReturnType<typeof toManifestBooking>;

interface Manifest {
  tour: string;
  departure_date: string;
  start_time: string | null;
  people: number;
  bookings: ManifestBooking[];
}

function toManifestBooking(lead: BookingLead, reveal: boolean) {
  const { name, phone } = toCustomerDocument(lead.customer, reveal);
  const travellers = travellersOf(lead);
  return {
    booking_ref: lead.bookingRef,
    tenant: lead.tenant.slug,
    status: lead.status,
    adults: lead.party.adult,
    children: lead.party.child,
    single_supplements: lead.party.single_supplement,
    name,
    phone,
    travellers: travellers && travellers.map((one) => toTravellerDocument(one, reveal)),
    notes: lead.notes === null || reveal ? lead.notes : HIDDEN,
    external_ref: toReferenceDocument(lead.externalRef, peopleOf(lead), reveal),
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
] as const;

async function* csvLines({ bookings, ...departure }: Manifest): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  for (const { travellers: named, ...booking } of bookings) {
    const travellers = named && named.map(describeTraveller).join('; ');
    const values = { ...departure, ...booking, travellers };
    yield csvLine(CSV_COLUMNS.map((column) => values[column]));
  }
}

/** The width of a page of paper. */
const PAPER_COLUMNS = 80;

function describeManifest(manifest: Manifest, cancelled: boolean, screen: Screen): string {
  const { tour, departure_date: date, start_time: time, people, bookings } = manifest;
  const unpaid = bookings.filter(({ status }) => status === 'pending_payment').length;
  const paper = { ...screen, columns: Math.min(screen.columns ?? PAPER_COLUMNS, PAPER_COLUMNS) };
  const counts = [
    people === 1 ? '1 person' : `${people} people`,
    countOf(bookings.length, 'booking'),
    ...(unpaid > 0 ? [`${unpaid} unpaid`] : []),
  ];
  const title = `${tour} on ${nameDeparture(date, time)}${cancelled ? ' (cancelled)' : ''}`;
  const head = `${title}\n${bookings.length === 0 ? 'No bookings' : counts.join(', ')}`;
  return [head, ...bookings.map((booking) => describeBooking(booking, paper))].join('\n\n');
}

const BOX = '[ ]';

/** Draws a box to tick off beside the facts of the booking. */
function describeBooking(booking: ManifestBooking, screen: Screen): string {
  const { booking_ref, tenant, status, name, phone, travellers, notes, external_ref } = booking;
  const party = describeParty({
    adult: booking.adults,
    child: booking.children,
    single_supplement: booking.single_supplements,
  });
  const lines = [
    [booking_ref, party, status === 'confirmed' ? status : 'UNPAID', tenant].join(', '),
    foldLines([name, phone].filter((value) => value !== null).join(', ')),
    ...(travellers ?? []).map((one) => `- ${describeTraveller(one)}`),
    notes === null ? '' : `Notes: ${foldLines(notes)}`,
    external_ref === null ? '' : `Reference: ${external_ref}`,
  ];
  const facts = lines.filter((line) => line !== '').join('\n');
  return beside(BOX, facts, { width: BOX.length, screen });
}
