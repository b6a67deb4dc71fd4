-- Pickups (ADR 78): the operator's points, the points of a tour, and the point or place of a booking.

-- The places where the operator fetches guests. A tour names those that it serves.
create table pickup_points (
  code            text             primary key constraint pickup_points_code_form check (code ~ '^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$'),
  name            text             not null constraint pickup_points_name_length check (char_length(name) between 1 and 200),
  address         text             constraint pickup_points_address_length check (char_length(address) between 1 and 500),
  lat             double precision constraint pickup_points_lat_range check (lat between -90 and 90),
  lng             double precision constraint pickup_points_lng_range check (lng between -180 and 180),
  directions      text             constraint pickup_points_directions_length check (char_length(directions) between 1 and 2000),
  google_place_id text,
  -- {"de": {"name": "…", "directions": "…"}}
  translations    jsonb            not null default '{}' constraint pickup_points_translations_form check (jsonb_typeof(translations) = 'object'),
  constraint pickup_points_place_complete check ((lat is null) = (lng is null))
);
-- Processes cache tours with the words of their points.
create trigger pickup_points_changed after insert or update or delete or truncate on pickup_points
  for each statement execute function mark_change();

-- {"required": true, "until": "confirm", "elsewhere": false, "points": [{"point": "station", "minutes_before": 30}]}. Null: no pickup.
alter table tours add column pickup jsonb constraint tours_pickup_form check (jsonb_typeof(pickup) = 'object');

-- The rules of the pickup when the booking was made, and its point or place with the words of that time: {"required": true, "until": "confirm", "chosen":
-- {"point": "station", "name": "Station", "address": null, "directions": null, "minutes_before": 30}}. A place has no point. Null: no pickup.
alter table booking_answers add column pickup jsonb constraint booking_answers_pickup_form check (jsonb_typeof(pickup) = 'object');
drop index booking_answers_kept;
create index booking_answers_kept on booking_answers (lead_id) where answers <> '[]' or pickup -> 'chosen' <> 'null';

insert into database_rights (object, role, rights)
values
  ('pickup_points', 'tour_platform_api', 'select'),
  ('pickup_points', 'tour_platform_queue', '');
select grant_database_roles();

insert into rolling_migrations values ('0167_pickups');
