import { type Db, openDatabase } from '../../services/platform/database/database';
import { migrate } from '../../services/platform/migrate/migrate';
import { VIEWS } from '../../services/api/backup/tables';
import { tablesOf } from '../backup/installation';
import { databaseUrl, useTestDatabase } from '../support/database';
import { type DatabaseRole, urlAs } from '../support/database-roles';
import { givenDeparture, givenKey, givenPriceRule, givenTenant, givenTour } from '../support/given';
import { startTemporaryPostgres } from '../support/temporary-postgres';

const DENIED = { code: '42501' };
const GROUPS: DatabaseRole[] = ['tour_platform_api', 'tour_platform_queue'];
const CATALOG = [
  'tenants',
  'tours',
  'tour_tags',
  'price_rules',
  'visibility_tour_rules',
  'visibility_continent_rules',
];
const SALES = [
  'seat_holds',
  'hold_extensions',
  'hold_changes',
  'booking_leads',
  'booking_changes',
  'octo_bookings',
  'idempotency_keys',
  'sale_refusals',
];
/** Stores a wrong check value, which would make every start of a service fail. */
const WRONG_CHECK = `insert into secret_checks (variable, check_value) values ('KEY_PEPPER', 'wrong')
  on conflict (variable) do update set check_value = excluded.check_value`;
const database = useTestDatabase();
// Grants the rights again, because a copy of a database does not inherit the rights on its template.
beforeAll(() => database.db.raw('select grant_database_roles()'));

describe('the rights of the database roles', () => {
  it('each role has on each table and view exactly the rights that database_rights lists', async () => {
    const { db } = database;
    const objects = [...(await tablesOf(db)), ...VIEWS].sort();
    for (const role of GROUPS) {
      const decided = await db('database_rights').where({ role }).whereNot('object', 'like', '% %').select();
      expect(decided.map(({ object }) => object as string).sort()).toEqual(objects);
      for (const { object, rights } of decided as { object: string; rights: string }[]) {
        const listed = rights.split(/, (?![^(]*[)])/).filter(Boolean);
        expect([role, object, await rightsOf(db, role, object)]).toEqual([role, object, listed.sort()]);
      }
    }
  });

  it('the API may write neither tenants nor the catalog, and only the times of last use of keys', async () => {
    const ofApi = (table: string) => rightsOf(database.db, 'tour_platform_api', table);
    expect(await ofApi('api_keys')).toEqual(['select', 'update (last_used_at, browser_seen_at)']);
    expect(await ofApi('widget_tokens')).toEqual(['select', 'update (last_used_at)']);
    // A lock of the row needs the right to update one column.
    expect(await ofApi('departures')).toEqual(['select', 'update (created_at)']);
    for (const table of CATALOG) expect([table, await ofApi(table)]).toEqual([table, ['select']]);
  });

  it('the queue has no right on bookings and holds', async () => {
    for (const table of SALES)
      expect([table, await rightsOf(database.db, 'tour_platform_queue', table)]).toEqual([table, []]);
  });

  it('no role has a right on a partition itself', async () => {
    for (const role of GROUPS)
      expect(await rightsOf(database.db, role, 'webhook_events_default')).toEqual([]);
  });
});

describe('the functions that run with the rights of their owner', () => {
  it('functions with the rights of their owner are for the roles of database_rights only, and search pg_temp last', async () => {
    const { rows } = await database.db.raw<{ rows: { name: string; path: string; everyone: boolean }[] }>(
      `select p.proname as name, array_to_string(p.proconfig, ';') as path,
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a where a.grantee = 0) as everyone
       from pg_proc p where p.prosecdef and p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype`,
    );
    const granted = await database
      .db('database_rights')
      .where({ rights: 'execute' })
      .distinct()
      .pluck<string[]>('object');
    const expected = granted.map((object) => ({
      name: /^function (\w+)/.exec(object)![1],
      path: 'search_path=public, pg_temp',
      everyone: false,
    }));
    expect(rows).toHaveLength(expected.length);
    expect(rows).toEqual(expect.arrayContaining(expected));
  });
});

/** Returns the rights of the role on a table, and the rights that it has only on some columns. */
async function rightsOf(db: Db, role: DatabaseRole, object: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { right: string }[] }>(
    `select lower(privilege) as right
     from unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as privilege
     where has_table_privilege(:role, :object, privilege)
     union all
     select lower(privilege) || ' (' || string_agg(a.attname, ', ' order by a.attnum) || ')'
     from unnest(array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) as privilege
       join pg_attribute a on a.attrelid = :object::regclass and a.attnum > 0 and not a.attisdropped
     where has_column_privilege(:role, :object, a.attnum, privilege) and not has_table_privilege(:role, :object, privilege)
     group by privilege
     order by 1`,
    { role, object },
  );
  return rows.map(({ right }) => right);
}

describe('a login of the API', () => {
  const session = useSession('tour_platform_api');

  const FORBIDDEN = [
    `insert into api_keys (id, tenant_id, family_id, scopes, digest, digest_alg)
       select 'abcdefghijkl', tenant_id, family_id, scopes, digest, digest_alg from api_keys`,
    `update api_keys set scopes = '{booking:manage}'`,
    'update api_keys set revoked_at = null',
    'update api_keys set expires_at = null',
    'update api_keys set digest = digest',
    'delete from api_keys',
    'update widget_tokens set origins = null',
    'insert into tenants select * from tenants',
    `update tenants set status = 'active'`,
    'delete from tenants',
    `update tours set status = 'published'`,
    'delete from tours',
    'update price_rules set percent = 50',
    `insert into price_rules (tenant_id, kind, percent) select id, 'percent', 10 from tenants`,
    'delete from price_rules',
    'update departures set seats_total = 100000',
    // The API may update this column only because PostgreSQL requires such a right for a row lock.
    'update departures set created_at = now()',
    'delete from departures',
    'delete from booking_leads',
    'delete from seat_holds',
    'select * from audit_log',
    'insert into visibility_continent_rules select * from visibility_continent_rules',
    'update change_version set version = 0',
    'select body from webhook_events',
    'select * from webhook_secrets',
    'insert into webhook_endpoints select * from webhook_endpoints',
    `update webhook_endpoints set url = 'https://thief.example'`,
    'select * from webhook_monitor_sessions',
    `select webhook_drop_month('2020-01-01')`,
    'update database_rights set rights = $$all$$',
    'drop table tenants',
    'alter table api_keys disable trigger user',
    'create table mine (id integer)',
    'create temporary table mine (id integer)',
    WRONG_CHECK,
    'delete from secret_checks',
    'create role another',
  ];
  it.each(FORBIDDEN)('a login of the API may not run: %s', async (statement) => {
    await givenSale(database.db);
    await expect(session.db.raw(statement)).rejects.toMatchObject(DENIED);
  });

  it('a login of the API may write the times of last use of a key and a token', async () => {
    await givenSale(database.db);
    const used = { last_used_at: new Date(), browser_seen_at: new Date() };
    expect(await session.db('api_keys').update(used)).toBeGreaterThan(0);
    await session.db('widget_tokens').update({ last_used_at: new Date() });
  });
});

describe('a login of the webhook queue', () => {
  const session = useSession('tour_platform_queue');

  const FORBIDDEN = [
    'select * from booking_leads',
    'select customer_name from seat_holds',
    'select * from hold_changes',
    'select * from hold_extensions',
    'select * from booking_changes',
    'select * from octo_bookings',
    'select * from idempotency_keys',
    'select * from api_keys',
    'select * from tours',
    'select currency from tenants',
    `update tenants set status = 'closed'`,
    'insert into api_keys select * from api_keys',
    'update webhook_secrets set nonce = nonce',
    'delete from webhook_events',
    'drop table webhook_events',
    'create table mine (id integer)',
    'create temporary table mine (id integer)',
    WRONG_CHECK,
    'delete from secret_checks',
    `select webhook_attach_month('webhook_events', '2020-01-01')`,
  ];
  it.each(FORBIDDEN)('a login of the queue may not run: %s', async (statement) => {
    await givenSale(database.db);
    await expect(session.db.raw(statement)).rejects.toMatchObject(DENIED);
  });

  it('a login of the queue may not create months for another table', async () => {
    await expect(
      session.db.raw(`select webhook_make_month_of('booking_leads', '2020-01-01')`),
    ).rejects.toThrow(/booking_leads has no months/);
  });

  it('temporary tables of a login do not redirect the functions of the owner', async () => {
    // An operator may allow every login to create temporary tables again.
    const name = new URL(database.url).pathname.slice(1);
    await database.db.raw('grant temporary on database ?? to public', [name]);
    await session.db.transaction(async (trx) => {
      await trx.raw(`
        create function pg_temp.status() returns text language plpgsql as $$
          begin raise exception 'runs as %', current_user; end $$;
        create temporary view webhook_deliveries_2020_01 as select pg_temp.status() as status;
        create temporary table webhook_deliveries_default (id uuid, status text) on commit drop;
        insert into webhook_deliveries_default values ('00000000-0000-0000-0000-000000000000', 'pending');
        set local search_path = pg_temp, public`);
      await trx.raw(`select webhook_drop_month('2020-01-01'), webhook_expire_stranded('2020-01-01', 10)`);
      expect(await trx('webhook_deliveries_default').pluck('status')).toEqual(['pending']);
      await trx.raw('drop view webhook_deliveries_2020_01');
    });
    await database.db.raw('revoke temporary on database ?? from public', [name]);
  });
});

describe('the migration of the roles', () => {
  let server: Awaited<ReturnType<typeof startTemporaryPostgres>>;
  let superuser: Db;
  beforeEach(async () => {
    server = await startTemporaryPostgres();
    superuser = openDatabase(server.url, { applicationName: 'tests', poolMax: 1 });
  });
  afterEach(async () => {
    await superuser.destroy();
    await server.stop();
  });

  /** Creates a database of the role, whose password is "secret", and migrates it as that role. */
  async function migrated(name: string, role: string): Promise<Db> {
    await superuser.raw('create database ?? owner ??', [name, role]);
    const url = new URL(databaseUrl(server.url, name));
    [url.username, url.password] = [role, 'secret'];
    const owner = openDatabase(url.href, { applicationName: 'tests', poolMax: 2 });
    await migrate(owner);
    return owner;
  }

  it('the migration of the roles works without the right to create roles, and gives the rights when the roles exist later', async () => {
    await superuser.raw("create role plain login nocreaterole password 'secret'");
    const owner = await migrated('one', 'plain');
    expect(await superuser('pg_roles').whereIn('rolname', GROUPS)).toEqual([]);
    for (const group of GROUPS) await superuser.raw('create role ?? nologin', [group]);
    await owner.raw('select grant_database_roles()');
    for (const group of GROUPS)
      expect([group, await rightsOf(owner, group, 'knex_migrations')]).toEqual([group, ['select']]);
    await owner.destroy();
  });

  it('the migration of the roles creates the roles once where several databases of a server migrate at the same time', async () => {
    await superuser.raw("create role maker login createrole password 'secret'");
    const owners = await Promise.all(['one', 'two', 'three'].map((name) => migrated(name, 'maker')));
    for (const owner of owners) {
      expect(await rightsOf(owner, 'tour_platform_queue', 'knex_migrations')).toEqual(['select']);
      await owner.destroy();
    }
  });
});

/** Opens a session with the rights of the group before the tests of a block, and closes it after them. */
function useSession(role: DatabaseRole): { db: Db } {
  const session = {} as { db: Db };
  beforeAll(() => {
    session.db = openDatabase(urlAs(role, database.url), { applicationName: 'tests', poolMax: 1 });
  });
  afterAll(() => session.db.destroy());
  return session;
}

/** Inserts a row into each table that the forbidden statements name. Without the row, a statement could change or show nothing. */
async function givenSale(db: Db): Promise<void> {
  const tenant = await givenTenant(db);
  await givenKey(db, tenant);
  const tour = await givenTour(db);
  await givenDeparture(db, tour);
  await givenPriceRule(db, { tenant }, { percent: 10 });
}
