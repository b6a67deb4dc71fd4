import { findTour } from '../../../services/api/catalog/find-tour';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import type { BulkChange } from '../../../services/api/seats/bulk-change';
import {
  type ChangedDeparture,
  reopenDeparture,
  setPrices,
  setSeats,
  setStartTime,
} from '../../../services/api/seats/changes/change-departure';
import { performBulk } from '../../../services/api/seats/perform';
import { setPickupTime } from '../../../services/api/seats/changes/set-pickup-time';
import { byOperator } from '../../../services/api/tenants/actor';
import { departureArgument } from '../../../services/api/catalog/start-time';
import { instantOfMoment, type LocalMoment, localMoment, pickupPoint } from '../../engine/pickup';
import type { Trx } from '../../../services/platform/database/database';
import { changeSeats } from '../../engine/change-seats';
import type { Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { departureOnDate, formatMoney, startTime } from '../../engine/values';
import { countOf } from '../../terminal/text';
import { addDeparturesVerb } from './add';
import {
  describeCode,
  nameOf,
  nameOfDeparture,
  seats,
  toAuditedDeparture,
  toDepartureDocument,
  PRICE_FLAGS,
  type PriceOptions,
  toNewPrices,
} from './document';
import { cancelDepartureVerb } from './cancel';
import { listDeparturesVerb } from './list';
import { manifestVerb } from './manifest';
import { moveDepartureVerb } from './move';
import { scheduleDeparturesVerb } from './schedule';
import { setUsesVerb } from './set-uses';

export const departureVerbs: Verb[] = [
  listDeparturesVerb,
  manifestVerb,
  addDeparturesVerb,
  scheduleDeparturesVerb,
  moveDepartureVerb,
  cancelDepartureVerb,
  {
    usage: 'reopen <tour> <date>',
    about: 'Put a cancelled departure on sale again; sends departure.updated',
    args: { date: departureOnDate },
    audits: true,
    run: reopenDepartureCommand,
  },
  {
    usage: 'set-seats <tour> <date> <seats>',
    about:
      'Change how many seats a departure has, never below what is held or booked; sends departure.updated',
    args: { date: departureOnDate, seats },
    examples: ['departure set-seats dolomites-hut-to-hut 2027-06-05 16'],
    audits: true,
    run: setSeatsCommand,
  },
  {
    usage: 'set-pickup <tour> <date> <point> <at>',
    about:
      'Set when the guests of a stop are fetched, for all standing bookings of a departure; sends booking.updated for each',
    args: { date: departureOnDate, point: pickupPoint, at: localMoment },
    examples: ['departure set-pickup lisbon-tram 2027-06-05T09:30 station 08:15'],
    audits: true,
    run: setPickupCommand,
  },
  {
    usage: 'set-time <tour> <date> <time>',
    about:
      'Give a departure without a start time its time, so that others can leave on its date; its bookings stay; sends departure.updated',
    args: { date: departureOnDate, time: startTime },
    examples: ['departure set-time dolomites-hut-to-hut 2027-06-05 09:30'],
    audits: true,
    run: setTimeCommand,
  },
  {
    usage: 'set-price <tour> <date>',
    about:
      "Change prices of a departure in the tour's currency; what is held or booked keeps its price; sends departure.updated",
    args: { date: departureOnDate },
    flags: PRICE_FLAGS,
    check: (options: PriceOptions) => {
      if (Object.keys(toNewPrices(options)).length === 0)
        throw new UsageError('one of --adult, --child, --single-supplement and --price must be given');
    },
    examples: [
      'departure set-price dolomites-hut-to-hut 2027-06-05 --adult 1290 --child 990',
      'departure set-price amsterdam-museum-first-hour 2027-06-05 --price senior=12 --price child=9.50',
    ],
    audits: true,
    run: setPriceCommand,
  },
  setUsesVerb,
];

async function reopenDepartureCommand(
  context: AuditedContext,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'reopen', tour, (trx) => reopenDeparture(trx, tour, named));
  await context.output.answer(document, () => `${tour.slug} on ${nameOf(document)} is ${document.status}`);
}

async function setSeatsCommand(
  context: AuditedContext,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
  seats: number,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'set-seats', tour, (trx) => setSeats(trx, tour, named, seats));
  await context.output.answer(document, () => {
    return `${tour.slug} on ${nameOf(document)} has ${countOf(seats, 'seat')}, ${document.seats_available} of them free`;
  });
}

async function setPickupCommand(
  context: AuditedContext,
  _options: object,
  idOrSlug: string,
  ...[named, point, moment]: [NamedDeparture, string, LocalMoment]
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const at = instantOfMoment(moment, named.date, tour.timeZone);
  const entry = { action: 'departure.set-pickup', subject: `${tour.slug} ${nameOfNamed(named)}` };
  const changed = await changeSeats(context, entry, async (transaction, note) => {
    const by = byOperator(context.operator);
    const change = await setPickupTime(transaction.trx, tour, { departure: named, point, at, by });
    const bookings = await performBulk(transaction, change);
    note(null, { point, at, bookings: bookings.length });
    return bookings;
  });
  const document = { point, at, bookings: changed.map(({ bookingRef }) => bookingRef) };
  await context.output.answer(document, () => `${countOf(changed.length, 'booking')} at ${point}`);
}

function nameOfNamed({ date, time }: NamedDeparture): string {
  return departureArgument(date, time ?? null);
}

async function setTimeCommand(
  context: AuditedContext,
  _: object,
  idOrSlug: string,
  named: NamedDeparture,
  time: string,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const { document } = await change(context, 'set-time', tour, (trx) => setStartTime(trx, tour, named, time));
  await context.output.answer(document, () => `${tour.slug} on ${named.date} leaves at ${time}`);
  if (document.status === 'gone')
    context.output.warn(`${nameOf(document)} is in the past: the departure cannot be booked`);
}

async function setPriceCommand(
  context: AuditedContext,
  options: PriceOptions,
  idOrSlug: string,
  named: NamedDeparture,
): Promise<void> {
  const tour = await findTour(context.db, idOrSlug);
  const prices = toNewPrices(options);
  const { document } = await change(context, 'set-price', tour, (trx) => setPrices(trx, tour, named, prices));
  await context.output.answer(document, () => {
    const each = Object.entries(document.prices).map(
      ([code, amount]) => `${describeCode(code)} ${formatMoney(amount, document.currency)}`,
    );
    return `${tour.slug} on ${nameOf(document)} costs ${each.join(', ')}`;
  });
}

/** @param prepare builds the change: reopenDeparture, setSeats … */
async function change(
  context: AuditedContext,
  verb: string,
  tour: CatalogTour,
  prepare: (trx: Trx) => Promise<BulkChange<ChangedDeparture>>,
) {
  return changeSeats(context, { action: `departure.${verb}` }, async (transaction, note) => {
    const changed = await performBulk(transaction, await prepare(transaction.trx));
    const subject = `${tour.slug} ${nameOfDeparture(changed.before)}`;
    note(toAuditedDeparture(changed.before), toAuditedDeparture(changed.after), { subject });
    return { ...changed, document: toDepartureDocument(tour.slug, changed.after) };
  });
}
