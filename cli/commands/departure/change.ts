import type { CatalogTour } from '../../../services/api/catalog/catalog-tour';
import { findTour } from '../../../services/api/catalog/find-tour';
import {
  cancelDeparture,
  type ChangedDeparture,
  reopenDeparture,
} from '../../../services/api/departures/cancel-departure';
import type { Departure } from '../../../services/api/departures/departure';
import { findTourDeparture } from '../../../services/api/departures/list-tour-departures';
import { setSeats } from '../../../services/api/departures/set-seats';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../context';
import { table } from '../../table';
import { toDepartureDocument } from './departure-document';

export async function cancelDepartureCommand(
  context: Context,
  _: object,
  idOrSlug: string,
  date: string,
): Promise<void> {
  const { confirm, db, output } = context;
  const tour = await findTour(db, idOrSlug);
  const departure = await findTourDeparture(db, tour, date);
  if (!departure.cancelled)
    await confirm(`Take ${tour.slug} on ${date} off sale, with ${departure.seatsTaken} seats taken?`);
  const { bookings, document } = await change(context, 'cancel', tour, date, (trx) =>
    cancelDeparture(trx, tour, date),
  );
  const answer = { ...document, booking_refs: bookings.map((booking) => booking.bookingRef) };
  output.answer(answer, () => {
    const rows = bookings.map(({ bookingRef, tenant }) => [bookingRef, tenant]);
    const bookingsToTell = table(['booking to tell', 'tenant'], rows, 'It has no bookings.');
    return `${tour.slug} on ${date} is cancelled\n${bookingsToTell}`;
  });
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
    return `${tour.slug} on ${date} has ${seats} seats, ${document.seats_available} of them free`;
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
    const facts = ({ cancelled, seatsTotal }: Departure) => ({ cancelled, seats_total: seatsTotal });
    note(facts(changed.before), facts(changed.after));
    return { ...changed, document: toDepartureDocument(tour, changed.after) };
  });
}
