import { CLOCK, type Db, inTransaction, type Trx } from '../../platform/database/database';
import { START_TIME } from './start-time';
import type { DateTimes, ListedTour } from './tour';
import { openAt, SALES_END_AT } from './departure-state';

const TOURS_A_STEP = 2_000;

/**
 * Computes the next departure again for each tour that has changed or whose next departure has closed (0105_departures.sql), in short
 * transactions. Only one process at a time does this, because two could store their results in the wrong order. Lists of tours are correct
 * even if this function runs late: until then, each list computes the next departures of the changed tours by itself.
 */
export async function refreshNextDepartures(db: Db): Promise<void> {
  for (;;) if ((await inTransaction(db, refreshStep)) < TOURS_A_STEP) return;
}

async function refreshStep(trx: Trx): Promise<number> {
  const claim = await trx.raw("select pg_try_advisory_xact_lock(hashtext('next departures')) as claimed");
  if (!claim.rows[0].claimed) return 0;
  const { rows } = await trx.raw(
    `with due as (
       delete from next_departures_due where id in (select id from next_departures_due order by id limit :most)
       returning tour_id)
     select tour_id from due
     union all
     (select tour_id from next_departures where open_until <= statement_timestamp() order by open_until limit :most)`,
    { most: TOURS_A_STEP },
  );
  const tourIds = rows.map((row: { tourId: string }) => row.tourId);
  // Runs as a second statement. Its snapshot then contains all changes for which the first statement has deleted rows in
  // next_departures_due.
  await trx.raw(
    `${CLOCK}
     insert into next_departures (tour_id, continent, sort_key, computed_at, open_until)
     select t.id, t.continent, next_departure_key(next.departure_date, t.name_folded, t.id), clock.at, coalesce(next.closes_at, 'infinity')
     from clock, tours t left join lateral (
       select d.departure_date, ${SALES_END_AT} as closes_at
       from departures d
       where d.tour_id = t.id and ${openAt('clock.at')}
       order by d.departure_date limit 1) next on true
     where t.id = any(:tourIds::uuid[])
     on conflict (tour_id) do update set continent = excluded.continent, sort_key = excluded.sort_key,
       computed_at = excluded.computed_at, open_until = excluded.open_until`,
    { tourIds },
  );
  return tourIds.length;
}

/** Returns the times of the next departure date of each tour, by the tour's id. Leaves out tours with one departure on that date. */
export async function findTimesOfNextDates(
  db: Db,
  tours: Pick<ListedTour, 'id' | 'nextDepartureDate'>[],
): Promise<Map<string, DateTimes>> {
  const dated = tours.filter(({ nextDepartureDate }) => nextDepartureDate !== null);
  if (dated.length === 0) return new Map();
  const { rows } = await db.raw<{ rows: (DateTimes & { tourId: string })[] }>(
    `select d.tour_id, d.departure_date as date, array_agg(${START_TIME} order by ${START_TIME}) as times
     from unnest(:tourIds::uuid[], :dates::date[]) as next (tour_id, departure_date)
       join departures d on d.tour_id = next.tour_id and d.departure_date = next.departure_date
       join tours t on t.id = d.tour_id
     where ${openAt('statement_timestamp()')}
     group by d.tour_id, d.departure_date
     having count(*) > 1`,
    {
      tourIds: dated.map(({ id }) => id),
      dates: dated.map(({ nextDepartureDate }) => nextDepartureDate!),
    },
  );
  return new Map(rows.map(({ tourId, ...dateTimes }) => [tourId, dateTimes]));
}
