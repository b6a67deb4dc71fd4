import { findTour } from '../../../services/api/catalog/find-tour';
import { nameDeparture } from '../../../services/api/catalog/start-time';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import {
  ADDED_DEPARTURES_MAX,
  type ScheduledDeparture,
} from '../../../services/api/departures/add-departures';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { departureOnDate, instant, travelDate } from '../../engine/values';
import { addMany, NEW_DEPARTURE_FLAGS, type NewDepartureOptions } from './add-many';
import { toNewPrices } from './document';

export const addDeparturesVerb: Verb = {
  usage: 'add <tour> <date...>',
  about:
    "Add departures on sale, with prices in the tour's currency: all or none; several are shown first, and one that exists stays as it is",
  args: { date: departureOnDate },
  flags: [
    ...NEW_DEPARTURE_FLAGS,
    flag('--return-date <date>', 'the last day of the trip, for one date', { parse: travelDate }),
    flag('--closes-at <time>', 'no holds and bookings from then on, such as 2027-06-01T12:00:00Z', {
      parse: instant,
    }),
  ],
  check: checkAddition,
  examples: [
    'departure add dolomites-hut-to-hut 2027-06-05 --seats 12 --adult 480',
    'departure add dolomites-hut-to-hut 2027-06-12 --seats 12 --adult 480 --child 336 --return-date 2027-06-17',
    'departure add kotor-bay-private-boat 2027-06-05 --seats 8 --price boat=480',
    'departure add old-town-walk 2027-06-05 2027-06-06 --start-time 09:30,14:30 --seats 15 --adult 25',
  ],
  audits: true,
  run: addDeparturesCommand,
};

interface AddOptions extends NewDepartureOptions {
  returnDate?: string;
  closesAt?: Date;
}

function checkAddition(options: AddOptions, _: string, named: NamedDeparture[]): void {
  const { returnDate, startTime, closesAt, closesBefore } = options;
  toNewPrices(options);
  if (closesAt !== undefined && closesBefore !== undefined)
    throw new UsageError('--closes-at and --closes-before exclude each other: give one of them');
  if (returnDate !== undefined && named.some(({ date }) => date !== named[0]!.date))
    throw new UsageError('--return-date is for one <date>');
  if (returnDate !== undefined && returnDate < named[0]!.date)
    throw new UsageError('--return-date must not be before <date>');
  if (startTime !== undefined && named.some(({ time }) => time !== undefined))
    throw new UsageError('--start-time is for dates without a time: give each <date> its time, or none');
  if (named.length * (startTime?.length ?? 1) > ADDED_DEPARTURES_MAX)
    throw new UsageError(`at most ${ADDED_DEPARTURES_MAX} departures can be added at once`);
}

async function addDeparturesCommand(
  context: AuditedContext,
  options: AddOptions,
  idOrSlug: string,
  named: NamedDeparture[],
): Promise<void> {
  const { startTime, returnDate = null, closesAt = null } = options;
  const tour = await findTour(context.db, idOrSlug);
  const departures = named.flatMap(({ date, time }): ScheduledDeparture[] => {
    const times = startTime ?? [time ?? null];
    return times.map((one) => ({ date, startTime: one }));
  });
  const names =
    departures.length === 1
      ? {}
      : { departures: departures.map(({ date, startTime }) => nameDeparture(date, startTime)) };
  await addMany(context, tour, options, {
    action: 'departure.add',
    departures,
    returnDate,
    closesAt,
    facts: names,
  });
}
