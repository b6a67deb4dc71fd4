-- People: a login for each operator, and a right for each task (ADR 77). The owner alone works as before.

alter table database_rights drop constraint database_rights_role_known;
alter table database_rights add constraint database_rights_role_known check (role in ('tour_platform_api', 'tour_platform_queue',
  'tour_platform_viewer', 'tour_platform_desk', 'tour_platform_catalog', 'tour_platform_keys', 'tour_platform_admin'));

-- The people of this installation. A backup has this table, but no login.
create table people (
  name       text        primary key constraint people_name_form check (name ~ '^[a-z0-9]{2,20}$'),
  roles      text[]      not null
    constraint people_roles_known check (roles <> '{}' and roles <@ array['viewer', 'desk', 'catalog', 'keys', 'admin']),
  -- The login ends then. Null: it does not end by itself.
  until      timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp()
);

-- The logins that the functions below have made on this server. They touch no other role. A row whose person is gone is the login of a
-- removed person that could not be dropped yet.
create table people_logins (
  name  text primary key,
  login oid  not null unique
);

-- The running transactions in which a person changed something, or wrote a row of the audit log.
create table people_transactions (
  transaction xid8   primary key,
  -- The changed tables.
  changed     text[] not null default '{}',
  -- The references of bookings that stood before and have changed.
  bookings    text[] not null default '{}',
  -- The actions and subjects of the rows of the audit log.
  actions     text[] not null default '{}',
  subjects    text[] not null default '{}'
);

-- The tasks that change something, with the actions of their commands in the audit log.
create table people_tasks (
  name    text   primary key,
  actions text[] not null,
  -- The tables that the task may change.
  objects text[] not null
);

-- The columns that people without a right on personal data see of the tables with data of customers. All other columns are null for them.
create table viewer_columns (
  object      text not null,
  column_name text not null,
  primary key (object, column_name)
);

alter table audit_log
  -- The login that wrote the row. Null: written before this release.
  add column login text,
  -- The person whose login or link wrote the row.
  add column person text,
  -- True: the owner of the database wrote the row.
  add column by_owner boolean not null default false;
create index audit_log_person on audit_log (person, id) where person is not null;

alter table tenants
  -- The largest discount that a person with the role desk gives, in percent of the price without it.
  add column desk_discount smallint not null default 100 constraint tenants_desk_discount_range check (desk_discount between 0 and 100);

alter table webhook_monitor_sessions
  -- The person who made the link. Null: the owner.
  add column person text;

-- Returns the name of the person whose login this session is. Null for the owner and the services.
create function current_person() returns text language sql stable as $$
  select p.name from pg_roles r join people_logins l on l.login = r.oid join people p on p.name = l.name
  where r.rolname = session_user and (p.until is null or p.until > clock_timestamp())
$$;

-- Returns true for a session of the owner of the schema, or of a superuser.
create function session_is_owner() returns boolean language sql stable as $$
  select pg_has_role(session_user, c.relowner, 'usage') from pg_class c where c.oid = 'audit_log'::regclass
$$;

-- Writes who made an audited change. A person cannot give another name, host or time.
create function stamp_audit_row() returns trigger language plpgsql as $$
declare
  name constant text := current_person();
begin
  new.login := session_user;
  new.by_owner := name is null and session_is_owner();
  if name is null then return new; end if;
  new.person := name;
  new.actor := session_user;
  new.host := coalesce(host(inet_client_addr()), 'local');
  new.at := now();
  insert into people_transactions as t (transaction, actions, subjects)
  values (pg_current_xact_id(), array[new.action], array_remove(array[new.subject], null))
  on conflict (transaction) do update set actions = t.actions || new.action, subjects = t.subjects || excluded.subjects;
  return new;
end $$;
create trigger audit_log_stamped before insert on audit_log for each row execute function stamp_audit_row();

-- Names the person who makes a link to the monitoring page. A person cannot make a link in another name.
create function stamp_monitor_link() returns trigger language plpgsql as $$
begin
  new.person := current_person();
  if new.person is not null then
    new.operator := session_user;
    new.host := coalesce(host(inet_client_addr()), 'local');
  end if;
  return new;
end $$;
create trigger webhook_monitor_sessions_stamped before insert on webhook_monitor_sessions
  for each row execute function stamp_monitor_link();

-- Remembers that a person has changed a table, and these bookings. Refuses a login with rights of people that is no person of this database.
create function note_change(object text, refs text[] default '{}') returns void language plpgsql as $$
begin
  if current_person() is null then
    raise insufficient_privilege using message = format('The login %s is no person of this installation', session_user);
  end if;
  insert into people_transactions as t (transaction, changed, bookings) values (pg_current_xact_id(), array[object], refs)
  on conflict (transaction) do update set bookings = t.bookings || refs,
    changed = case when object = any (t.changed) then t.changed else t.changed || object end;
end $$;

create function note_change_of_person() returns trigger language plpgsql as $$
begin
  perform note_change(tg_table_name);
  return null;
end $$;

-- Refuses at COMMIT the changes of a person that no row of the audit log states: one whose action belongs to a task that may change the table.
-- A row about one booking states the change of that one only.
create function require_audit_row() returns trigger language plpgsql as $$
declare
  done people_transactions;
  unstated text;
begin
  delete from people_transactions where transaction = new.transaction returning * into done;
  select c into unstated from unnest(done.changed) c
  where not exists (select from people_tasks t where c = any (t.objects) and t.actions && done.actions);
  if unstated is null and done.actions <@ array['booking.change', 'booking.confirm', 'booking.cancel'] and not done.bookings <@ done.subjects then
    unstated := 'another booking';
  end if;
  if unstated is not null then
    raise insufficient_privilege using message = format('A change of %s by %s without a row in audit_log that states it is refused',
      unstated, session_user);
  end if;
  return null;
end $$;
create constraint trigger people_transactions_at_commit after insert on people_transactions
  deferrable initially deferred for each row execute function require_audit_row();

-- The right to update this column is there for locks of rows only.
create function refuse_created_at() returns trigger language plpgsql as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise insufficient_privilege using message = format('permission denied to change created_at of %s', tg_table_name);
  end if;
  return null;
end $$;
do $$
declare
  locked text;
begin
  foreach locked in array array['departures', 'resources', 'tenants', 'webhook_endpoints'] loop
    execute format('create trigger %I before update of created_at on %I for each statement execute function refuse_created_at()',
      locked || '_created_at_stays', locked);
  end loop;
end $$;

-- The revision of a tour makes its cached answers invalid.
create function refuse_earlier_revision() returns trigger language plpgsql as $$
begin
  raise insufficient_privilege using message = 'permission denied to lower the revision of a tour';
end $$;
create trigger tours_revision_rises before update of revision on tours
  for each row when (new.revision < old.revision) execute function refuse_earlier_revision();

-- Returns the seats of a party. Null: a category is unknown. @categories as a sale stores them; null: the default list
create function party_seats(party jsonb, categories jsonb) returns integer language sql immutable as $$
  select case when count(*) = count(known.seats) then sum(units.number::integer * known.seats) end::integer
  from jsonb_each_text(party) as units (code, number) left join lateral (
    select (c ->> 'seats')::integer as seats from jsonb_array_elements(coalesce(categories,
      '[{"code": "adult", "seats": 1}, {"code": "child", "seats": 1}, {"code": "single_supplement", "seats": 0}]')) c
    where c ->> 'code' = units.code) known on true
$$;

-- Returns true if each category that the party has keeps its price.
create function keeps_prices(party jsonb, old_prices jsonb, new_prices jsonb) returns boolean language sql immutable as $$
  select not exists (select from jsonb_object_keys(party) code where old_prices -> code is distinct from new_prices -> code)
$$;

-- Raises the refusal of a change that no command makes.
create function refuse_change_of_sale(name text, why text) returns void language plpgsql as $$
begin
  if why is not null then
    raise insufficient_privilege using message = format('permission denied to change %s: %s', name, why);
  end if;
end $$;

-- The functions below compare the sales that a person writes with the rules that the terminal keeps. The grants say which columns a person may
-- write at all. The database does not know the price of a new sale, or of another date: there the audit log has the price.
create function check_new_holds_of_person() returns trigger language plpgsql as $$
begin
  perform note_change(tg_table_name);
  perform refuse_change_of_sale(found.name, found.why) from (
    select 'a hold' as name, case
      when not w.by_desk or w.placed_by is distinct from 'operator ' || session_user or w.created_at < now() then 'its source'
      when w.seats is distinct from party_seats(w.party, w.categories) or w.categories is distinct from t.categories then 'its seats'
      when w.status = 'converted' and not exists (select from booking_leads l where l.hold_id = w.id) then 'its status'
      when w.status not in ('active', 'converted') or w.anonymized_at is not null then 'its status' end as why
    from written w join departures d on d.id = w.departure_id join tours t on t.id = d.tour_id) found where found.why is not null;
  return null;
end $$;

create function check_changed_holds_of_person() returns trigger language plpgsql as $$
begin
  perform note_change(tg_table_name);
  perform refuse_change_of_sale(found.name, found.why) from (
    select 'a hold' as name, case
      when w.departure_id <> b.departure_id and not exists (select from departures o join departures n on n.tour_id = o.tour_id
        where o.id = b.departure_id and n.id = w.departure_id) then 'its tour'
      when w.expires_at > b.expires_at then 'its end'
      when w.ended_by is distinct from b.ended_by and w.ended_by <> 'operator ' || session_user then 'its operator'
      when w.status = b.status then case
        when b.status <> 'active' and (w.departure_id, w.expires_at, w.ended_at) is distinct from (b.departure_id, b.expires_at, b.ended_at)
          then 'it has ended' end
      when b.status <> 'active' then 'it has ended'
      when w.status = 'expired' and b.expires_at > clock_timestamp() then 'it lives'
      when w.status = 'converted' and not exists (select from booking_leads l where l.hold_id = w.id) then 'its status' end as why
    from written w join before b using (id)) found where found.why is not null;
  return null;
end $$;

create function check_new_bookings_of_person() returns trigger language plpgsql as $$
begin
  perform note_change(tg_table_name);
  perform refuse_change_of_sale(found.name, found.why) from (
    select w.booking_ref as name, case
      when w.source not in ('desk', 'import') or (w.source = 'import') <> (w.import_id is not null) then 'its source'
      when w.import_id is not null and not exists (select from booking_imports i where i.id = w.import_id and i.created_at >= now()
        and i.tenant_id = w.tenant_id) then 'its import'
      when w.created_at > clock_timestamp() or (w.import_id is null and w.created_at < now()) then 'its time'
      when w.created_by is distinct from 'operator ' || session_user or w.confirmed_by <> 'operator ' || session_user then 'its operator'
      when w.departure_id is not null and (d.tour_id, d.departure_date) is distinct from (w.tour_id, w.departure_date) then 'its departure'
      when w.hold_id is not null and (h.tenant_id, h.status) is distinct from (w.tenant_id, 'converted') then 'its hold'
      when w.seats is distinct from party_seats(w.party, w.categories)
        or (w.categories is distinct from t.categories and (h.id is null or w.categories is distinct from h.categories)) then 'its seats'
      when w.status not in ('pending_payment', 'confirmed') or w.anonymized_at is not null or w.refund_percent is not null then 'its status' end as why
    from written w join tours t on t.id = w.tour_id left join departures d on d.id = w.departure_id
      left join seat_holds h on h.id = w.hold_id) found where found.why is not null;
  return null;
end $$;

-- Returns true if a command gives a booking the status `next`. BOOKING_STATUSES (booking-status.ts) has the same outcomes of an action.
-- @lapsed its payment window is over
create function booking_may_become(next text, status text, lapsed boolean) returns boolean language sql immutable as $$
  select case next
    when 'confirmed' then status in ('pending_payment', 'expired')
    when 'cancelled' then status in ('pending_payment', 'confirmed')
    when 'expired' then lapsed
    else false end
$$;

-- @rule what a person changes in a booking: test/people/changed-sales.long.test.ts
create function check_changed_bookings_of_person() returns trigger language plpgsql as $$
begin
  perform note_change(tg_table_name, array(select w.booking_ref from written w join before b using (id)
    where w.status <> 'expired' or b.status = 'expired'));
  perform refuse_change_of_sale(found.name, found.why) from (
    select w.booking_ref as name, case
      when w.departure_id is distinct from b.departure_id
        and (d.tour_id, d.departure_date) is distinct from (w.tour_id, w.departure_date) then 'its departure'
      when w.departure_id is not distinct from b.departure_id and w.departure_date is distinct from b.departure_date then 'its departure'
      when w.seats is distinct from party_seats(w.party, w.categories)
        or (w.categories is distinct from b.categories and w.categories is distinct from t.categories) then 'its seats'
      when w.departure_id is not distinct from b.departure_id and (not keeps_prices(b.party, b.prices_minor, w.prices_minor)
        or not keeps_prices(b.party, b.platform_prices_minor, w.platform_prices_minor)) then 'its prices'
      when w.departure_id is not distinct from b.departure_id and (w.cancellation, w.refund_ceiling, w.refund_floor)
        is distinct from (b.cancellation, b.refund_ceiling, b.refund_floor) then 'its terms'
      when (w.confirmed_by is distinct from b.confirmed_by and w.confirmed_by is distinct from 'operator ' || session_user)
        or (w.cancelled_by is distinct from b.cancelled_by and w.cancelled_by is distinct from 'operator ' || session_user) then 'its operator'
      when (w.confirmed_at is distinct from b.confirmed_at and (w.status <> 'confirmed' or w.status = b.status))
        or ((w.cancelled_at, w.refund_percent, w.refund_minor) is distinct from (b.cancelled_at, b.refund_percent, b.refund_minor)
          and (w.status <> 'cancelled' or w.status = b.status)) then 'its status'
      when b.status in ('cancelled', 'expired') and w.status = b.status and (w.departure_id, w.party, w.total_minor, w.deposit_minor)
        is distinct from (b.departure_id, b.party, b.total_minor, b.deposit_minor) then 'its status'
      when w.status <> b.status
        and not booking_may_become(w.status, b.status, lead_lapsed(b.status, b.payment_due_at, clock_timestamp())) then 'its status' end as why
    from written w join before b using (id) join tours t on t.id = w.tour_id
      left join departures d on d.id = w.departure_id) found where found.why is not null;
  return null;
end $$;

-- Names the person who changed a sale in its history. A person cannot give another name or time.
create function stamp_history_of_person() returns trigger language plpgsql as $$
begin
  if current_person() is not null then
    new.by := 'operator ' || session_user;
    new.at := greatest(new.at, now());
  end if;
  return new;
end $$;

-- The condition is cheap, because every sale of the API tests it: the services may not read people, and the owner alone may read people_logins.
-- These conditions ask the rights of the current user, so they leave out writes by functions with the owner's rights. Only such functions write
-- `people`: its condition asks the rights of the session's user.
do $$
declare
  changed text;
  of_person constant text := '(has_table_privilege(%1$s''people''::regclass, ''select'')
    and not has_table_privilege(%1$s''people_logins''::regclass, ''select''))';
  of_session constant text := format(of_person, '');
begin
  foreach changed in array array['tenants', 'api_keys', 'widget_tokens', 'tours', 'departures', 'price_rules', 'exchange_rates',
    'visibility_tour_rules', 'visibility_continent_rules', 'booking_answers', 'octo_bookings', 'booking_imports', 'payment_reminders',
    'booking_changes', 'hold_changes', 'pickup_points', 'resources', 'resource_closings', 'webhook_endpoints', 'webhook_secrets',
    'webhook_endpoint_headers', 'webhook_events', 'webhook_deliveries', 'webhook_queue']
  loop
    execute format('create trigger %I after insert or update or delete on %I for each statement when %s
      execute function note_change_of_person()', changed || '_by_person', changed, of_session);
  end loop;
  execute format('create trigger people_by_person after insert or update or delete on people for each statement when %s
    execute function note_change_of_person()', format(of_person, 'session_user, '));
  execute format('create trigger seat_holds_inserted_by_person after insert on seat_holds referencing new table as written
    for each statement when %s execute function check_new_holds_of_person()', of_session);
  execute format('create trigger seat_holds_changed_by_person after update on seat_holds referencing old table as before new table as written
    for each statement when %s execute function check_changed_holds_of_person()', of_session);
  execute format('create trigger booking_leads_inserted_by_person after insert on booking_leads referencing new table as written
    for each statement when %s execute function check_new_bookings_of_person()', of_session);
  execute format('create trigger booking_leads_changed_by_person after update on booking_leads referencing old table as before
    new table as written for each statement when %s execute function check_changed_bookings_of_person()', of_session);
  execute format('create trigger booking_changes_stamped before insert on booking_changes for each row when %s
    execute function stamp_history_of_person()', of_session);
  execute format('create trigger hold_changes_stamped before insert on hold_changes for each row when %s
    execute function stamp_history_of_person()', of_session);
end $$;

-- Creates the roles that are missing on this server. Without the right to create roles, changes nothing.
create function create_people_roles() returns void language plpgsql as $$
declare
  missing text;
begin
  foreach missing in array array['viewer', 'desk', 'catalog', 'keys', 'admin'] loop
    continue when exists (select from pg_roles where rolname = 'tour_platform_' || missing);
    begin
      execute format('create role %I nologin', 'tour_platform_' || missing);
    exception
      when duplicate_object or unique_violation or insufficient_privilege then null;
    end;
  end loop;
end $$;

-- Returns true while every login of the server may connect to this database.
create function public_may_connect() returns boolean language sql stable as $$
  select exists (select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a where a.grantee = 0 and a.privilege_type = 'CONNECT')
  from pg_database d where d.datname = current_database()
$$;

-- Returns true while every login of the server may create functions in the schema of this installation.
create function public_may_create() returns boolean language sql stable as $$
  select has_schema_privilege('public', relnamespace, 'create') from pg_class where oid = 'people'::regclass
$$;

-- Gives those roles that exist on this server exactly the rights of database_rights. The roles of people get rights only while PUBLIC may
-- not connect to this database: the roles belong to the server, so the people of another installation have them too. If the caller owns the
-- database, also takes the right to create temporary tables from every login but the owner. Run it again after a role was created.
create or replace function grant_database_roles() returns void language plpgsql as $$
declare
  one record;
  for_people constant boolean := not public_may_connect();
begin
  for one in
    select g.*, g.role in ('tour_platform_api', 'tour_platform_queue') as of_service
    from database_rights g join pg_roles p on p.rolname = g.role
  loop
    execute format('revoke all on %s from %I', one.object, one.role);
    if one.rights <> '' and (one.of_service or for_people) then
      execute format('grant %s on %s to %I', one.rights, one.object, one.role);
    end if;
  end loop;
  if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    execute format('revoke temporary on database %I from public', current_database());
    for one in
      select distinct g.role from database_rights g join pg_roles p on p.rolname = g.role
    loop
      execute format('revoke temporary on database %I from %I', current_database(), one.role);
    end loop;
  end if;
end $$;

-- Inserts a row of one of the views below into its table. The caller needs the right to insert into both.
create function insert_behind_view() returns trigger language plpgsql as $$
begin
  execute format('insert into %I.%I select ($1).*', tg_argv[0], tg_table_name) using new;
  return new;
end $$;

-- Returns the expression that stands in a view below for a column with data of a customer. Code reads some columns as lists or objects, so
-- these are empty. The pickup keeps its point, and loses hotel, room and a place in the guest's words.
create function hidden_value(column_name text) returns text language sql immutable as $$
  select case column_name
    when 'contact' then '''{}'''
    when 'unit_items' then '''[]'''
    when 'answers' then '''[]'''
    when 'pickup' then '((case when pickup -> ''chosen'' ->> ''point'' is null then jsonb_set(pickup, ''{chosen,name}'', ''""'') else pickup end)
      - ''hotel'' - ''room'')'
    else 'null' end
$$;

-- Makes the views of the schemas without_customers and without_bodies: the tables with data of customers, and those of events, with
-- hidden_value() in every column that is not in viewer_columns. They are first on the search path of people who may not see these. A
-- migration that adds a column to such a table calls it again.
create function make_viewer_views() returns void language plpgsql as $$
declare
  one record;
  default_of record;
begin
  create schema if not exists without_customers;
  create schema if not exists without_bodies;
  for one in
    select c.oid::regclass as source, c.relname as name,
      case when c.relname like 'webhook%' then 'without_bodies' else 'without_customers' end as hiding, string_agg(
      case when exists (select from viewer_columns v where v.object = c.relname and v.column_name = a.attname) then quote_ident(a.attname)
        else format('%s::%s as %I', hidden_value(a.attname), format_type(a.atttypid, a.atttypmod), a.attname) end, ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relname in (select object from viewer_columns)
    group by c.oid, c.relname
  loop
    execute format('create or replace view %I.%I with (security_barrier) as select %s from %s', one.hiding, one.name, one.columns, one.source);
    for default_of in
      select a.attname as name, pg_get_expr(d.adbin, d.adrelid) as value from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and
        a.attnum = d.adnum where d.adrelid = one.source and a.attgenerated = '' and a.attidentity = ''
    loop
      execute format('alter view %I.%I alter column %I set default %s', one.hiding, one.name, default_of.name, default_of.value);
    end loop;
    execute format('create or replace trigger insert_behind instead of insert on %I.%I for each row
      execute function insert_behind_view(%L)', one.hiding, one.name, current_schema());
  end loop;
end $$;

-- Raises a refusal that the terminal shows as it is. @code is the code of the error.
create function refuse_person(code text, sentence text) returns void language plpgsql as $$
begin
  raise exception using errcode = 'TP001', message = sentence, detail = code;
end $$;

-- Refuses a person without the role admin who gives a discount above that of the tenant. @total with the adjustment, in minor units
create function refuse_discount(tenant uuid, total bigint, adjustment bigint) returns void language plpgsql as $$
declare
  most constant integer := (select t.desk_discount from tenants t where t.id = tenant);
  person constant text := current_person();
begin
  if person is null or exists (select from people p where p.name = person and 'admin' = any(p.roles)) then return; end if;
  if -adjustment * 100 > (total - adjustment) * most then
    perform refuse_person('discount_too_high', format('%s may give a discount of at most %s %%: tourctl tenant set --desk-discount changes it',
      person, most));
  end if;
end $$;

-- Limits the discount of a booking. An import has the prices of its file.
create function limit_discount() returns trigger language plpgsql as $$
begin
  perform refuse_discount(new.tenant_id, new.total_minor, new.adjustment_minor);
  return new;
end $$;
create trigger booking_leads_discounted before insert on booking_leads
  for each row when (new.adjustment_minor < 0 and new.import_id is null) execute function limit_discount();
-- Compares the shares of the discount in the price, because a party that becomes smaller raises it too.
create trigger booking_leads_discount_raised before update of adjustment_minor, total_minor on booking_leads
  for each row when (new.adjustment_minor < 0
    and new.adjustment_minor::numeric * (old.total_minor - coalesce(old.adjustment_minor, 0))
      < coalesce(old.adjustment_minor, 0)::numeric * (new.total_minor - new.adjustment_minor))
  execute function limit_discount();

-- Returns the name of the login of a person.
create function login_of_person(person text) returns text language sql stable as $$
  select current_database() || '_' || person
$$;

-- Refuses a database to which every login of the server may connect, and a schema in which every login may create functions: one that takes
-- the place of a function of PostgreSQL would run with the rights of the owner. A database of PostgreSQL 14 keeps this right after an upgrade.
create function check_people_allowed() returns void language plpgsql as $$
declare
  owner constant text := (select pg_get_userbyid(relowner) from pg_class where oid = 'people'::regclass);
begin
  if public_may_connect() then
    perform refuse_person('public_may_connect', format('Every login of this server may connect to the database %1$I, so its people would not be '
      'its own. As the owner of the database: %2$srevoke connect on database %1$I from public;', current_database(),
      (select coalesce(string_agg(format('grant connect on database %I to %I; ', current_database(), rolname), '' order by rolname), '')
       from pg_roles where rolname in ('tour_platform_api', 'tour_platform_queue'))));
  end if;
  if public_may_create() then
    perform refuse_person('public_may_create', format('Every login of this server may create functions in the schema %1$I, so its people could '
      'act as the owner. As the owner of the schema, or an administrator of the server: revoke create on schema %1$I from public;',
      current_schema()));
  end if;
  if not (select rolcreaterole or rolsuper from pg_roles where rolname = owner) then
    perform refuse_person('owner_may_not_create_roles', format('The owner of this database may not create logins. As an administrator of the '
      'server: alter role %I createrole;', owner));
  end if;
  perform create_people_roles();
  perform grant_database_roles();
end $$;

-- Refuses to end the last unexpired administrator, unless the owner does it.
create function keep_last_admin(person text) returns void language plpgsql as $$
begin
  if session_is_owner() then return; end if;
  if exists (select from people p where p.name = person and 'admin' = any(p.roles) and (p.until is null or p.until > clock_timestamp()))
    and not exists (select from people p where p.name <> person and 'admin' = any(p.roles) and (p.until is null or p.until > clock_timestamp()))
  then
    perform refuse_person('last_admin', format('%s is the last person with the role admin. Only the owner can lower or remove the last one', person));
  end if;
end $$;

-- Makes the login a member of the groups of its roles and of no other role, with the search path of its rights.
create function grant_people_roles(login text, of_roles text[]) returns void language plpgsql as $$
declare
  one text;
begin
  for one in
    select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles u on u.oid = m.member where u.rolname = login
  loop
    execute format('revoke %I from %I', one, login);
  end loop;
  foreach one in array of_roles loop
    begin
      execute format('grant %I to %I', 'tour_platform_' || one, login);
    exception when insufficient_privilege then
      perform refuse_person('role_not_granted', format('The owner of this database may not grant the role tour_platform_%1$s, which another role '
        'of this server made. As an administrator of the server: grant tour_platform_%1$s to %2$I with admin option;', one, current_user));
    end;
  end loop;
  -- An import has temporary tables. Functions with the rights of the owner, and the triggers that count seats, search them last.
  if of_roles && array['catalog', 'admin'] then
    execute format('grant temporary on database %I to %I', current_database(), login);
  else
    execute format('revoke temporary on database %I from %I', current_database(), login);
  end if;
  if of_roles && array['desk', 'admin'] then
    execute format('alter role %I in database %I reset search_path', login, current_database());
  else
    execute format('alter role %I in database %I set search_path = without_customers, %s%I', login, current_database(),
      case when 'keys' = any(of_roles) then '' else 'without_bodies, ' end, current_schema());
  end if;
  -- A failed statement holds data of customers: the log of the server shows its message only, where the owner may say so.
  begin
    execute format('alter role %I set log_error_verbosity = terse', login);
  exception when insufficient_privilege then null;
  end;
end $$;

-- Returns the name of the login that these functions made for the person. Null if there is none, or if another role has the name now.
create function made_login(person text) returns text language sql stable as $$
  select r.rolname from people_logins l join pg_roles r on r.oid = l.login where l.name = person and r.rolname = login_of_person(person)
$$;

-- Adds a person with a login. @verifier is the SCRAM verifier of the password, which the server never sees.
create function people_add(person text, of_roles text[], valid_until timestamptz, verifier text) returns text language plpgsql as $$
declare
  login constant text := login_of_person(person);
  is_known boolean;
begin
  lock table people in share row exclusive mode;
  if person !~ '^[a-z0-9]{2,20}$' then perform refuse_person('invalid_person', 'A name has 2 to 20 characters of a-z and 0-9'); end if;
  if octet_length(login) > 63 then
    perform refuse_person('login_too_long', format('The login %s has more than the 63 bytes that PostgreSQL allows: choose a shorter name', login));
  end if;
  perform check_people_allowed();
  is_known := exists (select from people where name = person);
  if is_known and made_login(person) is not null then
    perform refuse_person('person_exists', format('There is a person %s already: tourctl people set, or rotate, changes the login', person));
  end if;
  if not is_known and made_login(person) is not null then perform people_drop_login(person); end if;
  -- A service's role that does not exist yet would get the rights of the service later.
  if exists (select from pg_roles where rolname = login) or exists (select from database_rights where role = login) then
    perform refuse_person('login_exists', format('%s is a role of a service, or one of the server that this installation did not make: choose '
      'another name', login));
  end if;
  delete from people_logins where name = person;
  execute format('create role %I login nosuperuser nocreatedb nocreaterole noreplication inherit connection limit 5 valid until %L', login,
    coalesce(valid_until::text, 'infinity'));
  insert into people_logins (name, login) select person, oid from pg_roles where rolname = login;
  perform join_login(login);
  perform people_set_verifier(login, verifier);
  execute format('grant connect on database %I to %I', current_database(), login);
  -- A transaction that a person forgets in psql keeps its locks, and stops sales. The terminal limits its own.
  execute format('alter role %I set idle_in_transaction_session_timeout = ''1min''', login);
  perform grant_people_roles(login, of_roles);
  insert into people (name, roles, until) values (person, of_roles, valid_until)
  on conflict (name) do update set roles = excluded.roles, until = excluded.until, changed_at = clock_timestamp();
  return login;
end $$;

-- Gives a login the verifier of another password. Accepts nothing but a verifier of SCRAM-SHA-256.
create function people_set_verifier(login text, verifier text) returns void language plpgsql as $$
begin
  if verifier !~ '^SCRAM-SHA-256\$[0-9]{4,6}:[A-Za-z0-9+/]{22,}={0,2}\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$' then
    perform refuse_person('invalid_verifier', 'The verifier is not one of SCRAM-SHA-256');
  end if;
  execute format('alter role %I password %L', login, verifier);
end $$;

-- Returns the login of a person. Refuses an unknown one, and one without a login.
create function login_of_known(person text) returns text language plpgsql stable as $$
begin
  if not exists (select from people where name = person) then
    perform refuse_person('person_not_found', format('There is no person %s: tourctl people list', person));
  end if;
  if made_login(person) is null then
    perform refuse_person('login_missing', format('%1$s has no login on this server: tourctl people add %1$s makes one', person));
  end if;
  return made_login(person);
end $$;

-- Changes the roles of a person and the end of the login.
create function people_set(person text, of_roles text[], valid_until timestamptz) returns text language plpgsql as $$
declare
  login text;
begin
  lock table people in share row exclusive mode;
  login := login_of_known(person);
  if not ('admin' = any(of_roles)) or valid_until is not null then perform keep_last_admin(person); end if;
  if person = current_person() and not ('admin' = any(of_roles)) then
    perform refuse_person('own_login', 'Nobody can lower the own login: another person with the role admin, or the owner, can');
  end if;
  perform check_people_allowed();
  update people set roles = of_roles, until = valid_until, changed_at = clock_timestamp() where name = person;
  execute format('alter role %I valid until %L', login, coalesce(valid_until::text, 'infinity'));
  perform grant_people_roles(login, of_roles);
  return login;
end $$;

-- Gives a person another password.
create function people_rotate(person text, verifier text) returns text language plpgsql as $$
declare
  login text;
begin
  lock table people in share row exclusive mode;
  login := login_of_known(person);
  perform people_set_verifier(login, verifier);
  update people set changed_at = clock_timestamp() where name = person;
  return login;
end $$;

-- Removes a person: the login opens no new session after COMMIT. people_end_sessions then ends the open ones, and people_drop_login drops the
-- login.
create function people_remove(person text) returns void language plpgsql as $$
begin
  lock table people in share row exclusive mode;
  if not exists (select from people where name = person) then
    perform refuse_person('person_not_found', format('There is no person %s: tourctl people list', person));
  end if;
  if person = current_person() then
    perform refuse_person('own_login', 'Nobody can remove the own login: another person with the role admin, or the owner, can');
  end if;
  perform keep_last_admin(person);
  if made_login(person) is not null then
    execute format('alter role %I nologin password null', made_login(person));
    perform grant_people_roles(made_login(person), '{}');
  end if;
  delete from webhook_monitor_sessions s where s.person = people_remove.person;
  delete from people where name = person;
end $$;

-- Lets the owner end the sessions of a login, see when they began, and drop what it owns. A superuser may do so anyway.
create function join_login(login text) returns void language plpgsql as $$
begin
  if (select rolsuper from pg_roles where rolname = current_user) then return; end if;
  execute format(case when current_setting('server_version_num')::integer >= 160000 then 'grant %I to %I with inherit true'
    else 'grant %I to %I' end, login, current_user);
end $$;

-- Ends the sessions of a person, and returns how many there were.
create function people_end_sessions(person text) returns integer language plpgsql as $$
declare
  login constant text := made_login(person);
begin
  if login is null then return 0; end if;
  return (select count(pg_terminate_backend(a.pid)) from pg_stat_activity a
    where a.usesysid = (select oid from pg_roles where rolname = login) and a.pid <> pg_backend_pid());
end $$;

-- Drops the login of a removed person, with the large objects that it may own.
create function people_drop_login(person text) returns void language plpgsql as $$
declare
  login constant text := made_login(person);
begin
  if exists (select from people where name = person) then
    perform refuse_person('person_exists', format('%s is a person: tourctl people remove', person));
  end if;
  if login is not null then
    execute format('drop owned by %I', login);
    execute format('drop role %I', login);
  end if;
  delete from people_logins where name = person;
end $$;

-- Ends the sessions of people whose time is over. The webhook queue calls it.
create function people_end_expired() returns integer language sql as $$
  select coalesce(sum(people_end_sessions(name)), 0)::integer from people where until <= clock_timestamp()
$$;

-- Returns the logins of people, when their oldest session began, and since when one has locked rows, a table or an advisory lock, which also
-- lasts between transactions. Never a statement.
create function people_sessions() returns table (name text, login text, sessions integer, oldest timestamptz, locked_since timestamptz)
language sql stable as $$
  select l.name, r.rolname::text, count(a.pid)::integer, min(a.backend_start),
    min(coalesce(a.xact_start, a.state_change)) filter (where exists (select from pg_locks k where k.pid = a.pid and k.granted
      and (k.locktype in ('transactionid', 'tuple', 'advisory')
        or k.locktype = 'relation' and k.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock'))))
  from people_logins l join pg_roles r on r.oid = l.login and r.rolname = login_of_person(l.name)
    left join pg_stat_activity a on a.usesysid = r.oid
  group by l.name, r.rolname
$$;

-- Returns the roles that a person has now. Empty for one who was removed, or whose time is over.
create function people_roles(person text) returns text[] language sql stable as $$
  select coalesce((select p.roles from people p where p.name = person and (p.until is null or p.until > clock_timestamp())), '{}')
$$;

-- Returns true if the second document is the first one, with null in place of some texts.
create function only_erases(old jsonb, new jsonb) returns boolean language sql immutable as $$
  select case
    when old is not distinct from new then true
    when jsonb_typeof(old) = 'string' then new is null or new = 'null'
    when jsonb_typeof(old) <> jsonb_typeof(new) then false
    when jsonb_typeof(old) = 'array' then jsonb_array_length(old) = jsonb_array_length(new) and not exists (
      select from jsonb_array_elements(old) with ordinality o (value, place) join jsonb_array_elements(new) with ordinality n (value, place)
        using (place) where not only_erases(o.value, n.value))
    when jsonb_typeof(old) = 'object' then (select count(*) from jsonb_object_keys(old)) = (select count(*) from jsonb_object_keys(new))
      and not exists (select from jsonb_each(old) o left join jsonb_each(new) n using (key)
        where n.value is null or not only_erases(o.value, n.value))
    else false end
$$;

-- Erases texts of a customer from a row of the audit log. Can do nothing else to the row. Changes of people name no customer, so they stay.
create function erase_from_audit(entry bigint, new_before jsonb, new_after jsonb) returns void language plpgsql as $$
begin
  if not exists (select from audit_log where id = entry and action not like 'people.%' and only_erases(before, new_before)
    and only_erases(after, new_after))
  then
    raise insufficient_privilege using message = 'Only texts of a customer can be erased from the audit log';
  end if;
  if not session_is_owner() then perform note_change('audit_log'); end if;
  update audit_log set before = new_before, after = new_after where id = entry;
end $$;

-- Computes the statistics of the planner for the tables that an erasure changes, because they hold values of sampled rows.
create function analyze_customer_tables() returns void language plpgsql as $$
begin
  analyze booking_leads, booking_answers, seat_holds, octo_bookings, idempotency_keys, sale_refusals, webhook_events, webhook_deliveries, webhook_attempts,
    audit_log;
end $$;

-- These triggers write records that a person may not write directly, so they run with the rights of the owner. Nobody can call the function
-- of a trigger. The other functions are each for the roles of database_rights.
do $$
declare
  signature text;
begin
  foreach signature in array array['stamp_new_rate()', 'stamp_audit_row()', 'stamp_monitor_link()', 'note_change_of_person()', 'require_audit_row()',
    'check_new_holds_of_person()', 'check_changed_holds_of_person()', 'check_new_bookings_of_person()', 'check_changed_bookings_of_person()',
    'stamp_history_of_person()', 'mark_change()',
    'raise_change_version()', 'record_continent_rule()', 'record_departures()', 'record_inserted_rates()', 'record_price_rule()',
    'record_tenant()', 'record_tour_rule()', 'record_tours()', 'record_updated_rates()', 'keep_tour_names()', 'keep_tour_tags()',
    'mark_all_next_departures()', 'mark_next_departures()', 'note_every_tour_edited()', 'note_tour_edits()', 'recount_shrunk_departure()',
    'renew_payment_due()', 'update_departures_of_tour()', 'check_tour_start_time()', 'check_inserted_start_times()',
    'check_updated_start_time()', 'derive_uses_of_new()', 'derive_uses_of_changed()', 'recount_used_resources()', 'limit_discount()', 'refuse_discount(uuid, bigint, bigint)', 'current_person()', 'people_add(text, text[], timestamptz, text)', 'people_set(text, text[], timestamptz)',
    'people_rotate(text, text)', 'people_remove(text)', 'people_end_sessions(text)', 'people_drop_login(text)', 'people_end_expired()',
    'people_sessions()', 'people_roles(text)', 'erase_from_audit(bigint, jsonb, jsonb)', 'analyze_customer_tables()']
  loop
    execute format('alter function %s security definer set search_path = %I, pg_temp', signature, current_schema());
    execute format('revoke execute on function %s from public', signature);
  end loop;
  -- These keep the rights of the caller. A temporary table of a person must not stand in for a table that they read.
  foreach signature in array array['recount_written_departures()', 'date_octo_booking()', 'move_octo_booking_of_hold()',
    'move_octo_booking_of_lead()', 'refuse_sell_in_during_update()', 'set_payment_due()']
  loop
    execute format('alter function %s set search_path = %I, pg_temp', signature, current_schema());
  end loop;
  foreach signature in array array['session_is_owner()', 'note_change(text, text[])', 'create_people_roles()', 'hidden_value(text)', 'make_viewer_views()', 'refuse_person(text, text)',
    'check_people_allowed()', 'keep_last_admin(text)', 'grant_people_roles(text, text[])', 'people_set_verifier(text, text)',
    'login_of_known(text)', 'made_login(text)', 'join_login(text)', 'grant_database_roles()']
  loop
    execute format('revoke execute on function %s from public', signature);
  end loop;
end $$;

-- The text of peopleStatements() in services/platform/people/tasks.ts.
insert into people_tasks (name, actions, objects)
values
  ('sell', '{booking.add,booking.import,booking.change,booking.confirm,booking.cancel,booking.expire,hold.add,hold.release,departure.move,departure.set-pickup,delivery.retry,delivery.replay,departure.cancel,booking.import_undo}', '{booking_answers,booking_changes,booking_imports,booking_leads,hold_changes,octo_bookings,payment_reminders,seat_holds,tours,webhook_deliveries,webhook_events,webhook_queue}'),
  ('change the catalog and the prices', '{catalog.check,catalog.import,catalog.publish,catalog.archive,pickup.add,pickup.set,pickup.remove,resource.add,resource.set,resource.close,resource.reopen,resource.remove,departure.add,departure.schedule,departure.cancel,departure.reopen,departure.set-seats,departure.set-time,departure.set-price,departure.set-uses,pricing.add,pricing.remove,rates.set,rates.import,visibility.allow,visibility.deny,visibility.clear,departure.set-pickup,booking.add,booking.import,hold.add}', '{demo_tours,departures,exchange_rates,pickup_points,price_rules,resource_closings,resources,tour_edits,tour_imports,tours,visibility_continent_rules,visibility_tour_rules,webhook_deliveries,webhook_events,webhook_queue}'),
  ('manage tenants, keys and webhooks', '{tenant.create,tenant.activate,tenant.suspend,tenant.close,tenant.set,tenant.onboard,key.issue,key.rotate,key.revoke,widget.issue,widget.rotate,widget.revoke,origins.add,origins.remove,origins.set,webhook.add,webhook.set,webhook.rotate-secret,webhook.pause,webhook.resume,webhook.disable,webhook.enable,webhook.remove,webhook.ping,webhook.trigger,webhook.listen}', '{api_keys,secret_checks,tenants,webhook_attempts,webhook_deliveries,webhook_endpoint_headers,webhook_endpoints,webhook_events,webhook_health,webhook_queue,webhook_secrets,widget_tokens}'),
  ('administer', '{people.list,people.add,people.set,people.rotate,people.remove,audit.*,booking.anonymize,hold.anonymize,customer.erase,report.adjustments,monitor,open.monitor}', '{audit_log,booking_answers,booking_changes,booking_leads,hold_changes,idempotency_keys,octo_bookings,people,sale_refusals,seat_holds,webhook_attempts,webhook_deliveries,webhook_events,webhook_monitor_sessions,webhook_queue}');
insert into viewer_columns (object, column_name)
select v.object, unnest(v.names::text[]) from (values
  ('seat_holds', '{id,tenant_id,departure_id,seats,hold_minutes,status,expires_at,prices_minor,currency,currency_digits,price_breakdown,created_at,ended_at,placed_by,ended_by,party,sandbox,anonymized_at,cancellation,categories,platform_prices_minor,by_desk}'),
  ('hold_changes', '{hold_id,at,by,fields}'),
  ('booking_leads', '{id,booking_ref,tenant_id,tour_id,departure_id,departure_date,hold_id,party,status,prices_minor,total_minor,deposit_minor,currency,currency_digits,price_breakdown,payment_method,source,created_at,payment_due_at,confirmed_at,cancelled_at,expired_at,created_by,confirmed_by,cancelled_by,anonymized_at,seats,updated_at,sandbox,cancellation,refund_ceiling,refund_percent,refund_minor,categories,payment_window_ends_at,refund_floor,platform_prices_minor,adjustment_minor,import_id}'),
  ('booking_changes', '{lead_id,at,by,fields,refund_percent,refund_minor}'),
  ('booking_answers', '{lead_id,questions,missing,checked_at}'),
  ('booking_imports', '{id,tenant_id,created_at,created_by,silent,undone_at,undone_by}'),
  ('octo_bookings', '{tenant_id,uuid,hold_id,updated_at,departure_date}'),
  ('sale_refusals', '{id,at,tenant_id,operation,code,request_id,tour_id,departure_date,quantity,seats_available,hold_id,booking_ref,departure_time,resource}'),
  ('webhook_events', '{id,tenant_id,type,booking_ref,created_at,traceparent}'),
  ('webhook_deliveries', '{id,event_id,tenant_id,endpoint_id,status,attempts,next_attempt_at,last_status_code,created_at,finished_at}'),
  ('webhook_attempts', '{delivery_id,number,started_at,duration_ms,outcome,status_code,phases,peer,worker}')
) as v (object, names);
insert into database_rights (object, role, rights)
values
  ('api_instances', 'tour_platform_viewer', 'select'),
  ('api_keys', 'tour_platform_viewer', 'select (id, tenant_id, family_id, name, website, scopes, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at, browser_seen_at)'),
  ('audit_log', 'tour_platform_viewer', 'select (id, at, actor, host, action, tenant_id, subject, login, person, by_owner), insert (actor, host, action, tenant_id, subject, before, after)'),
  ('booking_answers', 'tour_platform_viewer', 'select (lead_id, questions, missing, checked_at)'),
  ('booking_changes', 'tour_platform_viewer', 'select (lead_id, at, by, fields, refund_percent, refund_minor)'),
  ('booking_imports', 'tour_platform_viewer', 'select (id, tenant_id, created_at, created_by, silent, undone_at, undone_by)'),
  ('booking_leads', 'tour_platform_viewer', 'select (id, booking_ref, tenant_id, tour_id, departure_id, departure_date, hold_id, party, status, prices_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, source, created_at, payment_due_at, confirmed_at, cancelled_at, expired_at, created_by, confirmed_by, cancelled_by, anonymized_at, seats, updated_at, sandbox, cancellation, refund_ceiling, refund_percent, refund_minor, categories, payment_window_ends_at, refund_floor, platform_prices_minor, adjustment_minor, import_id)'),
  ('catalog_commits', 'tour_platform_viewer', 'select'),
  ('change_version', 'tour_platform_viewer', 'select'),
  ('database_rights', 'tour_platform_viewer', 'select'),
  ('demo_tours', 'tour_platform_viewer', 'select'),
  ('departure_uses', 'tour_platform_viewer', 'select'),
  ('departures', 'tour_platform_viewer', 'select'),
  ('exchange_rates', 'tour_platform_viewer', 'select'),
  ('function current_person()', 'tour_platform_viewer', 'execute'),
  ('hold_changes', 'tour_platform_viewer', 'select (hold_id, at, by, fields)'),
  ('hold_extensions', 'tour_platform_viewer', 'select'),
  ('knex_migrations', 'tour_platform_viewer', 'select'),
  ('next_departures', 'tour_platform_viewer', 'select'),
  ('octo_bookings', 'tour_platform_viewer', 'select (tenant_id, uuid, hold_id, updated_at, departure_date)'),
  ('payment_reminders', 'tour_platform_viewer', 'select'),
  ('people', 'tour_platform_viewer', 'select'),
  ('pickup_points', 'tour_platform_viewer', 'select'),
  ('price_rules', 'tour_platform_viewer', 'select'),
  ('resource_closings', 'tour_platform_viewer', 'select'),
  ('resources', 'tour_platform_viewer', 'select'),
  ('rolling_migrations', 'tour_platform_viewer', 'select'),
  ('sale_refusal_counts', 'tour_platform_viewer', 'select'),
  ('sale_refusals', 'tour_platform_viewer', 'select (id, at, tenant_id, operation, code, request_id, tour_id, departure_date, quantity, seats_available, hold_id, booking_ref, departure_time, resource)'),
  ('schema without_bodies', 'tour_platform_viewer', 'usage'),
  ('schema without_customers', 'tour_platform_viewer', 'usage'),
  ('seat_holds', 'tour_platform_viewer', 'select (id, tenant_id, departure_id, seats, hold_minutes, status, expires_at, prices_minor, currency, currency_digits, price_breakdown, created_at, ended_at, placed_by, ended_by, party, sandbox, anonymized_at, cancellation, categories, platform_prices_minor, by_desk)'),
  ('secret_checks', 'tour_platform_viewer', 'select'),
  ('tenant_changes', 'tour_platform_viewer', 'select'),
  ('tenants', 'tour_platform_viewer', 'select'),
  ('tour_changes', 'tour_platform_viewer', 'select'),
  ('tour_names', 'tour_platform_viewer', 'select'),
  ('tour_publication_times', 'tour_platform_viewer', 'select'),
  ('tour_publications', 'tour_platform_viewer', 'select'),
  ('tour_tag_names', 'tour_platform_viewer', 'select'),
  ('tour_tags', 'tour_platform_viewer', 'select'),
  ('tours', 'tour_platform_viewer', 'select'),
  ('visibility_continent_rules', 'tour_platform_viewer', 'select'),
  ('visibility_periods', 'tour_platform_viewer', 'select'),
  ('visibility_times', 'tour_platform_viewer', 'select'),
  ('visibility_tour_rules', 'tour_platform_viewer', 'select'),
  ('webhook_attempts', 'tour_platform_viewer', 'select (delivery_id, number, started_at, duration_ms, outcome, status_code, phases, peer, worker)'),
  ('webhook_deliveries', 'tour_platform_viewer', 'select (id, event_id, tenant_id, endpoint_id, status, attempts, next_attempt_at, last_status_code, created_at, finished_at)'),
  ('webhook_endpoint_headers', 'tour_platform_viewer', 'select (endpoint_id, names, id, key_id)'),
  ('webhook_endpoints', 'tour_platform_viewer', 'select'),
  ('webhook_events', 'tour_platform_viewer', 'select (id, tenant_id, type, booking_ref, created_at, traceparent)'),
  ('webhook_health', 'tour_platform_viewer', 'select'),
  ('webhook_pulse', 'tour_platform_viewer', 'select'),
  ('webhook_queue', 'tour_platform_viewer', 'select'),
  ('webhook_secrets', 'tour_platform_viewer', 'select (id, endpoint_id, key_id, created_at, expires_at)'),
  ('webhook_workers', 'tour_platform_viewer', 'select'),
  ('widget_tokens', 'tour_platform_viewer', 'select (id, tenant_id, family_id, origins, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at)'),
  ('without_bodies.webhook_attempts', 'tour_platform_viewer', 'select'),
  ('without_bodies.webhook_deliveries', 'tour_platform_viewer', 'select'),
  ('without_bodies.webhook_events', 'tour_platform_viewer', 'select'),
  ('without_customers.booking_answers', 'tour_platform_viewer', 'select'),
  ('without_customers.booking_changes', 'tour_platform_viewer', 'select'),
  ('without_customers.booking_imports', 'tour_platform_viewer', 'select'),
  ('without_customers.booking_leads', 'tour_platform_viewer', 'select'),
  ('without_customers.hold_changes', 'tour_platform_viewer', 'select'),
  ('without_customers.octo_bookings', 'tour_platform_viewer', 'select'),
  ('without_customers.sale_refusals', 'tour_platform_viewer', 'select'),
  ('without_customers.seat_holds', 'tour_platform_viewer', 'select'),
  ('api_instances', 'tour_platform_desk', 'select'),
  ('api_keys', 'tour_platform_desk', 'select (id, tenant_id, family_id, name, website, scopes, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at, browser_seen_at)'),
  ('audit_log', 'tour_platform_desk', 'select (id, at, actor, host, action, tenant_id, subject, login, person, by_owner), insert (actor, host, action, tenant_id, subject, before, after)'),
  ('booking_answers', 'tour_platform_desk', 'select, insert, update (answers, missing, pickup)'),
  ('booking_changes', 'tour_platform_desk', 'select, insert'),
  ('booking_imports', 'tour_platform_desk', 'select, insert (id, tenant_id, created_by, silent, key_check), update (undone_at, undone_by)'),
  ('booking_leads', 'tour_platform_desk', 'select, insert, update (status, confirmed_at, confirmed_by, cancelled_at, cancelled_by, cancel_reason, refund_percent, refund_minor, expired_at, updated_at, departure_id, departure_date, cancellation, refund_ceiling, refund_floor, party, seats, categories, prices_minor, platform_prices_minor, price_breakdown, total_minor, adjustment_minor, adjustment_reason, deposit_minor, external_ref, notes, travellers, customer_name, customer_phone, customer_phone_as_sent, customer_email, import_ref, import_digest, anonymized_at)'),
  ('catalog_commits', 'tour_platform_desk', 'select'),
  ('change_version', 'tour_platform_desk', 'select'),
  ('database_rights', 'tour_platform_desk', 'select'),
  ('demo_tours', 'tour_platform_desk', 'select'),
  ('departure_uses', 'tour_platform_desk', 'select'),
  ('departures', 'tour_platform_desk', 'select, update (created_at)'),
  ('exchange_rates', 'tour_platform_desk', 'select'),
  ('function analyze_customer_tables()', 'tour_platform_desk', 'execute'),
  ('function current_person()', 'tour_platform_desk', 'execute'),
  ('function refuse_discount(uuid, bigint, bigint)', 'tour_platform_desk', 'execute'),
  ('hold_changes', 'tour_platform_desk', 'select, insert'),
  ('hold_extensions', 'tour_platform_desk', 'select'),
  ('knex_migrations', 'tour_platform_desk', 'select'),
  ('next_departures', 'tour_platform_desk', 'select'),
  ('octo_bookings', 'tour_platform_desk', 'select, update (departure_date)'),
  ('payment_reminders', 'tour_platform_desk', 'select, insert'),
  ('people', 'tour_platform_desk', 'select'),
  ('pickup_points', 'tour_platform_desk', 'select'),
  ('price_rules', 'tour_platform_desk', 'select'),
  ('resource_closings', 'tour_platform_desk', 'select'),
  ('resources', 'tour_platform_desk', 'select, update (created_at)'),
  ('rolling_migrations', 'tour_platform_desk', 'select'),
  ('sale_refusal_counts', 'tour_platform_desk', 'select'),
  ('sale_refusals', 'tour_platform_desk', 'select'),
  ('schema without_bodies', 'tour_platform_desk', 'usage'),
  ('schema without_customers', 'tour_platform_desk', 'usage'),
  ('seat_holds', 'tour_platform_desk', 'select, insert, update (status, ended_at, ended_by, departure_id, expires_at)'),
  ('secret_checks', 'tour_platform_desk', 'select'),
  ('sequence booking_leads_id_seq', 'tour_platform_desk', 'usage'),
  ('tenant_changes', 'tour_platform_desk', 'select'),
  ('tenants', 'tour_platform_desk', 'select, update (created_at)'),
  ('tour_changes', 'tour_platform_desk', 'select'),
  ('tour_names', 'tour_platform_desk', 'select'),
  ('tour_publication_times', 'tour_platform_desk', 'select'),
  ('tour_publications', 'tour_platform_desk', 'select'),
  ('tour_tag_names', 'tour_platform_desk', 'select'),
  ('tour_tags', 'tour_platform_desk', 'select'),
  ('tours', 'tour_platform_desk', 'select, update (revision)'),
  ('visibility_continent_rules', 'tour_platform_desk', 'select'),
  ('visibility_periods', 'tour_platform_desk', 'select'),
  ('visibility_times', 'tour_platform_desk', 'select'),
  ('visibility_tour_rules', 'tour_platform_desk', 'select'),
  ('webhook_attempts', 'tour_platform_desk', 'select'),
  ('webhook_deliveries', 'tour_platform_desk', 'select, insert, update (status, next_attempt_at, finished_at)'),
  ('webhook_endpoint_headers', 'tour_platform_desk', 'select (endpoint_id, names, id, key_id)'),
  ('webhook_endpoints', 'tour_platform_desk', 'select, update (created_at)'),
  ('webhook_events', 'tour_platform_desk', 'select, insert'),
  ('webhook_health', 'tour_platform_desk', 'select'),
  ('webhook_pulse', 'tour_platform_desk', 'select'),
  ('webhook_queue', 'tour_platform_desk', 'select, insert, update (next_at, asked)'),
  ('webhook_secrets', 'tour_platform_desk', 'select (id, endpoint_id, key_id, created_at, expires_at)'),
  ('webhook_workers', 'tour_platform_desk', 'select'),
  ('widget_tokens', 'tour_platform_desk', 'select (id, tenant_id, family_id, origins, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at)'),
  ('without_bodies.webhook_attempts', 'tour_platform_desk', 'select'),
  ('without_bodies.webhook_deliveries', 'tour_platform_desk', 'select'),
  ('without_bodies.webhook_events', 'tour_platform_desk', 'select'),
  ('without_customers.booking_answers', 'tour_platform_desk', 'select'),
  ('without_customers.booking_changes', 'tour_platform_desk', 'select'),
  ('without_customers.booking_imports', 'tour_platform_desk', 'select'),
  ('without_customers.booking_leads', 'tour_platform_desk', 'select'),
  ('without_customers.hold_changes', 'tour_platform_desk', 'select'),
  ('without_customers.octo_bookings', 'tour_platform_desk', 'select'),
  ('without_customers.sale_refusals', 'tour_platform_desk', 'select'),
  ('without_customers.seat_holds', 'tour_platform_desk', 'select'),
  ('api_instances', 'tour_platform_catalog', 'select'),
  ('api_keys', 'tour_platform_catalog', 'select (id, tenant_id, family_id, name, website, scopes, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at, browser_seen_at)'),
  ('audit_log', 'tour_platform_catalog', 'select (id, at, actor, host, action, tenant_id, subject, login, person, by_owner), insert (actor, host, action, tenant_id, subject, before, after)'),
  ('booking_answers', 'tour_platform_catalog', 'select (lead_id, questions, missing, checked_at)'),
  ('booking_changes', 'tour_platform_catalog', 'select (lead_id, at, by, fields, refund_percent, refund_minor)'),
  ('booking_imports', 'tour_platform_catalog', 'select (id, tenant_id, created_at, created_by, silent, undone_at, undone_by)'),
  ('booking_leads', 'tour_platform_catalog', 'select (id, booking_ref, tenant_id, tour_id, departure_id, departure_date, hold_id, party, status, prices_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, source, created_at, payment_due_at, confirmed_at, cancelled_at, expired_at, created_by, confirmed_by, cancelled_by, anonymized_at, seats, updated_at, sandbox, cancellation, refund_ceiling, refund_percent, refund_minor, categories, payment_window_ends_at, refund_floor, platform_prices_minor, adjustment_minor, import_id)'),
  ('catalog_commits', 'tour_platform_catalog', 'select'),
  ('change_version', 'tour_platform_catalog', 'select'),
  ('database_rights', 'tour_platform_catalog', 'select'),
  ('demo_tours', 'tour_platform_catalog', 'select, delete'),
  ('departure_uses', 'tour_platform_catalog', 'select'),
  ('departures', 'tour_platform_catalog', 'select, insert, update'),
  ('exchange_rates', 'tour_platform_catalog', 'select, insert, update'),
  ('function current_person()', 'tour_platform_catalog', 'execute'),
  ('hold_changes', 'tour_platform_catalog', 'select (hold_id, at, by, fields)'),
  ('hold_extensions', 'tour_platform_catalog', 'select'),
  ('knex_migrations', 'tour_platform_catalog', 'select'),
  ('next_departures', 'tour_platform_catalog', 'select'),
  ('octo_bookings', 'tour_platform_catalog', 'select (tenant_id, uuid, hold_id, updated_at, departure_date)'),
  ('payment_reminders', 'tour_platform_catalog', 'select'),
  ('people', 'tour_platform_catalog', 'select'),
  ('pickup_points', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('price_rules', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('resource_closings', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('resources', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('rolling_migrations', 'tour_platform_catalog', 'select'),
  ('sale_refusal_counts', 'tour_platform_catalog', 'select'),
  ('sale_refusals', 'tour_platform_catalog', 'select (id, at, tenant_id, operation, code, request_id, tour_id, departure_date, quantity, seats_available, hold_id, booking_ref, departure_time, resource)'),
  ('schema without_bodies', 'tour_platform_catalog', 'usage'),
  ('schema without_customers', 'tour_platform_catalog', 'usage'),
  ('seat_holds', 'tour_platform_catalog', 'select (id, tenant_id, departure_id, seats, hold_minutes, status, expires_at, prices_minor, currency, currency_digits, price_breakdown, created_at, ended_at, placed_by, ended_by, party, sandbox, anonymized_at, cancellation, categories, platform_prices_minor, by_desk)'),
  ('secret_checks', 'tour_platform_catalog', 'select'),
  ('tenant_changes', 'tour_platform_catalog', 'select'),
  ('tenants', 'tour_platform_catalog', 'select, update (created_at)'),
  ('tour_changes', 'tour_platform_catalog', 'select'),
  ('tour_edits', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('tour_imports', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('tour_names', 'tour_platform_catalog', 'select'),
  ('tour_publication_times', 'tour_platform_catalog', 'select'),
  ('tour_publications', 'tour_platform_catalog', 'select'),
  ('tour_tag_names', 'tour_platform_catalog', 'select'),
  ('tour_tags', 'tour_platform_catalog', 'select'),
  ('tours', 'tour_platform_catalog', 'select, insert, update'),
  ('visibility_continent_rules', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('visibility_periods', 'tour_platform_catalog', 'select'),
  ('visibility_times', 'tour_platform_catalog', 'select'),
  ('visibility_tour_rules', 'tour_platform_catalog', 'select, insert, update, delete'),
  ('webhook_attempts', 'tour_platform_catalog', 'select (delivery_id, number, started_at, duration_ms, outcome, status_code, phases, peer, worker)'),
  ('webhook_deliveries', 'tour_platform_catalog', 'select (id, event_id, tenant_id, endpoint_id, status, attempts, next_attempt_at, last_status_code, created_at, finished_at), insert'),
  ('webhook_endpoint_headers', 'tour_platform_catalog', 'select (endpoint_id, names, id, key_id)'),
  ('webhook_endpoints', 'tour_platform_catalog', 'select'),
  ('webhook_events', 'tour_platform_catalog', 'select (id, tenant_id, type, booking_ref, created_at, traceparent), insert'),
  ('webhook_health', 'tour_platform_catalog', 'select'),
  ('webhook_pulse', 'tour_platform_catalog', 'select'),
  ('webhook_queue', 'tour_platform_catalog', 'select, insert'),
  ('webhook_secrets', 'tour_platform_catalog', 'select (id, endpoint_id, key_id, created_at, expires_at)'),
  ('webhook_workers', 'tour_platform_catalog', 'select'),
  ('widget_tokens', 'tour_platform_catalog', 'select (id, tenant_id, family_id, origins, digest_alg, created_at, expires_at, revoked_at, replaced_by, last_used_at)'),
  ('without_bodies.webhook_attempts', 'tour_platform_catalog', 'select'),
  ('without_bodies.webhook_deliveries', 'tour_platform_catalog', 'select, insert'),
  ('without_bodies.webhook_events', 'tour_platform_catalog', 'select, insert'),
  ('without_customers.booking_answers', 'tour_platform_catalog', 'select'),
  ('without_customers.booking_changes', 'tour_platform_catalog', 'select'),
  ('without_customers.booking_imports', 'tour_platform_catalog', 'select'),
  ('without_customers.booking_leads', 'tour_platform_catalog', 'select'),
  ('without_customers.hold_changes', 'tour_platform_catalog', 'select'),
  ('without_customers.octo_bookings', 'tour_platform_catalog', 'select'),
  ('without_customers.sale_refusals', 'tour_platform_catalog', 'select'),
  ('without_customers.seat_holds', 'tour_platform_catalog', 'select'),
  ('api_instances', 'tour_platform_keys', 'select'),
  ('api_keys', 'tour_platform_keys', 'select, insert, update'),
  ('audit_log', 'tour_platform_keys', 'select (id, at, actor, host, action, tenant_id, subject, login, person, by_owner), insert (actor, host, action, tenant_id, subject, before, after)'),
  ('booking_answers', 'tour_platform_keys', 'select (lead_id, questions, missing, checked_at)'),
  ('booking_changes', 'tour_platform_keys', 'select (lead_id, at, by, fields, refund_percent, refund_minor)'),
  ('booking_imports', 'tour_platform_keys', 'select (id, tenant_id, created_at, created_by, silent, undone_at, undone_by)'),
  ('booking_leads', 'tour_platform_keys', 'select (id, booking_ref, tenant_id, tour_id, departure_id, departure_date, hold_id, party, status, prices_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method, source, created_at, payment_due_at, confirmed_at, cancelled_at, expired_at, created_by, confirmed_by, cancelled_by, anonymized_at, seats, updated_at, sandbox, cancellation, refund_ceiling, refund_percent, refund_minor, categories, payment_window_ends_at, refund_floor, platform_prices_minor, adjustment_minor, import_id)'),
  ('catalog_commits', 'tour_platform_keys', 'select'),
  ('change_version', 'tour_platform_keys', 'select'),
  ('database_rights', 'tour_platform_keys', 'select'),
  ('demo_tours', 'tour_platform_keys', 'select'),
  ('departure_uses', 'tour_platform_keys', 'select'),
  ('departures', 'tour_platform_keys', 'select'),
  ('exchange_rates', 'tour_platform_keys', 'select'),
  ('function current_person()', 'tour_platform_keys', 'execute'),
  ('hold_changes', 'tour_platform_keys', 'select (hold_id, at, by, fields)'),
  ('hold_extensions', 'tour_platform_keys', 'select'),
  ('knex_migrations', 'tour_platform_keys', 'select'),
  ('next_departures', 'tour_platform_keys', 'select'),
  ('octo_bookings', 'tour_platform_keys', 'select (tenant_id, uuid, hold_id, updated_at, departure_date)'),
  ('payment_reminders', 'tour_platform_keys', 'select'),
  ('people', 'tour_platform_keys', 'select'),
  ('pickup_points', 'tour_platform_keys', 'select'),
  ('price_rules', 'tour_platform_keys', 'select'),
  ('resource_closings', 'tour_platform_keys', 'select'),
  ('resources', 'tour_platform_keys', 'select'),
  ('rolling_migrations', 'tour_platform_keys', 'select'),
  ('sale_refusal_counts', 'tour_platform_keys', 'select'),
  ('sale_refusals', 'tour_platform_keys', 'select (id, at, tenant_id, operation, code, request_id, tour_id, departure_date, quantity, seats_available, hold_id, booking_ref, departure_time, resource)'),
  ('schema without_bodies', 'tour_platform_keys', 'usage'),
  ('schema without_customers', 'tour_platform_keys', 'usage'),
  ('seat_holds', 'tour_platform_keys', 'select (id, tenant_id, departure_id, seats, hold_minutes, status, expires_at, prices_minor, currency, currency_digits, price_breakdown, created_at, ended_at, placed_by, ended_by, party, sandbox, anonymized_at, cancellation, categories, platform_prices_minor, by_desk)'),
  ('secret_checks', 'tour_platform_keys', 'select, insert'),
  ('tenant_changes', 'tour_platform_keys', 'select'),
  ('tenants', 'tour_platform_keys', 'select, insert, update'),
  ('tour_changes', 'tour_platform_keys', 'select'),
  ('tour_names', 'tour_platform_keys', 'select'),
  ('tour_publication_times', 'tour_platform_keys', 'select'),
  ('tour_publications', 'tour_platform_keys', 'select'),
  ('tour_tag_names', 'tour_platform_keys', 'select'),
  ('tour_tags', 'tour_platform_keys', 'select'),
  ('tours', 'tour_platform_keys', 'select'),
  ('visibility_continent_rules', 'tour_platform_keys', 'select'),
  ('visibility_periods', 'tour_platform_keys', 'select'),
  ('visibility_times', 'tour_platform_keys', 'select'),
  ('visibility_tour_rules', 'tour_platform_keys', 'select'),
  ('webhook_attempts', 'tour_platform_keys', 'select, insert, update'),
  ('webhook_deliveries', 'tour_platform_keys', 'select, insert, update'),
  ('webhook_endpoint_headers', 'tour_platform_keys', 'select, insert, update, delete'),
  ('webhook_endpoints', 'tour_platform_keys', 'select, insert, update, delete'),
  ('webhook_events', 'tour_platform_keys', 'select, insert, update'),
  ('webhook_health', 'tour_platform_keys', 'select, insert, update, delete'),
  ('webhook_pulse', 'tour_platform_keys', 'select'),
  ('webhook_queue', 'tour_platform_keys', 'select, insert, update, delete'),
  ('webhook_secrets', 'tour_platform_keys', 'select, insert, update, delete'),
  ('webhook_workers', 'tour_platform_keys', 'select'),
  ('widget_tokens', 'tour_platform_keys', 'select, insert, update'),
  ('without_bodies.webhook_attempts', 'tour_platform_keys', 'select'),
  ('without_bodies.webhook_deliveries', 'tour_platform_keys', 'select'),
  ('without_bodies.webhook_events', 'tour_platform_keys', 'select'),
  ('without_customers.booking_answers', 'tour_platform_keys', 'select'),
  ('without_customers.booking_changes', 'tour_platform_keys', 'select'),
  ('without_customers.booking_imports', 'tour_platform_keys', 'select'),
  ('without_customers.booking_leads', 'tour_platform_keys', 'select'),
  ('without_customers.hold_changes', 'tour_platform_keys', 'select'),
  ('without_customers.octo_bookings', 'tour_platform_keys', 'select'),
  ('without_customers.sale_refusals', 'tour_platform_keys', 'select'),
  ('without_customers.seat_holds', 'tour_platform_keys', 'select'),
  ('api_instances', 'tour_platform_admin', 'select'),
  ('api_keys', 'tour_platform_admin', 'select, insert, update'),
  ('audit_log', 'tour_platform_admin', 'select, insert (actor, host, action, tenant_id, subject, before, after)'),
  ('booking_answers', 'tour_platform_admin', 'select, insert, update (answers, missing, pickup)'),
  ('booking_changes', 'tour_platform_admin', 'select, insert, update'),
  ('booking_imports', 'tour_platform_admin', 'select, insert (id, tenant_id, created_by, silent, key_check), update (undone_at, undone_by)'),
  ('booking_leads', 'tour_platform_admin', 'select, insert, update (status, confirmed_at, confirmed_by, cancelled_at, cancelled_by, cancel_reason, refund_percent, refund_minor, expired_at, updated_at, departure_id, departure_date, cancellation, refund_ceiling, refund_floor, party, seats, categories, prices_minor, platform_prices_minor, price_breakdown, total_minor, adjustment_minor, adjustment_reason, deposit_minor, external_ref, notes, travellers, customer_name, customer_phone, customer_phone_as_sent, customer_email, import_ref, import_digest, anonymized_at)'),
  ('catalog_commits', 'tour_platform_admin', 'select'),
  ('change_version', 'tour_platform_admin', 'select'),
  ('database_rights', 'tour_platform_admin', 'select'),
  ('demo_tours', 'tour_platform_admin', 'select, delete'),
  ('departure_uses', 'tour_platform_admin', 'select'),
  ('departures', 'tour_platform_admin', 'select, update, insert'),
  ('exchange_rates', 'tour_platform_admin', 'select, insert, update'),
  ('function analyze_customer_tables()', 'tour_platform_admin', 'execute'),
  ('function current_person()', 'tour_platform_admin', 'execute'),
  ('function erase_from_audit(bigint, jsonb, jsonb)', 'tour_platform_admin', 'execute'),
  ('function people_add(text, text[], timestamptz, text)', 'tour_platform_admin', 'execute'),
  ('function people_drop_login(text)', 'tour_platform_admin', 'execute'),
  ('function people_end_sessions(text)', 'tour_platform_admin', 'execute'),
  ('function people_remove(text)', 'tour_platform_admin', 'execute'),
  ('function people_rotate(text, text)', 'tour_platform_admin', 'execute'),
  ('function people_sessions()', 'tour_platform_admin', 'execute'),
  ('function people_set(text, text[], timestamptz)', 'tour_platform_admin', 'execute'),
  ('function refuse_discount(uuid, bigint, bigint)', 'tour_platform_admin', 'execute'),
  ('hold_changes', 'tour_platform_admin', 'select, insert, update'),
  ('hold_extensions', 'tour_platform_admin', 'select'),
  ('idempotency_keys', 'tour_platform_admin', 'select, update, delete'),
  ('knex_migrations', 'tour_platform_admin', 'select'),
  ('next_departures', 'tour_platform_admin', 'select'),
  ('octo_bookings', 'tour_platform_admin', 'select, update (departure_date, request_digest, contact, unit_items, notes, cancel_reason, pickup)'),
  ('payment_reminders', 'tour_platform_admin', 'select, insert'),
  ('people', 'tour_platform_admin', 'select'),
  ('pickup_points', 'tour_platform_admin', 'select, insert, update, delete'),
  ('price_rules', 'tour_platform_admin', 'select, insert, update, delete'),
  ('resource_closings', 'tour_platform_admin', 'select, insert, update, delete'),
  ('resources', 'tour_platform_admin', 'select, update, insert, delete'),
  ('rolling_migrations', 'tour_platform_admin', 'select'),
  ('sale_refusal_counts', 'tour_platform_admin', 'select'),
  ('sale_refusals', 'tour_platform_admin', 'select, update'),
  ('schema without_bodies', 'tour_platform_admin', 'usage'),
  ('schema without_customers', 'tour_platform_admin', 'usage'),
  ('seat_holds', 'tour_platform_admin', 'select, insert, update (status, ended_at, ended_by, departure_id, expires_at, customer_name, customer_phone, customer_phone_as_sent, customer_email, external_ref, anonymized_at)'),
  ('secret_checks', 'tour_platform_admin', 'select, insert'),
  ('sequence booking_leads_id_seq', 'tour_platform_admin', 'usage'),
  ('tenant_changes', 'tour_platform_admin', 'select'),
  ('tenants', 'tour_platform_admin', 'select, update, insert'),
  ('tour_changes', 'tour_platform_admin', 'select'),
  ('tour_edits', 'tour_platform_admin', 'select, insert, update, delete'),
  ('tour_imports', 'tour_platform_admin', 'select, insert, update, delete'),
  ('tour_names', 'tour_platform_admin', 'select'),
  ('tour_publication_times', 'tour_platform_admin', 'select'),
  ('tour_publications', 'tour_platform_admin', 'select'),
  ('tour_tag_names', 'tour_platform_admin', 'select'),
  ('tour_tags', 'tour_platform_admin', 'select'),
  ('tours', 'tour_platform_admin', 'select, update, insert'),
  ('visibility_continent_rules', 'tour_platform_admin', 'select, insert, update, delete'),
  ('visibility_periods', 'tour_platform_admin', 'select'),
  ('visibility_times', 'tour_platform_admin', 'select'),
  ('visibility_tour_rules', 'tour_platform_admin', 'select, insert, update, delete'),
  ('webhook_attempts', 'tour_platform_admin', 'select, insert, update'),
  ('webhook_deliveries', 'tour_platform_admin', 'select, insert, update'),
  ('webhook_endpoint_headers', 'tour_platform_admin', 'select, insert, update, delete'),
  ('webhook_endpoints', 'tour_platform_admin', 'select, update, insert, delete'),
  ('webhook_events', 'tour_platform_admin', 'select, insert, update'),
  ('webhook_health', 'tour_platform_admin', 'select, insert, update, delete'),
  ('webhook_monitor_sessions', 'tour_platform_admin', 'select, insert, delete'),
  ('webhook_pulse', 'tour_platform_admin', 'select'),
  ('webhook_queue', 'tour_platform_admin', 'select, insert, update, delete'),
  ('webhook_secrets', 'tour_platform_admin', 'select, insert, update, delete'),
  ('webhook_workers', 'tour_platform_admin', 'select'),
  ('widget_tokens', 'tour_platform_admin', 'select, insert, update'),
  ('without_bodies.webhook_attempts', 'tour_platform_admin', 'select'),
  ('without_bodies.webhook_deliveries', 'tour_platform_admin', 'select, insert'),
  ('without_bodies.webhook_events', 'tour_platform_admin', 'select, insert'),
  ('without_customers.booking_answers', 'tour_platform_admin', 'select'),
  ('without_customers.booking_changes', 'tour_platform_admin', 'select'),
  ('without_customers.booking_imports', 'tour_platform_admin', 'select'),
  ('without_customers.booking_leads', 'tour_platform_admin', 'select'),
  ('without_customers.hold_changes', 'tour_platform_admin', 'select'),
  ('without_customers.octo_bookings', 'tour_platform_admin', 'select'),
  ('without_customers.sale_refusals', 'tour_platform_admin', 'select'),
  ('without_customers.seat_holds', 'tour_platform_admin', 'select');

insert into database_rights (object, role, rights)
select r.object, of_role.name, of_role.rights
from (values
  -- object                     API   queue
  ('people',                    '',   ''),
  ('people_logins',             '',   ''),
  ('people_transactions',       '',   ''),
  ('people_tasks',              '',   ''),
  ('viewer_columns',            '',   ''),
  ('function people_end_expired()', '', 'execute'),
  ('function people_roles(text)',   '', 'execute')
) as r (object, api, queue)
  cross join lateral (values ('tour_platform_api', r.api), ('tour_platform_queue', r.queue)) as of_role (name, rights);

select make_viewer_views();
select create_people_roles();
select grant_database_roles();

insert into rolling_migrations values ('0172_people');
