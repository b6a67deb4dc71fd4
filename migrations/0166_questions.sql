-- The questions of tours, and the answers of bookings (ADR 78).

-- The questions of a tour, in their order: [{"code": "weight", "label": "Weight in kg", "type": "number", "per": "traveller", "required": true,
-- "until": "confirm"}]. The API checks them. Null: nothing is asked.
alter table tours add column questions jsonb
  constraint tours_questions_form check (jsonb_typeof(questions) = 'array' and jsonb_array_length(questions) between 1 and 20);

-- The questions that a booking was asked when it was made, and its answers. A booking of a tour that asks nothing has no row.
create table booking_answers (
  lead_id    bigint  primary key references booking_leads (id),
  -- The questions in the language in which they were asked. Later changes of the tour do not change them.
  questions  jsonb   not null constraint booking_answers_questions_form check (jsonb_typeof(questions) = 'array'),
  -- [{"code": "weight", "value": 80, "category": "adult", "person": 0}]: `person` counts the people of the category. A question of the
  -- booking has neither. Empty after an erasure.
  answers    jsonb   not null constraint booking_answers_answers_form check (jsonb_typeof(answers) = 'array'),
  -- The number of required answers that are missing.
  missing    integer not null constraint booking_answers_missing_range check (missing >= 0),
  -- When booking.answers_missing was sent, or nothing was missing. Null: it is not due yet.
  checked_at timestamptz
);
create index booking_answers_unchecked on booking_answers (lead_id) where checked_at is null;
create index booking_answers_missing on booking_answers (lead_id) where missing > 0;
-- For the erasure after ANSWER_DAYS.
create index booking_answers_kept on booking_answers (lead_id) where answers <> '[]';
create index booking_leads_traveller_notes on booking_leads (departure_date)
  where jsonb_path_exists(travellers, '$[*].note ? (@ != null)');

insert into database_rights (object, role, rights)
values
  ('booking_answers', 'tour_platform_api', 'select, insert, update'),
  ('booking_answers', 'tour_platform_queue', '');
select grant_database_roles();

alter table webhook_endpoints drop constraint webhook_endpoints_events_known;
alter table webhook_endpoints add constraint webhook_endpoints_events_known
  check (cardinality(events) > 0 and events <@ array['booking.created', 'booking.confirmed', 'booking.updated', 'booking.cancelled',
    'booking.expired', 'booking.payment_due', 'booking.answers_missing', 'hold.expired', 'departure.cancelled', 'departure.updated',
    'endpoint.disabled', 'octo.product_update', 'octo.availability_update', 'octo.booking_update']);

insert into rolling_migrations values ('0166_questions');
