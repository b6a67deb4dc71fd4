import { addResource, findResource, listResources } from '../../../services/api/resources/find-resource';
import { toBusyDocuments } from '../../../services/api/resources/busy-trips';
import {
  CLOSING_REASON_MAX,
  type GivenTime,
  PLACES_MAX,
  type Resource,
  RESOURCE_KINDS,
  type ResourceKind,
  type ResourceValues,
  toClosingDocument,
  toResourceDocument,
  TURNAROUND_MAX_MINUTES,
  RESOURCE_UNITS_MAX,
} from '../../../services/api/resources/resource';
import {
  changeResource,
  closeResource,
  removeResource,
  reopenResource,
} from '../../../services/api/seats/changes/change-resource';
import type { Db } from '../../../services/platform/database/database';
import { NAME_MAX } from '../../../services/platform/forms/lengths';
import { changeSeats } from '../../engine/change-seats';
import { flag, flagName, optionKey, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../../engine/list';
import { email, line, minutes, orNone, phone, slug, timeZone, wholeNumber } from '../../engine/values';
import { properties } from '../../terminal/table';
import { countOf } from '../../terminal/text';
import { dateOrInstant } from './given-time';
import { showResourceVerb } from './show';

/** A day after all closings. */
const LAST_DAY = '9999-12-30';

/** Parses the code of a resource. */
const resourceCode = slug;

const NAME = { parse: line(NAME_MAX) };
const VALUE_FLAGS = [
  flag('--kind <kind>', 'the kind', { choices: RESOURCE_KINDS, otherwise: 'vehicle' }),
  flag('--places <number>', 'the most seats that one unit carries; none: its seats are not counted', {
    parse: orNone(wholeNumber(1, PLACES_MAX)),
    otherwise: 'none',
  }),
  flag('--units <number>', 'how many alike there are', {
    parse: wholeNumber(1, RESOURCE_UNITS_MAX),
    otherwise: '1',
  }),
  flag('--turnaround <duration>', 'the time between two trips, such as 30m', {
    parse: minutes(0, TURNAROUND_MAX_MINUTES),
    otherwise: '0m',
  }),
  flag('--time-zone <zone>', 'the zone of the dates of its closings and its days', {
    parse: timeZone,
    otherwise: 'UTC',
  }),
  flag('--phone <phone>', 'the telephone, of a guide for example', { parse: orNone(phone) }),
  flag('--email <email>', 'the e-mail, of a guide for example', { parse: orNone(email) }),
];

/** The values of the flags. */
type ValueOptions = Partial<ResourceValues>;

export const resourceVerbs: Verb[] = [
  {
    usage: 'add <code>',
    about: 'Add a boat, a bus, a guide or a room that tours use and that cannot be in two places',
    args: { code: resourceCode },
    flags: [flag('--name <name>', 'the name for operators', { ...NAME, must: true }), ...VALUE_FLAGS],
    examples: [
      'resource add boat-maria --name "Boat Maria" --places 12 --turnaround 30m --time-zone Asia/Ho_Chi_Minh',
      'resource add bus --name Bus --places 45 --units 3',
      'resource add maria --name "Maria Silva" --kind guide --phone "+351 912 000 111"',
    ],
    audits: true,
    run: addResourceCommand,
  },
  {
    usage: 'set <resource>',
    about:
      'Change a resource; fewer places or units and a longer turnaround are refused if what is sold needs them',
    flags: [flag('--name <name>', 'the name for operators', NAME), ...VALUE_FLAGS.map(withoutDefault)],
    check: (options: Record<string, unknown>) => {
      if (options.name === undefined && VALUE_FLAGS.every((one) => options[optionKey(one)] === undefined))
        throw new UsageError(`give what changes: --name, ${VALUE_FLAGS.map(flagName).join(', ')}`);
    },
    examples: ['resource set boat-maria --places 14', 'resource set bus --units 2'],
    audits: true,
    run: setResourceCommand,
  },
  {
    usage: 'list',
    about: 'List the resources',
    flags: [
      flag('--kind <kind>', 'only of this kind', { choices: RESOURCE_KINDS }),
      ...LIST_FLAGS,
      afterFlag('code', resourceCode),
    ],
    run: listOf({
      find: async (db: Db, filter: { kind?: ResourceKind; after?: string; limit: number }) =>
        (await listResources(db, filter)).map(toResourceDocument),
      columns: [
        { heading: 'code', least: 8 },
        { heading: 'name', least: 8 },
        'kind',
        { heading: 'places', right: true },
        { heading: 'units', right: true },
        { heading: 'turnaround', right: true },
        { heading: 'time zone', aside: true, cell: ({ time_zone }) => time_zone },
        { heading: 'phone', aside: true },
        { heading: 'email', aside: true },
      ],
      empty: 'No resources: tourctl resource add <code> --name TEXT',
      after: ({ code }) => code,
    }),
  },
  showResourceVerb,
  {
    usage: 'close <resource>',
    about: 'Close units in a time: nothing new is sold there, what is sold stays and is listed',
    flags: [
      flag('--from <time>', 'the first day in the zone of the resource, or an instant', {
        parse: dateOrInstant,
        must: true,
      }),
      flag('--to <time>', 'the last day, which is included, or the instant at which it is open again', {
        parse: dateOrInstant,
        must: true,
      }),
      flag('--units <number>', 'how many units', {
        parse: wholeNumber(1, RESOURCE_UNITS_MAX),
        otherwise: 'all',
      }),
      flag('--reason <text>', 'why', { parse: line(CLOSING_REASON_MAX), must: true }),
    ],
    examples: [
      'resource close boat-maria --from 2027-06-05 --to 2027-06-06 --reason "Engine broken"',
      'resource close bus --from 2027-06-05T08:00Z --to 2027-06-05T12:00Z --units 1 --reason Service',
    ],
    audits: true,
    run: closeResourceCommand,
  },
  {
    usage: 'reopen <resource>',
    about: 'End the closings in a time; what they close before and after it stays',
    flags: [
      flag('--from <time>', 'the first day in the zone of the resource, or an instant', {
        parse: dateOrInstant,
        otherwise: 'now',
      }),
      flag('--to <time>', 'the last day, which is included, or an instant', {
        parse: dateOrInstant,
        otherwise: 'the end of the last closing',
      }),
    ],
    examples: ['resource reopen boat-maria', 'resource reopen boat-maria --from 2027-06-05 --to 2027-06-06'],
    audits: true,
    run: reopenResourceCommand,
  },
  {
    usage: 'remove <resource>',
    about: 'Remove a resource that no tour and no departure to come uses',
    asks: () => true,
    audits: true,
    run: removeResourceCommand,
  },
];

/** Returns the flag without its default: a value that is not given stays as it is. */
function withoutDefault({ otherwise: _, ...rest }: (typeof VALUE_FLAGS)[number]) {
  return rest;
}

async function addResourceCommand(
  { audited, output }: AuditedContext,
  options: ValueOptions & { name: string },
  code: string,
): Promise<void> {
  const added = await audited({ action: 'resource.add', subject: code }, async (trx, note) => {
    const resource = await addResource(trx, code, {
      name: options.name,
      kind: options.kind ?? 'vehicle',
      places: options.places ?? null,
      units: options.units ?? 1,
      turnaround: options.turnaround ?? 0,
      timeZone: options.timeZone ?? 'UTC',
      phone: options.phone ?? null,
      email: options.email ?? null,
    });
    note(null, toResourceDocument(resource));
    return resource;
  });
  await output.answer(toResourceDocument(added), () => `${describeResource(added)} added`);
}

async function setResourceCommand(
  context: AuditedContext,
  options: ValueOptions,
  code: string,
): Promise<void> {
  const { name, kind, places, units, turnaround, timeZone: zone, phone: tel, email: mail } = options;
  const given = { name, kind, places, units, turnaround, timeZone: zone, phone: tel, email: mail };
  const entry = { action: 'resource.set', subject: code };
  const document = await changeSeats(context, entry, async (transaction, note) => {
    const { before, after } = await changeResource(transaction, code, given);
    note(toResourceDocument(before), toResourceDocument(after));
    return toResourceDocument(after);
  });
  await context.output.answer(document, (screen) => properties(document, screen));
}

async function closeResourceCommand(
  context: AuditedContext,
  given: GivenTime & { units?: number; reason: string },
  code: string,
): Promise<void> {
  const entry = { action: 'resource.close', subject: code };
  const document = await changeSeats(context, entry, async (transaction, note) => {
    const operator = context.operator.name;
    const { closing, trips } = await closeResource(transaction, code, { ...given, operator });
    const closed = toClosingDocument(closing);
    note(null, closed);
    return { code, ...closed, trips: toBusyDocuments(trips) };
  });
  await context.output.answer(document, () => {
    const sold = document.trips.map(
      (trip) =>
        `${trip.tour} on ${trip.departure_date}${trip.departure_time === null ? '' : ` ${trip.departure_time}`}: ` +
        `${countOf(trip.seats, 'seat')}, ${countOf(trip.bookings_total, 'booking')} ${trip.booking_refs.join(' ')}`.trimEnd(),
    );
    return [
      `${code} is closed from ${document.from} to ${document.to}`,
      ...(sold.length > 0 ? ['Sold in this time, and not changed:', ...sold] : []),
    ].join('\n');
  });
}

async function reopenResourceCommand(
  context: AuditedContext,
  { from = new Date().toISOString(), to = LAST_DAY }: Partial<GivenTime>,
  code: string,
): Promise<void> {
  const entry = { action: 'resource.reopen', subject: code };
  const document = await changeSeats(context, entry, async (transaction, note) => {
    const { before, after } = await reopenResource(transaction, code, { from, to });
    note(before, after);
    return { code, ended: before, closings: after };
  });
  await context.output.answer(document, () =>
    document.ended.length === 0
      ? `${code} has no closing in this time`
      : `${code} is open again: ${countOf(document.ended.length, 'closing')} ended or cut`,
  );
}

async function removeResourceCommand(context: AuditedContext, _: object, code: string): Promise<void> {
  const resource = await findResource(context.db, code);
  await context.confirm(`Remove ${describeResource(resource)}?`);
  const entry = { action: 'resource.remove', subject: code };
  const document = await changeSeats(context, entry, async (transaction, note) => {
    const removed = toResourceDocument(await removeResource(transaction, code));
    note(removed, null);
    return removed;
  });
  await context.output.answer(document, () => `${code} removed`);
}

function describeResource({ code, kind, name }: Pick<Resource, 'code' | 'kind' | 'name'>): string {
  return `${kind} ${code} (${name})`;
}
