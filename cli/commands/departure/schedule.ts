import { findTour } from '../../../services/api/catalog/find-tour';
import type { ScheduledDeparture } from '../../../services/api/departures/add-departures';
import type { ScheduleField } from '../../../services/api/departures/schedule';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { travelDate } from '../../engine/values';
import { addMany, NEW_DEPARTURE_FLAGS, type NewDepartureOptions } from './add-many';
import { toNewPrices } from './document';

export const scheduleDeparturesVerb: Verb = {
  usage: 'schedule <tour>',
  about:
    'Add departures by a rule: shows the dates, asks, and adds all or none; run it again with a later --to for a longer season, because ' +
    'those that exist stay as they are',
  flags: [
    flag(
      '--every <days>',
      'daily, days such as mon,sat, or a rule (RFC 5545) such as "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA"',
      {
        must: true,
      },
    ),
    flag('--from <date>', 'the first possible date; an interval counts from here', {
      parse: travelDate,
      must: true,
    }),
    flag('--to <date>', 'the last possible date, at most 1830 days later', { parse: travelDate, must: true }),
    flag('--except <dates>', 'dates that the rule describes, but that get no departure', {
      parse: travelDate,
      repeats: true,
    }),
    ...NEW_DEPARTURE_FLAGS,
    flag('--dry-run', 'show the dates, and write nothing'),
  ],
  check: (options: ScheduleOptions) => {
    toNewPrices(options);
    expand(options);
  },
  asks: ({ dryRun }: ScheduleOptions) => dryRun !== true,
  examples: [
    'departure schedule old-town-walk --every daily --from 2027-05-01 --to 2027-09-30 --start-time 09:30,14:30 --seats 15 --adult 25',
    'departure schedule dolomites-hut-to-hut --every sat --from 2027-06-05 --to 2027-09-25 --except 2027-08-14 --seats 12 --adult 480',
    'departure schedule dolomites-hut-to-hut --every "FREQ=MONTHLY;BYDAY=1SA" --from 2027-06-01 --to 2028-05-31 --seats 12 --adult 480 --dry-run',
  ],
  audits: true,
  run: scheduleDeparturesCommand,
};

interface ScheduleOptions extends NewDepartureOptions {
  every: string;
  from: string;
  to: string;
  except?: string[];
  dryRun?: boolean;
}

async function scheduleDeparturesCommand(
  context: AuditedContext,
  options: ScheduleOptions,
  idOrSlug: string,
): Promise<void> {
  const { every, from, to, except = [], startTime = [], dryRun } = options;
  const tour = await findTour(context.db, idOrSlug);
  await addMany(context, tour, options, {
    action: 'departure.schedule',
    departures: expand(options),
    returnDate: null,
    closesAt: null,
    facts: { every, from, to, except, start_times: startTime },
    dryRun,
  });
}

const FLAGS: Record<ScheduleField, string> = {
  every: '--every',
  from: '--from',
  to: '--to',
  start_times: '--start-time',
  except: '--except',
};

/** @throws UsageError */
function expand({ every, from, to, except, startTime }: ScheduleOptions): ScheduledDeparture[] {
  // Loads the library of recurrence rules only for this command.
  const { expandSchedule, InvalidScheduleError } =
    require('../../../services/api/departures/schedule') as typeof import('../../../services/api/departures/schedule');
  try {
    return expandSchedule({ every, from, to, except, startTimes: startTime });
  } catch (error) {
    if (error instanceof InvalidScheduleError) throw new UsageError(`${FLAGS[error.field]} ${error.problem}`);
    throw error;
  }
}
