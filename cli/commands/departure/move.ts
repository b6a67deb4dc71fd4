import type { BookingLead } from '../../../services/api/bookings/booking-lead';
import { findTour } from '../../../services/api/catalog/find-tour';
import { findNamedDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import { moveDeparture, type MovedDeparture } from '../../../services/api/seats/changes/move-departure';
import { performBulk } from '../../../services/api/seats/perform';
import { byOperator } from '../../../services/api/tenants/actor';
import { REASON_MAX } from '../../../services/platform/forms/lengths';
import { changeSeats } from '../../engine/change-seats';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { departureOnDate, line } from '../../engine/values';
import { type ItemColumn, tableOf } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { nameOfDeparture } from './document';

export const moveDepartureVerb: Verb = {
  usage: 'move <tour> <date> <to>',
  about:
    'Move the bookings and holds of a departure to another one of the tour, as many as have seats there; they keep their prices, ' +
    'their cancellation refunds at least what it refunded before, and booking.updated is sent for each booking',
  args: { date: departureOnDate, to: departureOnDate },
  flags: [flag('--reason <text>', 'why, for the audit log', { parse: line(REASON_MAX) })],
  examples: [
    'departure move dolomites-hut-to-hut 2027-06-05 2027-06-12',
    'departure move lisbon-tram 2027-06-05T09:30 2027-06-05T14:30 --reason Rain',
  ],
  audits: true,
  run: moveDepartureCommand,
};

async function moveDepartureCommand(
  context: AuditedContext,
  { reason = null }: { reason?: string | null },
  idOrSlug: string,
  from: NamedDeparture,
  to: NamedDeparture,
): Promise<void> {
  const { db, operator, output } = context;
  const tour = await findTour(db, idOrSlug);
  const sameId = (await findNamedDeparture(db, tour, from)) === (await findNamedDeparture(db, tour, to));
  if (sameId) throw new UsageError('name two different departures');
  const result = await changeSeats(context, { action: 'departure.move' }, async (transaction, note) => {
    const by = byOperator(operator);
    const moved = await performBulk(
      transaction,
      await moveDeparture(transaction.trx, tour, { from, to, by }),
    );
    const document = toMovedDocument(moved);
    const subject = `${tour.slug} ${nameOfDeparture(moved.from)}`;
    const noted = { to: nameOfDeparture(moved.to), reason, ...document };
    note(null, moved.moved.length + moved.holdsMoved > 0 ? noted : null, { subject });
    return { ...moved, document };
  });
  const { document, left } = result;
  await output.answer(document, (screen) =>
    [
      `${countOf(document.moved.length, 'booking')} and ${countOf(document.holds_moved, 'hold')} of ${tour.slug} moved from ` +
        `${nameOfDeparture(result.from)} to ${nameOfDeparture(result.to)}`,
      ...(document.holds_left > 0
        ? [`${countOf(document.holds_left, 'hold')} cannot move, because too few seats are free`]
        : []),
      ...(left.length > 0 ? [tableOf(LEFT_COLUMNS, '')(left, screen)] : []),
    ].join('\n'),
  );
}

const LEFT_COLUMNS: ItemColumn<BookingLead>[] = [
  { heading: 'booking that stays', cell: ({ bookingRef }) => bookingRef },
  { heading: 'tenant', least: 8, cell: ({ tenant }) => tenant.slug },
  { heading: 'seats', right: true, cell: ({ seats }) => seats },
  { heading: 'why', cell: () => 'too few seats are free' },
];

function toMovedDocument({ moved, left, holdsMoved, holdsLeft }: MovedDeparture) {
  return {
    moved: moved.map(({ bookingRef }) => bookingRef),
    // Gives all bookings that stay the same reason, because a booking stays only if the new departure has too few free seats.
    left: left.map(({ bookingRef }) => ({ booking_ref: bookingRef, why: 'insufficient_seats' })),
    holds_moved: holdsMoved,
    holds_left: holdsLeft,
  };
}
