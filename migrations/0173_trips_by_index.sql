-- Finds the departures of a trip by an index of its own: a list of a year with two resources takes 19.5 ms of PostgreSQL instead of 23.4 ms.
create index departure_uses_by_trip on departure_uses (resource_id, trip);

-- As in 0168_resources.sql, with this index.
create or replace function resource_loads(departure uuid, of_sandbox boolean, at timestamptz)
  returns table (resource_id uuid, places integer, units integer, seats integer, others integer, absent integer)
  language sql stable rows 2
begin atomic
  select r.id, r.places, r.units, trip.seats, load.others, load.absent
  from departure_uses mine
    join resources r on r.id = mine.resource_id
    cross join lateral (select make_interval(mins => r.turnaround) as turnaround) as pause
    -- The trip with the departure.
    cross join lateral (
      select min(lower(part.during)) as from_at, max(upper(part.during)) + pause.turnaround as to_at,
        coalesce(sum(part.taken) filter (where part.status = 'scheduled'), 0)::integer as seats
      from (
        select u.departure_id, u.during, d.status, sold.taken
        from departure_uses u join departures d on d.id = u.departure_id
          cross join lateral count_seats(u.departure_id, of_sandbox, at) as sold
        where u.resource_id = mine.resource_id and u.trip = mine.trip
        -- Without OFFSET, PostgreSQL counts the seats again for each use of `taken`.
        offset 0
      ) as part
      where part.departure_id = mine.departure_id or part.status = 'scheduled' and part.taken > 0
    ) as trip
    cross join lateral (
      with other as materialized (
        select u.trip, lower(u.during) as from_at, upper(u.during) + pause.turnaround as to_at
        from departure_uses u join departures d on d.id = u.departure_id
          cross join lateral count_seats(u.departure_id, of_sandbox, at) as sold
        where u.resource_id = mine.resource_id and u.during && tstzrange(trip.from_at - pause.turnaround, trip.to_at)
          and u.trip <> mine.trip and d.status = 'scheduled' and sold.taken > 0
      ), closing as materialized (
        select lower(c.during) as from_at, upper(c.during) as to_at, coalesce(c.units, r.units) as units
        from resource_closings c where c.resource_id = mine.resource_id and c.during && tstzrange(trip.from_at, trip.to_at)
      ), instant as (
        -- The number of trips and of closed units is the highest at the start of one of them.
        select trip.from_at as at
        union select other.from_at from other where other.from_at > trip.from_at
        union select closing.from_at from closing where closing.from_at > trip.from_at
      )
      select max(counted.trips)::integer as others, max(counted.trips + counted.closed)::integer as absent
      from instant cross join lateral (
        select (select count(distinct other.trip) from other where other.from_at <= instant.at and other.to_at > instant.at) as trips,
          (select coalesce(sum(closing.units), 0) from closing where closing.from_at <= instant.at and closing.to_at > instant.at) as closed
      ) as counted
    ) as load
  where mine.departure_id = departure;
end;

insert into rolling_migrations values ('0173_trips_by_index');
