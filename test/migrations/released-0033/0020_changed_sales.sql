-- Holds and bookings can be changed: another departure, more or fewer people, other contact data.

-- In the order of a sale, which reads leads before it inserts a hold.
lock table booking_leads, seat_holds in access exclusive mode;

-- A confirmed booking keeps its deposit when its total becomes smaller. Not validated: the constraint before was stricter.
alter table booking_leads
  drop constraint booking_leads_deposit_range,
  add constraint booking_leads_deposit_range check (deposit_minor >= 0) not valid;

-- The changes of holds and of bookings, append only: the rows themselves store only their current values. `fields` has the values
-- before and after by field, such as {"adults": [2, 3]}, and null for a field with personal data; json keeps their order. `by` is the
-- actor: the id of a key, or an operator.
create table hold_changes (
  hold_id uuid        not null references seat_holds (id),
  at      timestamptz not null,
  by      text,
  fields  json        not null
);
create index hold_changes_hold on hold_changes (hold_id);

create table booking_changes (
  lead_id bigint      not null references booking_leads (id),
  at      timestamptz not null,
  by      text,
  fields  json        not null
);
create index booking_changes_lead on booking_changes (lead_id);
