-- Sales at the desk of an operator, and bookings that an import takes over from another system (ADR 73). The update is not rolling: a process
-- of an earlier release computes totals without the adjustment, which the constraint refuses, and counts these sales against the limits.
do $$ begin
  if exists (select from api_instances where polled_at > clock_timestamp() - interval '1 minute') then
    raise exception 'an instance of an earlier release runs, which does not know adjustments of totals'
      using errcode = 'object_not_in_prerequisite_state', constraint = 'migration_needs_stopped_instances';
  end if;
end $$;

-- Returns true if holds and bookings of this source count against the limits of a tenant's websites.
create function source_is_limited(source text) returns boolean
  language sql immutable
  return source in ('tenant_api', 'octo');

-- The imports of bookings from another system. The import alone writes here.
create table booking_imports (
  id         uuid        primary key default gen_random_uuid(),
  tenant_id  uuid        not null references tenants (id),
  created_at timestamptz not null default clock_timestamp(),
  -- The operator.
  created_by text        not null,
  -- True: the import sent no events.
  silent     boolean     not null,
  undone_at  timestamptz,
  undone_by  text,
  constraint booking_imports_undone_by_someone check ((undone_at is null) = (undone_by is null))
);
create index booking_imports_tenant on booking_imports (tenant_id, created_at);

-- True: the desk placed the hold, so the limits of the tenant's websites do not count it.
alter table seat_holds add column by_desk boolean not null default false;

alter table booking_leads
  drop constraint booking_leads_payment_method_known,
  drop constraint booking_leads_total_is_sum,
  drop constraint booking_leads_customer_known;
alter table booking_leads
  -- One line of the price beside the categories: a discount is negative. Null: none.
  add column adjustment_minor bigint constraint booking_leads_adjustment_not_zero check (adjustment_minor <> 0),
  add column adjustment_reason text constraint booking_leads_adjustment_reason_length check (char_length(adjustment_reason) between 1 and 200),
  add column import_id uuid references booking_imports (id),
  -- The reference in the system that the booking comes from, and a keyed digest of it after the erasure of the customer.
  add column import_ref text constraint booking_leads_import_ref_length check (char_length(import_ref) between 1 and 128),
  add constraint booking_leads_adjustment_reason_of_one check (adjustment_reason is null or adjustment_minor is not null),
  add constraint booking_leads_adjustment_reason_erased check (anonymized_at is null or adjustment_reason is null),
  add constraint booking_leads_source_known check (source in ('tenant_api', 'octo', 'desk', 'import')),
  add constraint booking_leads_payment_method_known check (payment_method in ('bank', 'reserve', 'card', 'cash')),
  add constraint booking_leads_cash_of_operator check (payment_method <> 'cash' or source in ('desk', 'import')),
  add constraint booking_leads_total_is_sum check (
    coalesce(party_total(party, prices_minor) + coalesce(adjustment_minor, 0) = total_minor, false)),
  add constraint booking_leads_total_not_negative check (total_minor >= 0),
  -- OCTO clients may leave out the name, the phone or the email; the desk the email; a row of an import the phone and the email.
  add constraint booking_leads_customer_known check (
    case when anonymized_at is not null
           then num_nonnulls(customer_name, customer_phone, customer_email, notes, travellers, cancel_reason) = 0
         when source = 'octo' then true
         when source = 'import' then customer_name is not null
         when source = 'desk' then num_nulls(customer_name, customer_phone) = 0
         else num_nulls(customer_name, customer_phone, customer_email) = 0 end);

create unique index booking_leads_import_ref on booking_leads (tenant_id, import_ref) where import_ref is not null;
create index booking_leads_import on booking_leads (import_id) where import_id is not null;
-- For the report of adjustments.
create index booking_leads_adjusted on booking_leads (created_at) where adjustment_minor is not null;

insert into database_rights (object, role, rights)
values
  ('booking_imports', 'tour_platform_api', ''),
  ('booking_imports', 'tour_platform_queue', '');
select grant_database_roles();
