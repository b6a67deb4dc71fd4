import { isDeepStrictEqual } from 'node:util';
import { toMajor } from '../pricing/currency';
import { queryStage, type Stage } from './stage.repository';
import {
  departureJson,
  type DepartureJson,
  PRICE_CATEGORIES,
  TOUR_FIELDS,
  type TourJson,
} from './stored-columns';

/** Lists at most this many tours in a dry run: about 10 MB where each has 20 departures. */
const MOST_CHANGES = 10_000;

/** One field of a tour or departure, with the names and units of a catalog file. */
export interface FieldDiff {
  field: string;
  before: unknown;
  after: unknown;
}

/** The changes that an import would make to one tour, in wire names. */
export interface TourDiff {
  tour: string;
  /** The change of the tour's own fields; absent if only departures change. */
  change?: 'created' | 'updated' | 'archived';
  /** Given for an updated tour. */
  fields?: FieldDiff[];
  departures?: DepartureDiff[];
}

interface DepartureDiff {
  departure_date: string;
  change: 'created' | 'updated' | 'deleted' | 'cancelled';
  fields?: FieldDiff[];
}

interface ChangeRow {
  action: 'insert' | 'update' | 'touch' | 'archive';
  before: TourJson | null;
  after: TourJson;
  departures: DepartureChange[] | null;
}

interface DepartureChange {
  action: 'insert' | 'update' | 'delete' | 'cancel';
  before: DepartureJson | null;
  after: DepartureJson;
}

const TOUR_CHANGES = { insert: 'created', update: 'updated', archive: 'archived' } as const;
const DEPARTURE_CHANGES = {
  insert: 'created',
  update: 'updated',
  delete: 'deleted',
  cancel: 'cancelled',
} as const;

/** Compares the staged changes with the catalog, field by field. */
export async function findDiff(stage: Stage): Promise<TourDiff[]> {
  const rows = await queryStage<ChangeRow>(
    stage,
    `select c.action, to_jsonb(t) as before, to_jsonb(c) as after,
       (select json_agg(json_build_object('action', n.action, 'before', ${departureJson('d')},
                                          'after', ${departureJson('n')}) order by n.departure_date)
        from changed_departures n left join departures d on d.id = n.id where n.entry = c.entry) as departures
     from (select * from changed_tours order by entry < 0, abs(entry) limit ?) as c
     left join tours t on t.id = c.id order by c.entry < 0, abs(c.entry)`,
    [MOST_CHANGES],
  );
  return rows.map(toTourDiff);
}

function toTourDiff({ action, before, after, departures }: ChangeRow): TourDiff {
  const changed: TourDiff = { tour: String(after.slug) };
  if (action !== 'touch') changed.change = TOUR_CHANGES[action];
  if (action === 'update') changed.fields = compareFields(tourFields(before!), tourFields(after));
  if (departures) {
    const digits = { before: (before ?? after).currency_digits, after: after.currency_digits };
    changed.departures = departures.map((departure) => toDepartureDiff(departure, digits));
  }
  return changed;
}

function toDepartureDiff(
  { action, before, after }: DepartureChange,
  digits: { before: number; after: number },
): DepartureDiff {
  const changed = { departure_date: after.departure_date, change: DEPARTURE_CHANGES[action] };
  if (action !== 'update') return changed;
  const fields = compareFields(departureFields(before!, digits.before), departureFields(after, digits.after));
  return { ...changed, fields };
}

function tourFields(row: TourJson): Record<string, unknown> {
  const fields = Object.fromEntries(TOUR_FIELDS.map((column) => [column, row[column]]));
  return { ...fields, base_price: toMajor(row.base_price_minor, row.currency_digits) };
}

function departureFields(
  { prices_minor, ...fields }: DepartureJson,
  digits: number,
): Record<string, unknown> {
  const prices = PRICE_CATEGORIES.map((category) => {
    const minor = prices_minor[category];
    return [`prices.${category}`, minor === undefined ? null : toMajor(minor, digits)];
  });
  return { ...fields, ...(Object.fromEntries(prices) as Record<string, unknown>) };
}

function compareFields(before: Record<string, unknown>, after: Record<string, unknown>): FieldDiff[] {
  return Object.keys(after)
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, before: before[field], after: after[field] }));
}
