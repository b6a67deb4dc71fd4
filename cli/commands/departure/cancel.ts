import { type BookingLead, peopleOf } from '../../../services/api/bookings/booking-lead';
import { decideRefund } from '../../../services/api/bookings/refund';
import { refundAnswer } from '../../../services/api/bookings/refund-answer';
import { findTour } from '../../../services/api/catalog/find-tour';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import type { Departure } from '../../../services/api/departures/departure';
import { findTourDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import { namedNumbers } from '../../../services/api/parties/party';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { refuseMistakes } from '../../engine/failure';
import {
  CUSTOMER_COLUMN,
  recordReveal,
  REVEAL_FLAG,
  type RevealOptions,
  toCustomerDocument,
  toReferenceDocument,
} from '../../engine/personal-data';
import { continent, departureOnDate, line, travelDate } from '../../engine/values';
import { type ItemColumn, tableOf } from '../../terminal/table';
import { countIs, countOf } from '../../terminal/text';
import { describeShare } from '../booking/cancellation';
import { cancelDayCommand, type DayOptions } from './cancel-day';
import { cancelWithAudit } from './cancel-with-audit';
import { nameOf, nameOfDeparture, toDepartureDocument } from './document';
import { REASON_MAX } from '../../../services/platform/forms/lengths';

interface CancelOptions extends RevealOptions {
  cancelBookings?: boolean;
  reason?: string;
}

const DATE_FLAG = flag(
  '--date <date>',
  'cancel all departures of this local date that have not left, in place of one departure',
  { parse: travelDate },
);

export const cancelDepartureVerb: Verb = {
  usage: 'cancel <tour> <date>',
  about:
    'Take a departure off sale, or with --date those of a day; bookings stay unless --cancel-bookings is given, and those of a departure ' +
    'are listed so that you can inform the customers; endpoints that subscribe to departure.cancelled receive it',
  args: { date: departureOnDate },
  argsUnless: DATE_FLAG,
  flags: [
    DATE_FLAG,
    flag('--continent <slug>', 'with --date: only of tours in this continent', { parse: continent }),
    flag('--tour <slug>', 'with --date: only of this tour, by slug or id', { repeats: true }),
    flag('--cancel-bookings', 'also cancel the bookings; booking.cancelled is sent for each'),
    flag('--reason <text>', 'why the bookings are cancelled, for the tenants and their websites', {
      parse: line(REASON_MAX),
    }),
    REVEAL_FLAG,
  ],
  check: refuseMixture,
  asks: () => true,
  examples: [
    'departure cancel dolomites-hut-to-hut 2027-06-05',
    'departure cancel lisbon-tram 2027-06-05 --cancel-bookings --reason Storm',
    'departure cancel --date 2027-06-05 --continent europe --cancel-bookings --reason Storm',
  ],
  audits: true,
  run: (
    context: AuditedContext,
    options: CancelOptions & Partial<DayOptions>,
    idOrSlug: string,
    named: NamedDeparture,
  ) => {
    const { date } = options;
    if (date !== undefined) return cancelDayCommand(context, { ...options, date });
    return cancelDepartureCommand(context, options, idOrSlug, named);
  },
};

/** Refuses flags that do not go together, and a departure next to a day. */
function refuseMixture(
  { date, continent: of, tour: tours, cancelBookings, reason, reveal }: CancelOptions & Partial<DayOptions>,
  tour: string | undefined,
): void {
  const isDay = date !== undefined;
  refuseMistakes([
    reason !== undefined && !cancelBookings && '--reason needs --cancel-bookings',
    isDay &&
      tour !== undefined &&
      '--date stands in place of <tour> <date>: --tour names the tours of the day',
    isDay && reveal && '--reveal shows the customers of one departure, not of a day',
    !isDay && of !== undefined && '--continent needs --date',
    !isDay && tours !== undefined && '--tour needs --date',
  ]);
}

async function cancelDepartureCommand(
  context: AuditedContext,
  { reveal = false, cancelBookings = false, reason }: CancelOptions,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const departure = await findTourDeparture(context.db, tour, named);
  if (!departure.cancelled || cancelBookings)
    await context.confirm(questionOf(tour, departure, cancelBookings));
  const done = await cancelWithAudit(
    context,
    tour,
    named,
    cancelBookings ? { reason: reason ?? null } : null,
  );
  if (reveal) {
    const entry = { action: 'departure.reveal', subject: `${tour.slug} ${nameOfDeparture(done.after)}` };
    await recordReveal(context, entry, { bookings: done.bookings.length });
  }
  const answer = {
    ...toDepartureDocument(tour.slug, done.after),
    booking_refs: done.bookings.map(({ bookingRef }) => bookingRef),
    bookings: done.bookings.map((booking) => toAffectedDocument(booking, cancelBookings, reveal)),
    bookings_cancelled: done.cancelledRefs.length,
    live_holds: done.live.holds,
  };
  await context.output.answer(answer, (screen) => {
    // Puts the customer beside the booking, so that a narrow screen keeps it.
    const columns = reveal ? AFFECTED_COLUMNS.toSpliced(1, 0, CUSTOMER_COLUMN) : AFFECTED_COLUMNS;
    const table = tableOf(columns, 'It has no bookings.')(answer.bookings, screen);
    return [...describeResult(tour, answer, done), table].join('\n');
  });
}

function questionOf(tour: CatalogTour, departure: Departure, cancelBookings: boolean): string {
  const name = `${tour.slug} on ${nameOfDeparture(departure)}`;
  const taken = departure.seatsTaken === 0 ? '' : `, with ${countOf(departure.seatsTaken, 'seat')} taken`;
  if (!cancelBookings) return `Take ${name} off sale${taken}?`;
  return departure.cancelled
    ? `Cancel all bookings of ${name}${taken}?`
    : `Take ${name} off sale${taken}, and cancel all its bookings?`;
}

type Cancelled = Awaited<ReturnType<typeof cancelWithAudit>>;
type DepartureDocument = ReturnType<typeof toDepartureDocument>;

function describeResult(tour: CatalogTour, document: DepartureDocument, done: Cancelled): string[] {
  const { bookings, cancelledRefs, live, tenantsInformed } = done;
  const affected = cancelledRefs.length > 0 ? 'cancelled' : 'affected';
  const lines = [
    `${tour.slug} on ${nameOf(document)} is cancelled; ${countIs(bookings.length, 'booking')} ${affected}`,
  ];
  if (live.holds > 0)
    lines.push(
      `${countOf(live.holds, 'active hold')} of ${countOf(live.seats, 'seat')} can no longer be booked`,
    );
  if (tenantsInformed !== null)
    lines.push(`${countIs(tenantsInformed, 'tenant')} informed by the webhook event departure.cancelled`);
  return lines;
}

type AffectedBooking = ReturnType<typeof toAffectedDocument>;

const AFFECTED_COLUMNS: ItemColumn<AffectedBooking>[] = [
  { heading: 'affected booking', cell: (booking) => booking.booking_ref },
  { heading: 'tenant', least: 8 },
  { heading: 'was', cell: (booking) => booking.status_before },
  { heading: 'seats', right: true, cell: ({ seats }) => seats },
  {
    heading: 'refund',
    right: true,
    cell: ({ refund, currency }) => refund && describeShare(refund, currency),
  },
  { heading: 'reference', least: 8, cell: (booking) => booking.external_ref },
];

function toAffectedDocument(booking: BookingLead, cancelled: boolean, reveal: boolean) {
  return {
    booking_ref: booking.bookingRef,
    tenant: booking.tenant.slug,
    status: cancelled ? 'cancelled' : booking.status,
    // The status before the cancellation. A confirmed booking is paid, so its money may have to be returned.
    status_before: booking.status,
    ...namedNumbers(booking.party),
    party: booking.party,
    seats: booking.seats,
    // The departure is cancelled, so each confirmed booking is refunded in full.
    refund: refundAnswer(decideRefund(booking, booking.asOf, {}), booking),
    currency: booking.currency,
    external_ref: toReferenceDocument(booking.externalRef, peopleOf(booking), reveal),
    customer: toCustomerDocument(booking.customer, reveal),
  };
}
