import { freeText } from '../booking/document';
import { adjustmentAnswer } from '../../../services/api/bookings/adjustment';
import { toMajor } from '../../../services/api/pricing/currency';
import { type BookingLead, peopleOf, travellersOf } from '../../../services/api/bookings/booking-lead';
import { findStandingLeads } from '../../../services/api/bookings/booking-lead.repository';
import { awaitsPayment } from '../../../services/api/bookings/booking-status';
import { findTour } from '../../../services/api/catalog/find-tour';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import { findTourDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import type { Category } from '../../../services/api/parties/category';
import { describeParty, namedNumbers, peopleOfParty } from '../../../services/api/parties/party';
import { type Party, unitsOf } from '../../../services/api/parties/party-rules';
import { csvLine } from '../../../services/platform/csv-cells';
import type { Verb } from '../../engine/command';
import { describeAnswer, toAnswersDocument } from '../../engine/answers';
import { flag } from '../../engine/command';
import { UsageError } from '../../engine/failure';
import { describePickup, toPickupDocument } from '../../engine/pickup';
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
import type { Output } from '../../terminal/output';
import type { Screen } from '../../terminal/screen';
import { beside } from '../../terminal/table';
import { countOf, foldLines } from '../../terminal/text';
import { nameOfDeparture } from './document';
import { byPickup, countPeople, describeStop } from './stops';

interface ManifestOptions extends RevealOptions {
  csv?: boolean;
  /** `pickup`: by time and stop. */
  by?: 'pickup';
}

export const manifestVerb: Verb = {
  usage: 'manifest <tour> <date>',
  about: 'Print who travels with a departure, for its guide: each confirmed or unpaid booking, with a box',
  args: { date: departureOnDate },
  flags: [
    CSV_FLAG,
    flag('--by <order>', 'by time and stop of the pickup, then who comes alone', { choices: ['pickup'] }),
    REVEAL_FLAG,
  ],
  check: ({ csv, by }: ManifestOptions) => {
    if (csv && by !== undefined) throw new UsageError('--csv and --by are two forms of the list: give one');
  },
  examples: [
    'departure manifest dolomites-hut-to-hut 2027-06-05 --reveal',
    'departure manifest lisbon-tram 2027-06-05T09:30 --by pickup --reveal',
    'departure manifest lisbon-tram 2027-06-05T09:30 --csv --reveal > saturday.csv',
  ],
  audits: true,
  run: printManifestCommand,
};

async function printManifestCommand(
  context: AuditedContext,
  { csv = false, by, reveal = false }: ManifestOptions,
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
    ...countTravellers(leads, tour.categories),
    bookings: leads.map((lead) => toManifestBooking(lead, reveal)),
  };
  if (csv) return output.pour(csvLines(manifest), 'csv');
  if (by === 'pickup') await answerByPickup(output, manifest, departure.cancelled);
  else await output.answer(manifest, (screen) => describeManifest(manifest, departure.cancelled, screen));
  if (!reveal && leads.length > 0)
    output.note('Names, phones, travellers, answers and notes are masked: --reveal shows them');
}

async function answerByPickup(output: Output, manifest: Manifest, cancelled: boolean): Promise<void> {
  const { bookings, ...head } = manifest;
  const { stops, alone } = byPickup(bookings);
  await output.answer({ ...head, stops, alone }, (screen) => {
    const paper = paperOf(screen);
    const parts = [
      ...stops.map((stop) => describeGroup(describeStop(stop), stop, paper)),
      ...(alone.bookings.length > 0
        ? [describeGroup(`Come alone: ${countPeople(alone)}`, alone, paper)]
        : []),
    ];
    return [describeHead(manifest, cancelled), ...parts].join('\n\n');
  });
}

function describeGroup(title: string, { bookings }: { bookings: ManifestBooking[] }, screen: Screen): string {
  return [title, ...bookings.map((booking) => describeBooking(booking, screen))].join('\n\n');
}

type ManifestBooking = ReturnType<typeof toManifestBooking>;

interface Manifest {
  tour: string;
  departure_date: string;
  start_time: string | null;
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
  const { name, phone } = toCustomerDocument(lead.customer, reveal);
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
] as const;

async function* csvLines({ bookings, tour, departure_date, start_time }: Manifest): AsyncGenerator<string> {
  yield csvLine(CSV_COLUMNS);
  for (const {
    travellers: named,
    party,
    adjustment,
    answers: asked,
    pickup: fetched,
    ...booking
  } of bookings) {
    const travellers = named && named.map(describeTraveller).join('; ');
    const departure = { tour, departure_date, start_time };
    const adjustment_amount = adjustment?.amount ?? null;
    const answers = asked.map(describeAnswer).join('; ') || null;
    const pickup = fetched && describePickup(fetched);
    const values = {
      ...departure,
      ...booking,
      travellers,
      answers,
      pickup,
      party: JSON.stringify(party),
      adjustment_amount,
    };
    yield csvLine(CSV_COLUMNS.map((column) => values[column]));
  }
}

/** The width of a page of paper. */
const PAPER_COLUMNS = 80;

function describeManifest(manifest: Manifest, cancelled: boolean, screen: Screen): string {
  const paper = paperOf(screen);
  const bookings = manifest.bookings.map((booking) => describeBooking(booking, paper));
  return [describeHead(manifest, cancelled), ...bookings].join('\n\n');
}

function paperOf(screen: Screen): Screen {
  return { ...screen, columns: Math.min(screen.columns ?? PAPER_COLUMNS, PAPER_COLUMNS) };
}

/** Returns the title of the departure, and how many people travel. */
function describeHead(manifest: Manifest, cancelled: boolean): string {
  const { tour, departure_date: date, start_time: time, people, seats, categories, bookings } = manifest;
  const unpaid = bookings.filter(awaitsPayment).length;
  const counts = [
    countPeople({ people }),
    ...(seats === people ? [] : [countOf(seats, 'seat')]),
    countOf(bookings.length, 'booking'),
    ...(unpaid > 0 ? [`${unpaid} unpaid`] : []),
  ];
  const title = `${tour} on ${nameDeparture(date, time)}${cancelled ? ' (cancelled)' : ''}`;
  const party: Party = Object.fromEntries(categories.map(({ category, units }) => [category, units]));
  const head = bookings.length === 0 ? 'No bookings' : `${counts.join(', ')}\n${describeParty(party)}`;
  return `${title}\n${head}`;
}

const BOX = '[ ]';

/** Draws a box to tick off beside the facts of the booking. */
function describeBooking(booking: ManifestBooking, screen: Screen): string {
  const {
    booking_ref,
    tenant,
    status,
    party,
    name,
    phone,
    travellers,
    answers,
    pickup,
    notes,
    external_ref,
  } = booking;
  const lines = [
    [booking_ref, describeParty(party), awaitsPayment(booking) ? 'UNPAID' : status, tenant].join(', '),
    foldLines([name, phone].filter((value) => value !== null).join(', ')),
    ...(travellers ?? []).map((one) => `- ${describeTraveller(one)}`),
    pickup === null ? '' : `Pickup: ${describePickup(pickup)}`,
    ...answers.map((one) => `* ${describeAnswer(one)}`),
    notes === null ? '' : `Notes: ${foldLines(notes)}`,
    external_ref === null ? '' : `Reference: ${external_ref}`,
  ];
  const facts = lines.filter((line) => line !== '').join('\n');
  return beside(BOX, facts, { width: BOX.length, screen });
}
