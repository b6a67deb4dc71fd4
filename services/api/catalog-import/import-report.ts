import { isDeepStrictEqual } from 'node:util';
import { CLOCK } from '../../platform/database/database';
import type { Issue, IssueList } from './catalog-file';
import { removedCodes } from './changed-categories';
import { beginsAt } from './match-departures';
import { findTenfoldPrices, type TenfoldPrices } from './risky-changes';
import { departureJson, type FileEntry, major, tourJson } from './export-catalog';
import { queryStage, type Stage } from './stage.repository';
import { findWarnings } from './warnings.repository';

/** The result of an import or of a dry run, as `--json` prints it. All counts are 0 if there are issues. */
export interface ImportReport {
  tours: Counts;
  departures: Counts;
  /** Absent if the files have no resources. */
  resources?: Counts;
  /** Absent if the files have no pickup points. */
  pickup_points?: Counts;
  errors: Issue[];
  /** The number of all issues; absent if all are listed. */
  errors_total?: number;
  /** The numbers of tours and departures that --prune archives, deletes and cancels. Missing without --prune. */
  pruned?: { tours_archived: number; departures_deleted: number; departures_cancelled: number };
  /** The standing bookings of departures that the import cancels. Missing if there are none. */
  bookings_to_tell?: BookingsToTell[];
  /** New departures that cannot be booked, because they have started, or their date is over in the tour's time zone. Absent if none. */
  past_departures?: PastDepartures;
  /** The prices that change by a factor of 10 or more, at most 1,000; absent if there are none. */
  tenfold_prices?: TenfoldPrices['listed'];
  /** The number of all such prices; absent if all are listed. */
  tenfold_prices_total?: number;
  /** The prices of categories that a tour loses, at most 1,000; absent if there are none. */
  removed_prices?: RemovedPrice[];
  /** The number of all such prices; absent if all are listed. */
  removed_prices_total?: number;
  /** Possible mistakes of the files, with their places. Absent if there is none. */
  warnings?: Issue[];
  /** In a dry run: the changes of each tour. */
  changes?: TourDiff[];
  /** Number of tours that would change and are not listed; absent if all are listed. */
  changes_left_out?: number;
}

interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

interface BookingsToTell {
  tour: string;
  departure_date: string;
  start_time: string | null;
  booking_refs: string[];
}

/** A price that a departure loses with its category. In major units. */
export interface RemovedPrice {
  tour: string;
  departure_date: string;
  start_time: string | null;
  category: string;
  price: number;
  currency: string;
}

export interface PastDepartures {
  departures: number;
  first: { tour: string; departure_date: string; start_time: string | null };
}

/** The numbers of staged changes by action. */
export interface ChangeCounts {
  tours: Partial<Record<'insert' | 'update' | 'touch' | 'archive', number>>;
  /** `drop_prices`: the tour loses categories with a price, and the file says nothing else of the departure. */
  departures: Partial<Record<'insert' | 'update' | 'delete' | 'cancel' | 'drop_prices', number>>;
  resources: Partial<Record<'insert' | 'update', number>>;
  pickupPoints: Partial<Record<'insert' | 'update', number>>;
}

/** The numbers of tours, departures, resources and pickup points in the files. */
interface FileCounts {
  tours: number;
  departures: number;
  resources: number;
  pickupPoints: number;
}

/**
 * Reports the staged changes, before they are written. Reports only the issues if there are any.
 * @param total tours and departures of the files
 */
export async function reportChanges(
  stage: Stage,
  total: FileCounts,
  issues: IssueList,
  prune: boolean,
): Promise<{ report: ImportReport; counts: ChangeCounts }> {
  if (issues.count() > 0) {
    const counts = { tours: {}, departures: {}, resources: {}, pickupPoints: {} };
    const nothing = { tours: 0, departures: 0, resources: 0, pickupPoints: 0 };
    return { report: toReport(counts, nothing, prune, issues), counts };
  }
  const counts = await countChanges(stage);
  const bookings = await findBookingsToTell(stage);
  const past = await findPastDepartures(stage);
  const prices = await findTenfoldPrices(stage);
  const removed = await findRemovedPrices(stage);
  const warnings = [...issues.warnings(), ...(await findWarnings(stage))];
  const report: ImportReport = toReport(counts, total, prune, issues);
  if (bookings.length > 0) report.bookings_to_tell = bookings;
  if (past) report.past_departures = past;
  if (prices.listed.length > 0) report.tenfold_prices = prices.listed;
  if (prices.total > prices.listed.length) report.tenfold_prices_total = prices.total;
  if (removed.listed.length > 0) report.removed_prices = removed.listed;
  if (removed.total > removed.listed.length) report.removed_prices_total = removed.total;
  if (warnings.length > 0) report.warnings = warnings;
  return { report, counts };
}

function toReport(
  { tours, departures, resources, pickupPoints }: ChangeCounts,
  total: FileCounts,
  prune: boolean,
  issues: IssueList,
): ImportReport {
  const counts = (of: number, created = 0, updated = 0) => ({
    created,
    updated,
    unchanged: of - created - updated,
  });
  const ofFiles = counts(total.departures, departures.insert, departures.update);
  const errors = issues.listed();
  return {
    tours: counts(total.tours, tours.insert, tours.update),
    departures: { ...ofFiles, updated: ofFiles.updated + (departures.drop_prices ?? 0) },
    ...(total.resources > 0 && { resources: counts(total.resources, resources.insert, resources.update) }),
    ...(total.pickupPoints > 0 && {
      pickup_points: counts(total.pickupPoints, pickupPoints.insert, pickupPoints.update),
    }),
    errors,
    ...(issues.count() > errors.length && { errors_total: issues.count() }),
    ...(prune && {
      pruned: {
        tours_archived: tours.archive ?? 0,
        departures_deleted: departures.delete ?? 0,
        departures_cancelled: departures.cancel ?? 0,
      },
    }),
  };
}

async function countChanges(stage: Stage): Promise<ChangeCounts> {
  const count = (table: string) => `(select coalesce(json_object_agg(action, count), '{}')
    from (select action, count(*) from ${table} group by action) as counted)`;
  const sql = `select ${count('changed_tours')} as tours, ${count('changed_departures')} as departures,
    ${count('changed_resources')} as resources, ${count('changed_pickup_points')} as "pickupPoints"`;
  const [counts] = await queryStage<ChangeCounts>(stage, sql);
  return counts!;
}

async function findBookingsToTell(stage: Stage): Promise<BookingsToTell[]> {
  const rows = await queryStage<{ booking: BookingsToTell }>(
    stage,
    `${CLOCK} select json_build_object('tour', t.slug, 'departure_date', c.departure_date,
       'start_time', ${beginsAt('c', 't')}, 'booking_refs', json_agg(l.booking_ref order by l.id)) as booking
     from clock, changed_departures c
     join departures d on d.id = c.id join changed_tours t on t.entry = c.entry
     join booking_leads l on l.departure_id = d.id
     where c.action in ('update', 'cancel') and c.status = 'cancelled' and d.status <> 'cancelled'
       and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)
     group by c.entry, t.slug, c.departure_date, ${beginsAt('c', 't')}
     order by c.entry, c.departure_date, ${beginsAt('c', 't')}`,
  );
  return rows.map(({ booking }) => booking);
}

/** Finds the prices of the categories that the tours lose. */
async function findRemovedPrices(stage: Stage): Promise<{ listed: RemovedPrice[]; total: number }> {
  const rows = await queryStage<{ price: RemovedPrice; total: number }>(
    stage,
    `select json_build_object('tour', c.slug, 'departure_date', n.departure_date, 'start_time', ${beginsAt('n', 'c')},
       'category', category, 'price', ${major('(d.prices_minor->>category)', 't')}, 'currency', t.currency) as price,
       (count(*) over ())::integer as total
     from changed_tours c join tours t on t.id = c.id join changed_departures n on n.entry = c.entry
     join departures d on d.id = n.id cross join unnest(${removedCodes('t.categories', 'c.categories')}) as category
     where n.action <> 'delete' and jsonb_exists(d.prices_minor, category) and not jsonb_exists(n.prices_minor, category)
     order by c.slug, n.departure_date, ${beginsAt('n', 'c')}, category limit ?`,
    [REMOVED_PRICES_MAX],
  );
  return { listed: rows.map(({ price }) => price), total: rows[0]?.total ?? 0 };
}

const REMOVED_PRICES_MAX = 1000;

async function findPastDepartures(stage: Stage): Promise<PastDepartures | undefined> {
  const [row] = await queryStage<{ past: PastDepartures }>(
    stage,
    `${CLOCK} select json_build_object('departures', count(*) over (), 'first',
       json_build_object('tour', t.slug, 'departure_date', c.departure_date, 'start_time', ${beginsAt('c', 't')})) as past
     from clock, changed_departures c join changed_tours t on t.entry = c.entry
     where c.action = 'insert' and departure_is_past(c.departure_date, ${beginsAt('c', 't')}, t.time_zone, clock.at)
     order by c.entry, c.departure_date, ${beginsAt('c', 't')} limit 1`,
  );
  return row?.past;
}

/** The most tours that a dry run lists: about 10 MB if each tour has 20 departures. */
const CHANGES_MAX = 10_000;

/** One field of a tour or departure, with the names and units of a catalog file. */
export interface FieldDiff {
  field: string;
  before: unknown;
  after: unknown;
}

/** The changes that an import would make to one tour, as `--json` prints them. */
export interface TourDiff {
  tour: string;
  /** The change of the tour's own fields; absent if only departures change. */
  change?: 'created' | 'updated' | 'archived';
  /** The changed fields of an updated tour. */
  fields?: FieldDiff[];
  departures?: DepartureDiff[];
}

interface DepartureDiff {
  departure_date: string;
  /** The start time after the import: the departure's own, or that of the tour. */
  start_time: string | null;
  change: 'created' | 'updated' | 'deleted' | 'cancelled';
  fields?: FieldDiff[];
}

interface Change<Action> {
  action: Action;
  before: FileEntry;
  after: FileEntry;
}

type TourChange = Change<'insert' | 'update' | 'touch' | 'archive'> & {
  departures: (Change<Exclude<keyof typeof CHANGES, 'archive'>> & { start_time: string | null })[] | null;
};

const CHANGES = {
  insert: 'created',
  update: 'updated',
  archive: 'archived',
  drop_prices: 'updated',
  delete: 'deleted',
  cancel: 'cancelled',
} as const;

/** Compares the staged changes with the catalog, field by field. */
export async function findDiff(stage: Stage): Promise<TourDiff[]> {
  const changes = await queryStage<TourChange>(
    stage,
    `select c.action, ${tourJson('t')} as before, ${tourJson('c')} as after,
       (select json_agg(json_build_object('action', n.action, 'start_time', ${beginsAt('n', 'c')}, 'before', ${departureJson('d', 't')},
                                          'after', ${departureJson('n', 'c')}) order by n.departure_date, ${beginsAt('n', 'c')})
        from changed_departures n left join departures d on d.id = n.id where n.entry = c.entry) as departures
     from (select * from changed_tours order by entry < 0, abs(entry) limit ?) as c
     left join tours t on t.id = c.id order by c.entry < 0, abs(c.entry)`,
    [CHANGES_MAX],
  );
  return changes.map((tour) => ({
    tour: String(tour.after.slug),
    ...(tour.action !== 'touch' && { change: CHANGES[tour.action] }),
    ...compareFields(tour),
    ...(tour.departures && {
      departures: tour.departures.map((departure) => ({
        departure_date: String(departure.after.departure_date),
        start_time: departure.start_time,
        change: CHANGES[departure.action],
        ...compareFields(departure),
      })),
    }),
  }));
}

/** Returns `fields` for an update, and an empty object for other actions. */
function compareFields({ action, ...entries }: Change<string>): { fields?: FieldDiff[] } {
  if (action !== 'update' && action !== 'drop_prices') return {};
  const [before, after] = [flatten(entries.before), flatten(entries.after)];
  return {
    fields: [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((field) => !isDeepStrictEqual(before[field] ?? null, after[field] ?? null))
      .map((field) => ({ field, before: before[field], after: after[field] })),
  };
}

/** Names the prices of a departure `prices.adult`, and the translated texts of a tour `translations.de.name`. Puts amounts last. */
function flatten({ prices, base_price, translations, ...fields }: FileEntry): FileEntry {
  if (prices) return { ...fields, ...prefixed('prices', prices as FileEntry) };
  const flat: FileEntry = { ...fields };
  for (const [language, texts] of Object.entries((translations ?? {}) as Record<string, FileEntry>))
    Object.assign(flat, prefixed(`translations.${language}`, texts));
  return { ...flat, base_price };
}

/** Adds the prefix to the name of each field. */
function prefixed(prefix: string, fields: FileEntry): FileEntry {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`${prefix}.${name}`, value]));
}
