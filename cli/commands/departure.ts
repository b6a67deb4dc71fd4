import { findTour } from '../../services/api/catalog/find-tour';
import type { CatalogTour } from '../../services/api/catalog/tour';
import {
  addDeparture,
  cancelDeparture,
  type ChangedDeparture,
  type NewPrices,
  reopenDeparture,
  setPrices,
  setSeats,
} from '../../services/api/departures/change-departure';
import { type Departure, departureStatus, seatsAvailable } from '../../services/api/departures/departure';
import type { StandingBooking } from '../../services/api/departures/departure-sales.repository';
import { findDepartures } from '../../services/api/departures/departure.repository';
import { findTourDeparture, type NamedDeparture } from '../../services/api/departures/find-departures';
import { nameDeparture } from '../../services/api/catalog/start-time';
import { pricesAnswer } from '../../services/api/pricing/price-categories';
import type { Trx } from '../../services/platform/database';
import { flag, type Verb } from '../engine/command';
import type { Context } from '../engine/context';
import { UsageError } from '../engine/failure';
import { afterFlag, answerItems, DEFAULT_LIMIT, LIST_FLAGS } from '../engine/list';
import {
  CUSTOMER_COLUMN,
  recordReveal,
  REVEAL_FLAG,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
} from '../engine/personal-data';
import { decimal, departureOnDate, formatMoney, instant, travelDate, wholeNumber } from '../engine/values';
import { type ItemColumn, tableOf } from '../terminal/table';
import { countIs, countOf } from '../terminal/text';

const price = decimal(0, 100_000_000, 4);
const seats = wholeNumber(1, 100_000);
const CHILD_FLAG = flag('--child <money>', "a child's price", { parse: price });
const SINGLE_FLAG = flag('--single-supplement <money>', 'what an adult pays more for a single room', {
  parse: price,
});

export const departureVerbs: Verb[] = [
  {
    usage: 'list <tour>',
    about: 'List the departures of a tour by date, from today on',
    flags: [
      flag('--from <date>', 'from this day on, which may be past', { parse: travelDate }),
      flag('--to <date>', 'up to this day', { parse: travelDate }),
      ...LIST_FLAGS,
      afterFlag('date', departureOnDate),
    ],
    check: ({ from, to }: { from?: string; to?: string }) => {
      if (from && to && to < from) throw new UsageError('--to must not be before --from');
    },
    examples: ['departure list dolomites-hut-to-hut --from 2027-01-01'],
    run: listDeparturesCommand,
  },
  {
    usage: 'add <tour> <date>',
    about: "Add a departure on sale, with prices in the tour's currency",
    args: { date: travelDate },
    flags: [
      flag('--seats <number>', 'how many seats it has', { parse: seats, must: true }),
      flag('--adult <money>', "an adult's price", { parse: price, must: true }),
      CHILD_FLAG,
      SINGLE_FLAG,
      flag('--return-date <date>', 'the last day of the trip', { parse: travelDate }),
      flag('--closes-at <time>', 'no holds and bookings from then on, such as 2027-06-01T12:00:00Z', {
        parse: instant,
      }),
    ],
    check: ({ returnDate }: NewDepartureOptions, _: string, date: string) => {
      if (returnDate !== undefined && returnDate < date)
        throw new UsageError('--return-date must not be before <date>');
    },
    examples: [
      'departure add dolomites-hut-to-hut 2027-06-05 --seats 12 --adult 480',
      'departure add dolomites-hut-to-hut 2027-06-12 --seats 12 --adult 480 --child 336 --return-date 2027-06-17',
    ],
    run: addDepartureCommand,
  },
  {
    usage: 'cancel <tour> <date>',
    about:
      'Take a departure off sale; its bookings stay, and are listed so that you can inform the customers; endpoints that ' +
      'subscribe to departure.cancelled receive it',
    args: { date: departureOnDate },
    flags: [REVEAL_FLAG],
    asks: () => true,
    examples: [
      'departure cancel dolomites-hut-to-hut 2027-06-05',
      'departure cancel dolomites-hut-to-hut 2027-06-05 --reveal --yes',
    ],
    run: cancelDepartureCommand,
  },
  {
    usage: 'reopen <tour> <date>',
    about: 'Put a cancelled departure on sale again; sends departure.updated',
    args: { date: departureOnDate },
    run: reopenDepartureCommand,
  },
  {
    usage: 'set-seats <tour> <date> <seats>',
    about:
      'Change how many seats a departure has, never below what is held or booked; sends departure.updated',
    args: { date: departureOnDate, seats },
    examples: ['departure set-seats dolomites-hut-to-hut 2027-06-05 16'],
    run: setSeatsCommand,
  },
  {
    usage: 'set-price <tour> <date>',
    about:
      "Change prices of a departure in the tour's currency; what is held or booked keeps its price; sends departure.updated",
    args: { date: departureOnDate },
    flags: [flag('--adult <money>', "an adult's price", { parse: price }), CHILD_FLAG, SINGLE_FLAG],
    check: ({ adult, child, singleSupplement }: PriceOptions) => {
      if ((adult ?? child ?? singleSupplement) === undefined)
        throw new UsageError('one of --adult, --child and --single-supplement must be given');
    },
    examples: ['departure set-price dolomites-hut-to-hut 2027-06-05 --adult 1290 --child 990'],
    run: setPriceCommand,
  },
];

/** Amounts are decimal texts in major units; dates are YYYY-MM-DD. */
interface NewDepartureOptions {
  seats: number;
  adult: string;
  child?: string;
  singleSupplement?: string;
  returnDate?: string;
  closesAt?: Date;
}

async function addDepartureCommand(
  { audited, db, output }: Context,
  options: NewDepartureOptions,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const { seats, adult, child, singleSupplement, returnDate = null, closesAt = null } = options;
  const tour = await findTour(db, idOrSlug);
  const entry = { action: 'departure.add', subject: `${tour.slug} ${date}` };
  const added = await audited(entry, async (trx, note) => {
    const departure = await addDeparture(trx, tour, {
      date,
      startTime: null,
      returnDate,
      closesAt,
      seatsTotal: seats,
      prices: {
        adult,
        ...(child !== undefined && { child }),
        ...(singleSupplement !== undefined && { single_supplement: singleSupplement }),
      },
    });
    note(null, {
      return_date: returnDate,
      closes_at: closesAt?.toISOString() ?? null,
      seats_total: seats,
      prices: pricesAnswer(departure.prices, departure.tour.currencyDigits),
    });
    return departure;
  });
  const document = { ...toDepartureDocument(tour, added), closes_at: closesAt?.toISOString() ?? null };
  output.answer(document, () => {
    const price = formatMoney(document.prices.adult, document.currency);
    return `${tour.slug} on ${date} is added: ${countOf(seats, 'seat')}, adult ${price}`;
  });
  if (added.past) output.warn(`${date} is in the past: the departure cannot be booked`);
  else if (added.closed) output.warn('--closes-at is in the past: the departure cannot be booked');
}

type AffectedBooking = ReturnType<typeof toAffectedDocument>;

const AFFECTED_COLUMNS: ItemColumn<AffectedBooking>[] = [
  { heading: 'affected booking', cell: (booking) => booking.booking_ref },
  { heading: 'tenant', least: 8 },
  'status',
  { heading: 'seats', right: true, cell: ({ adults, children }) => adults + children },
  { heading: 'reference', least: 8, cell: (booking) => booking.external_ref },
];

async function cancelDepartureCommand(
  context: Context,
  { reveal = false }: RevealOptions,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const { confirm, db, output } = context;
  const tour = await findTour(db, idOrSlug);
  const departure = await findTourDeparture(db, tour, named);
  if (!departure.cancelled)
    await confirm(`Take ${tour.slug} on ${spell(named)} off sale${describeTaken(departure)}?`);
  const { bookings, document, live, tenantsInformed } = await change(context, 'cancel', tour, named, (trx) =>
    cancelDeparture(trx, tour, named),
  );
  if (reveal) {
    const entry = { action: 'departure.reveal', subject: `${tour.slug} ${spell(named)}` };
    await recordReveal(context, entry, { bookings: bookings.length });
  }
  const answer = {
    ...document,
    booking_refs: bookings.map((booking) => booking.bookingRef),
    bookings: bookings.map((booking) => toAffectedDocument(booking, reveal)),
    live_holds: live.holds,
  };
  output.answer(answer, (screen) => {
    const columns = reveal ? [...AFFECTED_COLUMNS, CUSTOMER_COLUMN] : AFFECTED_COLUMNS;
    const holds =
      live.holds > 0
        ? [`${countOf(live.holds, 'live hold')} of ${countOf(live.seats, 'seat')} can no longer be booked`]
        : [];
    return [
      `${tour.slug} on ${spell(named)} is cancelled; ${countIs(bookings.length, 'booking')} affected`,
      ...holds,
      ...(tenantsInformed === null
        ? []
        : [`${countIs(tenantsInformed, 'tenant')} informed by the webhook event departure.cancelled`]),
      tableOf(columns, 'It has no bookings.')(answer.bookings, screen),
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

async function reopenDepartureCommand(
  context: Context,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'reopen', tour, named, (trx) =>
    reopenDeparture(trx, tour, named),
  );
  context.output.answer(document, () => `${tour.slug} on ${spell(named)} is ${document.status}`);
}

async function setSeatsCommand(
  context: Context,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
  seats: number,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'set-seats', tour, named, (trx) =>
    setSeats(trx, tour, named, seats),
  );
  context.output.answer(document, () => {
    return `${tour.slug} on ${spell(named)} has ${countOf(seats, 'seat')}, ${document.seats_available} of them free`;
  });
}

interface PriceOptions {
  adult?: string;
  child?: string;
  singleSupplement?: string;
}

async function setPriceCommand(
  context: Context,
  { adult, child, singleSupplement }: PriceOptions,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const prices: NewPrices = {
    ...(adult !== undefined && { adult }),
    ...(child !== undefined && { child }),
    ...(singleSupplement !== undefined && { single_supplement: singleSupplement }),
  };
  const { document } = await change(context, 'set-price', tour, named, (trx) =>
    setPrices(trx, tour, named, prices),
  );
  context.output.answer(document, () => {
    const each = Object.entries(document.prices).map(
      ([category, amount]) =>
        `${category.replace('_', ' ')} ${formatMoney(amount as number, document.currency)}`,
    );
    return `${tour.slug} on ${spell(named)} costs ${each.join(', ')}`;
  });
}

async function change<T extends ChangedDeparture>(
  { audited }: Context,
  verb: string,
  tour: CatalogTour,
  named: NamedDeparture,
  work: (trx: Trx) => Promise<T>,
) {
  const entry = { action: `departure.${verb}`, subject: `${tour.slug} ${spell(named)}` };
  return audited(entry, async (trx, note) => {
    const changed = await work(trx);
    const facts = ({ cancelled, startTime, seatsTotal, prices, tour: { currencyDigits } }: Departure) => ({
      cancelled,
      start_time: startTime,
      seats_total: seatsTotal,
      prices: pricesAnswer(prices, currencyDigits),
    });
    note(facts(changed.before), facts(changed.after));
    return { ...changed, document: toDepartureDocument(tour, changed.after) };
  });
}

function spell({ date, time }: NamedDeparture): string {
  return nameDeparture(date, time ?? null);
}

function toDepartureDocument({ slug }: CatalogTour, departure: Departure) {
  const { currency, currencyDigits } = departure.tour;
  return {
    id: departure.id,
    tour: slug,
    departure_date: departure.departureDate,
    start_time: departure.startTime,
    return_date: departure.returnDate,
    status: departureStatus(departure),
    seats_total: departure.seatsTotal,
    seats_taken: departure.seatsTaken,
    seats_available: seatsAvailable(departure),
    currency,
    prices: pricesAnswer(departure.prices, currencyDigits),
  };
}

/** Dates are YYYY-MM-DD. */
interface DepartureListOptions {
  from?: string;
  to?: string;
  limit?: number;
  after?: NamedDeparture;
}

async function listDeparturesCommand(
  { db, output }: Context,
  { from, to, limit = DEFAULT_LIMIT, after }: DepartureListOptions,
  idOrSlug: string,
): Promise<void> {
  const tour = await findTour(db, idOrSlug);
  const page = { sandbox: false, from, to, after, limit: limit + 1 };
  const departures = await findDepartures(db, tour.id, page);
  const found = departures.map((departure) => toDepartureDocument(tour, departure));
  answerItems(output, found, limit, {
    columns: [
      { heading: 'date', cell: (d) => d.departure_date },
      { heading: 'start', cell: (d) => d.start_time },
      {
        heading: 'status',
        tones: { available: 'good', sold_out: 'waiting', cancelled: 'bad', gone: 'quiet', closed: 'quiet' },
      },
      { heading: 'seats', right: true, cell: (d) => d.seats_total },
      { heading: 'taken', right: true, cell: (d) => d.seats_taken },
      { heading: 'free', right: true, cell: (d) => d.seats_available },
      { heading: 'adult', right: true, cell: ({ prices, currency }) => formatMoney(prices.adult, currency) },
    ],
    empty: `No departures of ${tour.slug}`,
    after: ({ departure_date: date, start_time: time }) => (time === null ? date : `${date}T${time}`),
  });
}
