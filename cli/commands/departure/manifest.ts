import { findTour } from '../../../services/api/catalog/find-tour';
import type { NamedDeparture } from '../../../services/api/departures/find-departures';
import { flag, type Verb } from '../../engine/command';
import type { AuditedContext } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { CSV_FLAG } from '../../engine/list';
import { REVEAL_FLAG, type RevealOptions } from '../../engine/personal-data';
import { departureOnDate, slug } from '../../engine/values';
import { csvLines, type Manifest, readManifest } from './manifest-document';
import { describeByPickup, describeManifest } from './manifest-text';
import { byPickup } from './stops';
import { findTrip } from './trip-manifest';

interface ManifestOptions extends RevealOptions {
  csv?: boolean;
  /** `pickup`: by time and stop. */
  by?: 'pickup';
  /** The code of a resource. */
  resource?: string;
  /** With a resource: a tour of the trip, by slug or id. */
  tour?: string;
}

const RESOURCE_FLAG = flag(
  '--resource <code>',
  'in place of <tour>: all departures of the trip of this boat, bus or guide on the date',
  { parse: slug },
);

export const manifestVerb: Verb = {
  usage: 'manifest <tour> <date>',
  about: 'Print who travels with a departure, for its guide: each confirmed or unpaid booking, with a box',
  args: { date: departureOnDate },
  argsUnless: RESOURCE_FLAG,
  flags: [
    RESOURCE_FLAG,
    flag('--tour <slug>', 'with --resource: the trip of this tour, by slug or id'),
    CSV_FLAG,
    flag('--by <order>', 'by time and stop of the pickup, then who comes alone', { choices: ['pickup'] }),
    REVEAL_FLAG,
  ],
  check: ({ csv, by, resource, tour }: ManifestOptions) => {
    if (tour !== undefined && resource === undefined) throw new UsageError('--tour needs --resource');
    if (csv && by !== undefined) throw new UsageError('--csv and --by are two forms of the list: give one');
  },
  examples: [
    'departure manifest dolomites-hut-to-hut 2027-06-05 --reveal',
    'departure manifest lisbon-tram 2027-06-05T09:30 --by pickup --reveal',
    'departure manifest lisbon-tram 2027-06-05T09:30 --csv --reveal > saturday.csv',
    'departure manifest --resource boat-maria 2027-06-05T09:30',
  ],
  audits: true,
  run: printManifestCommand,
};

async function printManifestCommand(
  context: AuditedContext,
  { csv = false, by, reveal = false, resource, tour }: ManifestOptions,
  idOrSlug: string,
  named?: NamedDeparture,
): Promise<void> {
  const { db, output } = context;
  const departures =
    resource === undefined
      ? [{ tour: await findTour(db, idOrSlug), named: named! }]
      : await findTrip(db, resource, {
          ...departureOnDate(readOnlyDate(idOrSlug, named), '<date>'),
          tour: tour === undefined ? undefined : (await findTour(db, tour)).slug,
        });
  const manifests: Manifest[] = [];
  for (const one of departures) manifests.push(await readManifest(context, one, reveal));
  if (csv) return output.pour(csvLines(manifests), 'csv');
  const describe = by === 'pickup' ? describeByPickup : describeManifest;
  const toDocument: (one: Manifest) => object = by === 'pickup' ? documentByPickup : documentOf;
  const documents = manifests.map(toDocument);
  await output.answer(
    resource === undefined ? documents[0]! : ofTrip(resource, manifests, documents),
    (screen) => manifests.map((one) => describe(one, screen)).join('\n\n'),
  );
  if (!reveal && manifests.some(({ bookings }) => bookings.length > 0))
    output.note('Names, phones, travellers, answers and notes are masked: --reveal shows them');
}

/** Returns the only argument beside --resource: the date. @throws UsageError */
function readOnlyDate(date: string | undefined, more: unknown): string {
  if (date === undefined || more !== undefined)
    throw new UsageError('give --resource and one <date>, without <tour>');
  return date;
}

function documentOf({ cancelled: _, timeZone: __, ...manifest }: Manifest) {
  return manifest;
}

function documentByPickup({ cancelled: _, timeZone: __, bookings, ...manifest }: Manifest) {
  return { ...manifest, ...byPickup(bookings) };
}

function ofTrip(resource: string, manifests: Manifest[], departures: object[]) {
  const { departure_date, start_time } = manifests[0]!;
  const people = manifests.reduce((sum, one) => sum + one.people, 0);
  return { resource, departure_date, start_time, people, departures };
}
