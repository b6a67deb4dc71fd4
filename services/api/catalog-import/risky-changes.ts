import { CLOCK } from '../../platform/database/database';
import { AppError } from '../../platform/errors';
import { beginsAt, departureName } from './match-departures';
import { queryStage, type Stage } from './stage.repository';

/*
 * Finds the staged changes that an operator must agree to, because a mistake in a file looks the same: a price that changes tenfold, and the
 * removals of --prune. Refuses removals of more than a share of the catalog.
 */

/** The most changes that are named. */
const NAMED_MAX = 1000;

/** A price that changes by a factor of 10 or more. The field has the name of a catalog file; the prices are in major units. */
export interface TenfoldPrice {
  tour: string;
  /** Absent for the base price of a tour. */
  departure_date?: string;
  /** Absent for the base price of a tour, and for a departure without a start time. */
  start_time?: string;
  field: string;
  before: number;
  after: number;
  currency: string;
}

export interface TenfoldPrices {
  /** The first ones, at most NAMED_MAX, by tour and date. */
  listed: TenfoldPrice[];
  total: number;
}

/**
 * Finds the stored prices that become at least ten times as high or as low, or 0. A spreadsheet that takes a decimal point for a separator
 * of thousands multiplies a price by 1,000, and a file that is cut in a cell divides it. Leaves out tours with a new currency, whose prices
 * cannot be compared, and prices that were 0, which have no factor.
 * @rule which changes of an import are asked about or refused: test/cli/import-safeguards.long.test.ts
 */
export async function findTenfoldPrices(stage: Stage): Promise<TenfoldPrices> {
  const rows = await queryStage<{ price: TenfoldPrice; total: number }>(stage, TENFOLD, [NAMED_MAX]);
  return { listed: rows.map(({ price }) => price), total: rows[0]?.total ?? 0 };
}

const TENFOLD = `
  with changed as (
    select c.slug, null::date as departure_date, null as start_time, 'base_price' as field, t.base_price_minor as before,
           c.base_price_minor as after, c.currency, c.currency_digits
    from changed_tours c join tours t on t.id = c.id where c.action = 'update' and not c.is_repriced
    union all
    select t.slug, c.departure_date, ${beginsAt('c', 't')}, 'prices.' || category, (d.prices_minor->>category)::bigint,
           (c.prices_minor->>category)::bigint, t.currency, t.currency_digits
    from changed_departures c join departures d on d.id = c.id join changed_tours t on t.entry = c.entry
    cross join jsonb_object_keys(d.prices_minor) as category
    where c.action = 'update' and not t.is_repriced
  )
  select json_strip_nulls(json_build_object('tour', slug, 'departure_date', departure_date, 'start_time', start_time, 'field', field,
           'before', before::float8 / 10::float8 ^ currency_digits, 'after', after::float8 / 10::float8 ^ currency_digits,
           'currency', currency)) as price,
         (count(*) over ())::integer as total
  from changed where before > 0 and (after >= before * 10 or after * 10 <= before)
  order by slug, departure_date nulls first, start_time nulls first, field limit ?`;

/** The tours and departures that a pruning import would archive, delete and cancel. */
export interface Removals {
  /** Digest of all removals, to detect that they have changed. */
  digest: string;
  /** Texts that name the first removals, at most NAMED_MAX. */
  named: string[];
  shares: RemovalShare[];
}

/** How many of the tours or departures on sale a pruning import would remove. */
export interface RemovalShare {
  what: 'published tours' | 'upcoming departures';
  removed: number;
  of: number;
}

export async function findRemovals(stage: Stage): Promise<Removals> {
  const [row] = await queryStage<Removals>(
    stage,
    `select coalesce(md5(string_agg(name, ',' order by entry < 0, slug, name)), '') as digest,
            coalesce((array_agg(name order by entry < 0, slug, name))[1:?], '{}') as named
     from (select t.entry, t.slug, format('%s %s %s', d.action, t.slug,
             ${departureName('d.departure_date', beginsAt('d', 't'))}) as name
           from changed_departures d join changed_tours t on t.entry = d.entry where d.action in ('delete', 'cancel')
           union all
           select entry, slug, format('archive %s', slug) from changed_tours where action = 'archive') as removal`,
    [NAMED_MAX],
  );
  const { digest, named } = row!;
  return { digest, named, shares: named.length > 0 ? await findShares(stage) : [] };
}

/** Counts the published tours, and the scheduled departures that are not past, with those that the import removes. */
async function findShares(stage: Stage): Promise<RemovalShare[]> {
  return queryStage<RemovalShare>(
    stage,
    `${CLOCK} select 'published tours' as what, count(c.id)::integer as removed, count(*)::integer as of
     from tours t left join changed_tours c on c.id = t.id and c.action = 'archive' where t.status = 'published'
     union all
     select 'upcoming departures', count(c.id)::integer, count(*)::integer
     from clock, departures d join tours t on t.id = d.tour_id
     left join changed_departures c on c.id = d.id and c.action in ('delete', 'cancel')
     where d.status = 'scheduled' and not departure_is_past(d.departure_date, ${beginsAt('d', 't')}, t.time_zone, clock.at)`,
  );
}

/** A pruning import would remove so much that the files may be incomplete. */
export class PruneTooLargeError extends AppError {
  readonly code = 'prune_too_large';

  constructor(shares: RemovalShare[], atMost: number) {
    const named = shares.map(({ removed, of, what }) => `${removed} of ${of} ${what}`).join(' and ');
    const needed = Math.max(...shares.map(({ removed, of }) => Math.ceil((removed * 100) / of)));
    super(
      `--prune would remove ${named}, more than ${atMost} %; nothing was written. ` +
        `If the files are complete, add --prune-at-most ${needed}%`,
    );
  }
}

/** The largest share of the tours or departures on sale that a pruning import removes without --prune-at-most, in percent. */
export const PRUNED_PERCENT_MAX = 20;

/** Returns the error of a pruning import that would remove more than this percentage of the tours or of the departures. */
export function largePrune({ shares }: Removals, atMost: number): PruneTooLargeError | undefined {
  const large = shares.filter(({ removed, of }) => removed * 100 > of * atMost);
  return large.length > 0 ? new PruneTooLargeError(large, atMost) : undefined;
}
