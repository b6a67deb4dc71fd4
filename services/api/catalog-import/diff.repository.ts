import { isDeepStrictEqual } from 'node:util';
import { departureJson, type FileEntry, tourJson } from './export-catalog';
import { queryStage, type Stage } from './stage.repository';

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

interface Change<Action> {
  action: Action;
  before: FileEntry;
  after: FileEntry;
}

type TourChange = Change<'insert' | 'update' | 'touch' | 'archive'> & {
  departures: Change<'insert' | 'update' | 'delete' | 'cancel'>[] | null;
};

const CHANGES = {
  insert: 'created',
  update: 'updated',
  archive: 'archived',
  delete: 'deleted',
  cancel: 'cancelled',
} as const;

/** Compares the staged changes with the catalog, field by field. */
export async function findDiff(stage: Stage): Promise<TourDiff[]> {
  const changes = await queryStage<TourChange>(
    stage,
    `select c.action, ${tourJson('t')} as before, ${tourJson('c')} as after,
       (select json_agg(json_build_object('action', n.action, 'before', ${departureJson('d', 't')},
                                          'after', ${departureJson('n', 'c')}) order by n.departure_date)
        from changed_departures n left join departures d on d.id = n.id where n.entry = c.entry) as departures
     from (select * from changed_tours order by entry < 0, abs(entry) limit ?) as c
     left join tours t on t.id = c.id order by c.entry < 0, abs(c.entry)`,
    [MOST_CHANGES],
  );
  return changes.map((tour) => ({
    tour: String(tour.after.slug),
    ...(tour.action !== 'touch' && { change: CHANGES[tour.action] }),
    ...compareFields(tour),
    ...(tour.departures && {
      departures: tour.departures.map((departure) => ({
        departure_date: String(departure.after.departure_date),
        change: CHANGES[departure.action],
        ...compareFields(departure),
      })),
    }),
  }));
}

/** Returns `fields` for an update. */
function compareFields({ action, ...entries }: Change<string>): { fields?: FieldDiff[] } {
  if (action !== 'update') return {};
  const [before, after] = [flatten(entries.before), flatten(entries.after)];
  return {
    fields: Object.keys(after)
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => ({ field, before: before[field], after: after[field] })),
  };
}

/** Names a price of a departure as `prices.adult`. Puts amounts last. */
function flatten({ prices, base_price, ...fields }: FileEntry): FileEntry {
  if (!prices) return { ...fields, base_price };
  const named = Object.entries(prices).map(([category, amount]) => [`prices.${category}`, amount as unknown]);
  return { ...fields, ...(Object.fromEntries(named) as FileEntry) };
}
