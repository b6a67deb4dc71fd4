import { type Db, openDatabase } from '../../services/platform/database/database';
import { PERSON_ROLES } from '../../services/platform/people/tasks';
import { useTestTerminal } from '../cli/terminal';
import { closeDatabase, givenPerson } from '../support/people';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenDay } from './day';

const owner = useTestTerminal();
const folder = useTemporaryFolder();
const sessions: Record<string, Db> = {};

beforeAll(async () => {
  await closeDatabase(owner);
  await givenDay(owner, folder, 'attacked');
  for (const role of PERSON_ROLES) {
    const { env } = await givenPerson(owner, `p${role}`, role);
    sessions[role] = openDatabase(env.DATABASE_URL!, { applicationName: 'tests', poolMax: 1 });
  }
});
afterAll(() => Promise.all(Object.values(sessions).map((db) => db.destroy())));

/** Statements that no role of a person may run. */
const FOR_NOBODY = [
  'create table mine (id integer)',
  'create schema mine',
  'create view mine as select 1 as one',
  'create function mine() returns integer language sql as $$ select 1 $$',
  'create role another',
  "alter role tour_platform_desk login password 'other'",
  "alter role tour_platform_admin password 'other'",
  'alter role current_user createrole',
  'alter role current_user superuser',
  'alter role current_user connection limit 100',
  'grant tour_platform_admin to current_user',
  'set role postgres',
  'set role tour_platform',
  'set session authorization default; set session authorization tour_platform',
  'set session_replication_role = replica',
  'drop table tenants',
  'truncate audit_log',
  'truncate seat_holds',
  'delete from audit_log',
  "update audit_log set actor = 'somebody'",
  'alter table audit_log disable trigger user',
  'alter table seat_holds disable trigger user',
  'drop trigger audit_log_stamped on audit_log',
  'delete from booking_leads',
  'delete from seat_holds',
  'delete from booking_answers',
  'delete from departure_uses',
  'update departure_uses set trip = $$x$$',
  "select derive_departure_uses('{}')",
  'delete from booking_imports',
  'delete from tenants',
  'delete from tours',
  'delete from departures',
  "copy tenants to program 'cat'",
  "copy tenants from program 'cat'",
  "copy tenants to '/tmp/stolen'",
  "select pg_read_file('/etc/passwd')",
  "select lo_import('/etc/passwd')",
  "select pg_ls_dir('/')",
  'select * from pg_authid',
  'select * from pg_shadow',
  'select * from people_logins',
  'select * from people_transactions',
  "update people_tasks set actions = actions || 'x.x'::text",
  "select note_change('tours')",
  'insert into people_logins values ($$x$$, 1)',
  "update people set roles = '{admin}'",
  "insert into people (name, roles) values ('evil', '{admin}')",
  'update change_version set version = 0',
  'insert into change_marks values (pg_current_xact_id())',
  'delete from catalog_commits',
  'update database_rights set rights = $$all$$',
  'insert into rolling_migrations values ($$x$$)',
  'delete from knex_migrations',
  'update secret_checks set check_value = null',
  'delete from secret_checks',
  'select grant_database_roles()',
  'select make_viewer_views()',
  'select create_people_roles()',
  "select grant_people_roles(current_user::text, '{admin}')",
  "select people_set_verifier('tour_platform', 'x')",
  "select join_login('tour_platform')",
  'select people_end_expired()',
  "select people_roles('padmin')",
  'select webhook_make_month($$2020-01-01$$::date)',
  'select pg_reload_conf()',
  'select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user',
  'vacuum full tenants',
  'reindex table tenants',
  'create extension dblink',
  'create event trigger mine on ddl_command_start execute function mark_change()',
  'alter database postgres set search_path = mine',
  'alter system set log_statement = $$all$$',
  "alter role current_user valid until 'infinity'",
  'alter role current_user set log_error_verbosity = verbose',
  "prepare transaction 'kept'",
  'drop owned by tour_platform_admin, tour_platform_desk, tour_platform_keys',
  'create server mine foreign data wrapper postgres_fdw',
  'create publication mine for all tables',
  'create rule mine as on insert to booking_leads do instead nothing',
  'create policy mine on tours',
  'create statistics mine on slug, name from tours',
  'create trigger mine before insert on tours for each row execute function stamp_audit_row()',
  'load $$auto_explain$$',
  'select pg_stat_reset()',
  'select pg_promote()',
  'checkpoint',
];

/** Statements that a viewer may not run: they show customers or secrets, or change something. */
const NOT_FOR_VIEWERS = [
  'lock table public.seat_holds in access exclusive mode',
  'select customer_name from public.booking_leads',
  'select * from public.booking_leads',
  'select to_jsonb(l) from public.booking_leads l',
  'select l::text from public.booking_leads l',
  'select customer_phone from public.seat_holds',
  'select external_ref from public.seat_holds',
  'select notes, travellers from public.booking_leads',
  'select contact from public.octo_bookings',
  'select answers from public.booking_answers',
  'select pickup from public.booking_answers',
  'select key_check from public.booking_imports',
  'select hidden_value($$answers$$)',
  'delete from pickup_points',
  'delete from resource_closings',
  'update resources set units = 100',
  'update resources set created_at = now()',
  'select body from public.webhook_events',
  'select body from public.webhook_deliveries',
  'select response_body from public.webhook_attempts',
  'select * from public.webhook_events_default',
  'select * from idempotency_keys',
  'select before from audit_log',
  'select * from audit_log',
  'select digest from api_keys',
  'select * from api_keys',
  'select digest from widget_tokens',
  'select ciphertext from webhook_secrets',
  'select ciphertext from webhook_endpoint_headers',
  'select link_digest from webhook_monitor_sessions',
  'create temporary table mine (id integer)',
  'create function pg_temp.mine() returns integer language sql as $$ select 1 $$',
  "update tours set status = 'archived'",
  'update departures set seats_total = 0',
  "update tenants set status = 'closed'",
  'update seat_holds set seats = 1',
  'update public.seat_holds set seats = 1',
  'insert into price_rules (tenant_id, kind, percent) select id, $$percent$$, 1 from tenants',
  "select people_add('evil', '{admin}', null, 'x')",
  "select people_remove('padmin')",
  'select * from people_sessions()',
  'select erase_from_audit(1, null, null)',
  'select analyze_customer_tables()',
  'lock table tours in access exclusive mode',
  'lock table without_customers.booking_leads in access exclusive mode',
  'select table_to_xml($$public.booking_leads$$, true, false, $$$$)',
  'select query_to_xml($$select before from public.audit_log$$, true, false, $$$$)',
  'explain (verbose) select customer_name from public.booking_leads',
  'select next_update_of(l, now()) from public.booking_leads l',
];

describe('what a login of a person may not do in psql', () => {
  it.each(FOR_NOBODY)('no person may run: %s', async (statement) => {
    for (const role of PERSON_ROLES) {
      const run = sessions[role]!.transaction(async (trx) => {
        await trx.raw(statement.replaceAll('?', '\\?'));
        throw new Error(`${role} ran it`);
      });
      await expect(run).rejects.not.toThrow(/ran it/);
    }
  });

  it.each(NOT_FOR_VIEWERS)('a viewer may not run: %s', async (statement) => {
    const run = sessions.viewer!.transaction(async (trx) => {
      await trx.raw(statement);
      throw new Error('the viewer ran it');
    });
    await expect(run).rejects.not.toThrow(/ran it/);
  });

  it('the views of a viewer have null in every column of a customer', async () => {
    const [lead] = await sessions.viewer!('booking_leads').limit(1);
    expect(lead).toMatchObject({
      customerName: null,
      customerPhone: null,
      customerEmail: null,
      externalRef: null,
    });
    expect(lead.bookingRef).not.toBeNull();
    const { rows } = await sessions.viewer!.raw(
      "select n_distinct, most_common_vals from pg_stats where attname in ('customer_name', 'customer_phone')",
    );
    expect(rows).toEqual([]);
  });

  it('a change without a row of the audit log is refused at COMMIT', async () => {
    const change = sessions.desk!.transaction((trx) =>
      trx.raw("update booking_leads set notes = 'changed' where true"),
    );
    await expect(change).rejects.toThrow(/without a row in audit_log/);
    expect(await owner.db('booking_leads').where({ notes: 'changed' })).toEqual([]);
  });

  it('a row of the audit log before a rolled back savepoint does not count', async () => {
    const change = sessions.desk!.transaction(async (trx) => {
      await trx.raw('savepoint before_audit');
      await trx('audit_log').insert({ actor: 'x', host: 'x', action: 'x.x' });
      await trx.raw('rollback to savepoint before_audit');
      await trx.raw("update booking_leads set notes = 'changed'");
    });
    await expect(change).rejects.toThrow(/without a row in audit_log/);
  });

  it('the database writes the actor, the person and the time of an audit row, whatever the statement says', async () => {
    await sessions.desk!('audit_log').insert({ actor: 'owner', host: 'elsewhere', action: 'forged.row' });
    const row = await owner.db('audit_log').where({ action: 'forged.row' }).first();
    expect(row).toMatchObject({ person: 'pdesk', byOwner: false, actor: expect.stringMatching(/_pdesk$/) });
    expect(row.host).not.toBe('elsewhere');
    const forged = sessions.desk!('audit_log').insert({
      actor: 'x',
      host: 'x',
      action: 'x',
      person: 'padmin',
    });
    await expect(forged).rejects.toMatchObject({ code: '42501' });
  });

  it('a text of an audit row is erased with a row that states it, and never from a change of people', async () => {
    const [changed] = await owner.db('audit_log').where({ action: 'people.add' }).select('id', 'after');
    const [sold] = await owner.db('audit_log').where({ action: 'tenant.create' }).select('id', 'after');
    const erase = (id: number, stated: boolean) =>
      sessions.admin!.transaction(async (trx) => {
        await trx.raw('select erase_from_audit(id, before, null) from audit_log where id = ?', [id]);
        if (stated) await trx('audit_log').insert({ actor: 'x', host: 'x', action: 'customer.erase' });
      });
    const text = () =>
      sessions.admin!.raw(
        `select erase_from_audit(id, before, jsonb_set(after, '{slug}', 'null')) from audit_log where id = ?`,
        [sold.id],
      );
    await expect(text()).rejects.toThrow(/A change of audit_log by .* without a row/);
    await expect(erase(changed.id, true)).rejects.toThrow(/Only texts of a customer/);
    expect(await owner.db('audit_log').whereIn('id', [changed.id, sold.id]).select('after')).toEqual(
      expect.arrayContaining([{ after: changed.after }, { after: sold.after }]),
    );
  });

  it('a temporary table does not hide the seats from the check of an administrator', async () => {
    const change = sessions.admin!.transaction(async (trx) => {
      await trx.raw('create temporary table seat_holds (like public.seat_holds)');
      await trx.raw('create temporary table people (name text, roles text[], until timestamptz)');
      await trx.raw('update public.seat_holds set seats = 50, prices_minor = prices_minor');
      await trx('audit_log').insert({ actor: 'x', host: 'x', action: 'x.x' });
      throw new Error('done');
    });
    await expect(change).rejects.toThrow();
  });
});
