import { findTour } from '../../../services/api/catalog/find-tour';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import {
  cancelDeparture,
  type ChangedDeparture,
  type NewPrices,
  reopenDeparture,
  setPrices,
  setSeats,
} from '../../../services/api/departures/change-departure';
import { type Departure, departureStatus, seatsAvailable } from '../../../services/api/departures/departure';
import type { StandingBooking } from '../../../services/api/departures/departure-sales.repository';
import { findDepartures } from '../../../services/api/departures/departure.repository';
import { findTourDeparture } from '../../../services/api/departures/find-departures';
import { pricesAnswer } from '../../../services/api/pricing/prices';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { formatMoney } from '../../engine/money';
import {
  CUSTOMER_COLUMN,
  describeCustomer,
  recordReveal,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
} from '../../engine/personal-data';
import { type Column, table, tableOf } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';

const AFFECTED_COLUMNS: Column[] = [
  'affected booking',
  { heading: 'tenant', least: 8 },
  'status',
  { heading: 'seats', right: true },
  { heading: 'reference', least: 8 },
];

export async function cancelDepartureCommand(
  context: Context,
  { reveal = false }: RevealOptions,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const { confirm, db, output } = context;
  const tour = await findTour(db, idOrSlug);
  const departure = await findTourDeparture(db, tour, date);
  if (!departure.cancelled)
    await confirm(`Take ${tour.slug} on ${date} off sale${describeTaken(departure)}?`);
  const { bookings, document, live, tenantsInformed } = await change(context, 'cancel', tour, date, (trx) =>
    cancelDeparture(trx, tour, date),
  );
  if (reveal) {
    const entry = { action: 'departure.reveal', subject: `${tour.slug} ${date}` };
    await recordReveal(context, entry, { bookings: bookings.length });
  }
  const answer = {
    ...document,
    booking_refs: bookings.map((booking) => booking.bookingRef),
    bookings: bookings.map((booking) => toAffectedDocument(booking, reveal)),
    live_holds: live.holds,
  };
  output.answer(answer, (screen) => {
    const rows = bookings.map(({ bookingRef, tenant, status, adults, children, externalRef, customer }) => [
      bookingRef,
      tenant,
      status,
      adults + children,
      toReferenceDocument(externalRef, [customer], reveal),
      ...(reveal ? [describeCustomer(customer)] : []),
    ]);
    const columns = reveal ? [...AFFECTED_COLUMNS, CUSTOMER_COLUMN] : AFFECTED_COLUMNS;
    const holds =
      live.holds > 0
        ? [`${countOf(live.holds, 'live hold')} of ${countOf(live.seats, 'seat')} can no longer be booked`]
        : [];
    return [
      `${tour.slug} on ${date} is cancelled; ${countIs(bookings.length, 'booking')} affected`,
      ...holds,
      ...(tenantsInformed === null
        ? []
        : [`${countIs(tenantsInformed, 'tenant')} informed by the webhook event departure.cancelled`]),
      table(columns, rows, 'It has no bookings.', screen),
    ].join('\n');
  });
}

function describeTaken({ seatsTaken }: Departure): string {
  return seatsTaken === 0 ? '' : `, with ${countOf(seatsTaken, 'seat')} taken`;
}

function toAffectedDocument(booking: StandingBooking, reveal: boolean) {
  return {
    booking_ref: booking.bookingRef,
    tenant: booking.tenant,
    status: booking.status,
    adults: booking.adults,
    children: booking.children,
    external_ref: toReferenceDocument(booking.externalRef, [booking.customer], reveal),
    customer: toCustomerDocument(booking.customer, reveal),
  };
}

export async function reopenDepartureCommand(
  context: Context,
  _: object,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'reopen', tour, date, (trx) => reopenDeparture(trx, tour, date));
  context.output.answer(document, () => `${tour.slug} on ${date} is ${document.status}`);
}

export async function setSeatsCommand(
  context: Context,
  _: object,
  idOrSlug: string,
  date: string,
  seats: number,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'set-seats', tour, date, (trx) =>
    setSeats(trx, tour, date, seats),
  );
  context.output.answer(document, () => {
    return `${tour.slug} on ${date} has ${countOf(seats, 'seat')}, ${document.seats_available} of them free`;
  });
}

export interface PriceOptions {
  adult?: string;
  child?: string;
  singleSupplement?: string;
}

export async function setPriceCommand(
  context: Context,
  { adult, child, singleSupplement }: PriceOptions,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const prices: NewPrices = {
    ...(adult !== undefined && { adult }),
    ...(child !== undefined && { child }),
    ...(singleSupplement !== undefined && { single_supplement: singleSupplement }),
  };
  const { document } = await change(context, 'set-price', tour, date, (trx) =>
    setPrices(trx, tour, date, prices),
  );
  context.output.answer(document, () => {
    const each = Object.entries(document.prices).map(
      ([category, amount]) =>
        `${category.replace('_', ' ')} ${formatMoney(amount as number, document.currency)}`,
    );
    return `${tour.slug} on ${date} costs ${each.join(', ')}`;
  });
}

async function change<T extends ChangedDeparture>(
  { audited }: Context,
  verb: string,
  tour: CatalogTour,
  date: string,
  work: (trx: Trx) => Promise<T>,
) {
  const entry = { action: `departure.${verb}`, subject: `${tour.slug} ${date}` };
  return audited(entry, async (trx, note) => {
    const changed = await work(trx);
    const facts = ({ cancelled, seatsTotal, prices, tour: { currencyDigits } }: Departure) => ({
      cancelled,
      seats_total: seatsTotal,
      prices: pricesAnswer(prices, currencyDigits),
    });
    note(facts(changed.before), facts(changed.after));
    return { ...changed, document: toDepartureDocument(tour, changed.after) };
  });
}

export function toDepartureDocument({ slug }: CatalogTour, departure: Departure) {
  const { currency, currencyDigits } = departure.tour;
  return {
    id: departure.id,
    tour: slug,
    departure_date: departure.departureDate,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    seats_total: departure.seatsTotal,
    seats_taken: departure.seatsTaken,
    seats_available: seatsAvailable(departure),
    currency,
    prices: pricesAnswer(departure.prices, currencyDigits),
  };
}

const number = (heading: string): Column => ({ heading, right: true });
const COLUMNS: Column[] = [
  'date',
  {
    heading: 'status',
    tones: { available: 'good', sold_out: 'waiting', cancelled: 'bad', gone: 'quiet', closed: 'quiet' },
  },
  ...['seats', 'taken', 'free', 'adult'].map(number),
];

/** Dates are YYYY-MM-DD. */
interface DepartureListOptions {
  from?: string;
  to?: string;
  limit?: number;
  after?: string;
}

export async function listDeparturesCommand(
  { db, output }: Context,
  { from, to, limit = DEFAULT_LIMIT, after }: DepartureListOptions,
  idOrSlug: string,
): Promise<void> {
  const tour = await findTour(db, idOrSlug);
  const page = { sandbox: false, from, to, afterDate: after, limit: oneMoreThan(limit) };
  const departures = await findDepartures(db, tour.id, page);
  const found = departures.map((departure) => toDepartureDocument(tour, departure));
  const toRow = (d: (typeof found)[number]) => [
    d.departure_date,
    d.status,
    d.seats_total,
    d.seats_taken,
    d.seats_available,
    formatMoney(d.prices.adult, d.currency),
  ];
  const text = tableOf(COLUMNS, toRow, `No departures of ${tour.slug}`);
  answerPage(output, found, { limit, after: (d) => d.departure_date }, text);
}
