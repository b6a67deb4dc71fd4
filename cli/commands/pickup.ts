import {
  type PickupPoint,
  POINT_ADDRESS_MAX,
  type PointWords,
} from '../../services/api/pickups/pickup-point';
import { findPickupPoints } from '../../services/api/pickups/pickup-point.repository';
import {
  addPickupPoint,
  type ChangedPoint,
  changePickupPoint,
  type PointChange,
  removePickupPoint,
} from '../../services/api/pickups/manage-pickup-points';
import type { Trx } from '../../services/platform/database/database';
import { NAME_MAX, NOTES_MAX } from '../../services/platform/forms/lengths';
import { type Flag, flag, type Verb } from '../engine/command';
import type { AuditedContext } from '../engine/context';
import { UsageError } from '../engine/failure';
import { afterFlag, LIST_FLAGS, listOf } from '../engine/list';
import { pickupPoint } from '../engine/pickup';
import { decimal, line, paragraphs } from '../engine/values';
import { properties } from '../terminal/table';

/** The flags of a point. */
interface PointOptions {
  name?: string;
  address?: string;
  lat?: number;
  lng?: number;
  directions?: string;
  googlePlaceId?: string;
}

/** Reads degrees of a position. @param most in both directions */
const degrees = (most: number) => (text: string, name: string) => Number(decimal(-most, most, 6)(text, name));

const WORDS: Flag[] = [
  flag('--address <text>', 'its address', { parse: line(POINT_ADDRESS_MAX) }),
  flag('--lat <degrees>', 'its latitude', { parse: degrees(90) }),
  flag('--lng <degrees>', 'its longitude', { parse: degrees(180) }),
  flag('--directions <text>', 'how a guest finds it', { parse: paragraphs(NOTES_MAX) }),
  flag('--google-place-id <id>', 'its ID in Google Maps, for resellers', { parse: line(300) }),
];
const nameFlag = (must: boolean) => flag('--name <text>', 'its name', { parse: line(NAME_MAX), must });
const CODE = { code: pickupPoint };

function checkPlace({ lat, lng }: PointOptions): void {
  if ((lat === undefined) !== (lng === undefined)) throw new UsageError('--lat and --lng go together');
}

export const pickupVerbs: Verb[] = [
  {
    usage: 'list',
    about: 'List the points at which guests are fetched, by code',
    flags: [...LIST_FLAGS, afterFlag('code', pickupPoint)],
    run: listOf({
      find: findPickupPoints,
      columns: [
        { heading: 'code' },
        { heading: 'name', least: 12 },
        { heading: 'address', least: 12, aside: true },
      ],
      empty: 'No pickup points: tourctl pickup add <code> --name …',
      after: (point) => point.code,
    }),
  },
  {
    usage: 'add <code>',
    about:
      'Add a point at which guests are fetched; the pickup of a tour in a catalog file names it by its code',
    args: CODE,
    flags: [nameFlag(true), ...WORDS],
    check: checkPlace,
    examples: [
      'pickup add central_station --name "Central station" --address "Europaplatz 1" --lat 52.525 --lng 13.369',
    ],
    audits: true,
    run: addPointCommand,
  },
  {
    usage: 'set <code>',
    about: 'Change the words of a point; bookings keep those with which it was sold',
    args: CODE,
    flags: [nameFlag(false), ...WORDS],
    check: (options: PointOptions) => {
      checkPlace(options);
      if (Object.keys(changeOf(options)).length === 0)
        throw new UsageError('name at least one field to change');
    },
    examples: ['pickup set central_station --directions "In front of the north entrance"'],
    audits: true,
    run: (context: AuditedContext, options: PointOptions, code: string) =>
      changeAndShow(context, 'pickup.set', code, (trx) => changePickupPoint(trx, code, changeOf(options))),
  },
  {
    usage: 'remove <code>',
    about: 'Remove a point that no tour names; bookings keep it',
    args: CODE,
    asks: () => true,
    audits: true,
    run: async (context: AuditedContext, _options: object, code: string) => {
      await context.confirm(`Remove the pickup point ${code}?`);
      await changeAndShow(context, 'pickup.remove', code, (trx) => removePickupPoint(trx, code));
    },
  },
];

/** Returns the fields that the flags name. */
function changeOf({ name, address, lat, lng, directions, googlePlaceId }: PointOptions): PointChange {
  const given = { name, address, lat, lng, directions, google_place_id: googlePlaceId };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function addPointCommand(context: AuditedContext, options: PointOptions, code: string): Promise<void> {
  const { name, address = null, lat = null, lng = null, directions = null, googlePlaceId = null } = options;
  const translations: Record<string, PointWords> = {};
  const point = {
    code,
    name: name!,
    address,
    lat,
    lng,
    directions,
    google_place_id: googlePlaceId,
    translations,
  };
  await changeAndShow(context, 'pickup.add', code, (trx) => addPickupPoint(trx, point));
}

/** Changes a point and writes its audit row in one transaction, and answers it. */
async function changeAndShow(
  { audited, output }: AuditedContext,
  action: string,
  code: string,
  change: (trx: Trx) => Promise<ChangedPoint>,
): Promise<void> {
  const { before, after } = await audited({ action, subject: code }, async (trx, note) => {
    const changed = await change(trx);
    note(changed.before, changed.after);
    return changed;
  });
  const point = (after ?? before) as PickupPoint;
  await output.answer({ ...point }, (screen) => properties({ ...point, translations: null }, screen));
}
