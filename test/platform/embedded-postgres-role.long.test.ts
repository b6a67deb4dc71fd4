import { appendFileSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { createCluster, superuserUrl } from '../../services/platform/embedded-postgres/cluster';
import { rotateServerLog, startServer, stopServer } from '../../services/platform/embedded-postgres/server';
import { migrate } from '../../services/platform/migrate/migrate';
import {
  ask,
  cloneOf,
  newDatabase,
  removeDirectories,
  temporaryDirectory,
} from './embedded-postgres-support';

/** The data directories of a new database, and of a database from an earlier release. Each test uses a copy. */
let fresh: string;
let earlier: string;

beforeAll(async () => {
  fresh = await newDatabase();
  earlier = temporaryDirectory();
  await makeEarlierDatabase(earlier);
});
afterAll(removeDirectories);

const FOREIGN_OBJECTS = `
  select relname as name from pg_class
  where relnamespace = 'public'::regnamespace and pg_get_userbyid(relowner) <> current_user
  union all
  select proname from pg_proc p
  where pronamespace = 'public'::regnamespace and pg_get_userbyid(proowner) <> current_user
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`;

describe('the role of the embedded database that services get', () => {
  it('the role of the services can migrate, but runs no program and reads no file', async () => {
    const { url, leave } = await joinEmbeddedPostgres(cloneOf(fresh));
    await expect(ask(url, `copy (select 1) to program 'true'`)).rejects.toThrow('permission denied');
    await expect(ask(url, `select pg_read_file('/etc/passwd')`)).rejects.toThrow('permission denied');
    expect(await ask(url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
      { rolsuper: false },
    ]);
    await migrated(url);
    expect(await ask(url, FOREIGN_OBJECTS)).toEqual([]);
    await leave();
  });

  it('a function with the name of a PostgreSQL function does not make the role a superuser', async () => {
    const dataDir = cloneOf(fresh);
    const first = await joinEmbeddedPostgres(dataDir);
    await ask(
      first.url,
      `create function public.format(text, name) returns text language plpgsql as $$ begin
         if (select rolsuper from pg_roles where rolname = current_user) then
           execute 'alter role tour_platform_service superuser';
         end if;
         return pg_catalog.format($1, $2);
       end $$;
       alter database tour_platform set search_path = public, pg_catalog`,
    );
    await first.leave();
    const { url, leave } = await joinEmbeddedPostgres(dataDir);
    expect(await ask(url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
      { rolsuper: false },
    ]);
    await leave();
  });

  it.each(['runs', 'was stopped', 'was killed'])(
    'the role of the services owns the database of an earlier release whose server %s',
    async (state) => {
      const dataDir = cloneOf(earlier);
      await writeAsEarlierRelease(dataDir);
      if (state === 'was stopped') await stopServer(path.join(dataDir, 'pg18'));
      if (state === 'was killed') await stopServer(path.join(dataDir, 'pg18'), 'immediate');
      const { url, leave } = await joinEmbeddedPostgres(dataDir);
      expect(await ask(url, FOREIGN_OBJECTS)).toEqual([]);
      await ask(url, 'alter table tours add column later_migration text; drop table earlier');
      await expect(ask(url, `copy (select 1) to program 'true'`)).rejects.toThrow('permission denied');
      await leave();
    },
  );
});

describe('the log of the embedded server', () => {
  it('the log does not show the values of a refused row', async () => {
    const dataDir = cloneOf(fresh);
    const { url, leave } = await joinEmbeddedPostgres(dataDir);
    await ask(url, 'create table people (name text, phone text check (length(phone) > 5))');
    const refused = `insert into people select 'Ana ' || 'Lima', '55' || '443'`;
    await expect(ask(url, refused)).rejects.toThrow('violates check constraint');
    await leave();
    const log = readFileSync(path.join(dataDir, 'pg18/server.log'), 'utf8');
    expect(log).toContain('violates check constraint');
    expect(log).not.toMatch(/Ana Lima|55443/);
  });

  it('the server continues in an empty file after rotateServerLog', async () => {
    const dataDir = cloneOf(fresh);
    const { url, leave } = await joinEmbeddedPostgres(dataDir);
    const directory = path.join(dataDir, 'pg18');
    const log = path.join(directory, 'server.log');
    appendFileSync(log, 'an old line\n'.repeat(100));
    rotateServerLog(directory, 1000);
    expect(statSync(log).size).toBe(0);
    expect(readFileSync(`${log}.1`, 'utf8')).toContain('an old line');
    await expect(ask(url, 'select * from nowhere')).rejects.toThrow('does not exist');
    expect(readFileSync(log, 'utf8')).toMatch(/^\d{4}-.* UTC .*ERROR: +relation "nowhere" does not exist/);
    await leave();
  });
});

/** Creates the state of releases without a service role: one superuser that owns everything. */
async function makeEarlierDatabase(dataDir: string): Promise<void> {
  const directory = path.join(dataDir, 'pg18');
  const cluster = { directory, account: accountFor(directory) };
  const binaries = await usableBinaries(bundledRelease(), cluster.account);
  await createCluster(cluster, binaries, { fsync: 'off' });
  const { port } = await startServer(cluster, binaries);
  await ask(superuserUrl(directory, port, 'postgres'), 'create database tour_platform');
  await migrated(superuserUrl(directory, port, 'tour_platform'));
  await stopServer(directory);
}

/** Starts the server without the service role, and writes as the superuser. */
async function writeAsEarlierRelease(dataDir: string): Promise<void> {
  const directory = path.join(dataDir, 'pg18');
  const account = accountFor(directory);
  const { port } = await startServer({ directory, account }, await usableBinaries(bundledRelease(), account));
  await ask(
    superuserUrl(directory, port, 'tour_platform'),
    'create table earlier (id serial); create sequence numbers; create view seen as select 1',
  );
}

async function migrated(url: string): Promise<void> {
  const db = openDatabase(url, { applicationName: 'test', poolMax: 2 });
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
