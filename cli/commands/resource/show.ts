import { toClosingDocument, toResourceDocument } from '../../../services/api/resources/resource';
import { findResource } from '../../../services/api/resources/find-resource';
import { toBusyDocuments } from '../../../services/api/resources/busy-trips';
import { showDays, type ShownDay, type ShownTrip } from '../../../services/api/resources/show-days';
import { daysBetween, todayIn } from '../../../services/platform/forms/days';
import { flag, type Verb } from '../../engine/command';
import type { Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { travelDate } from '../../engine/values';
import { properties } from '../../terminal/table';
import { drawDays } from './picture';

/** The most days of an answer. */
const DAYS_MAX = 92;

interface ShowOptions {
  /** YYYY-MM-DD in the zone of the resource. */
  from?: string;
  to?: string;
}

export const showResourceVerb: Verb = {
  usage: 'show <resource>',
  about:
    'Show a resource and its days: the hours across, a line for each unit, the trips with their seats, the closings',
  flags: [
    flag('--from <date>', 'from this day on, in the zone of the resource', {
      parse: travelDate,
      otherwise: 'today',
    }),
    flag('--to <date>', 'up to this day', { parse: travelDate, otherwise: 'a week' }),
  ],
  check: ({ from, to }: ShowOptions) => {
    if (from !== undefined && to !== undefined) checkSpan(from, to);
  },
  examples: ['resource show boat-maria', 'resource show bus --from 2027-06-05 --to 2027-06-05'],
  run: showResourceCommand,
};

function checkSpan(from: string, to: string): void {
  if (to < from) throw new UsageError('--to must not be before --from, or before today');
  if (daysBetween(from, to) >= DAYS_MAX)
    throw new UsageError(`--from and --to may span ${DAYS_MAX} days at most`);
}

async function showResourceCommand(
  { db, output }: Context,
  { from, to }: ShowOptions,
  code: string,
): Promise<void> {
  const resource = await findResource(db, code);
  const first = from ?? todayIn(resource.timeZone);
  if (to !== undefined) checkSpan(first, to);
  const days = await showDays(db, resource, { from: first, to });
  const document = toResourceDocument(resource);
  await output.answer({ ...document, days: days.map(toDayDocument) }, (screen) =>
    [properties(document, screen), drawDays(resource, days, screen)].join('\n\n'),
  );
}

function toDayDocument({ date, units }: ShownDay) {
  return {
    date,
    units: units.map(({ trips, closings }) => ({
      trips: trips.map(toTripDocument),
      closings: closings.map(toClosingDocument),
    })),
  };
}

function toTripDocument({ from, to, freeAt, seats, seatsLeft, departures }: ShownTrip) {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    free_at: freeAt.toISOString(),
    seats,
    seats_left: seatsLeft,
    departures: toBusyDocuments(departures),
  };
}
