import { randomBytes, createHmac } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { makeDirectory } from '../directories';
import {
  type Account,
  accountFor,
  canEnter,
  fallbackDirectory,
  giveTo,
  makeOwnDirectory,
  PASSWORD_FILE,
  readClusterFile,
  runAs,
  readPassword,
} from './account';
import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres.errors';
import { REQUIRE_SCRAM } from '../database/database-url';
import { ScramClient } from '../database/connect';

export interface Cluster {
  /** PostgreSQL's data directory; it need not exist yet. */
  directory: string;
  account: Account;
}

const SUPERUSER = 'tour_platform';
const VERSION_FILE = 'PG_VERSION';

/** The builtin locale folds the case of all scripts and sorts by bytes on every system. (With C, 'É' ILIKE 'é' is false.) */
const INITDB = [
  `--username=${SUPERUSER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--no-instructions',
];

/**
 * Returns the directory of the cluster: `pg<major>` in the data directory. If root starts a cluster below a directory that the account
 * cannot enter, `pg<major>` is a link into `fallback` (by default fallbackDirectory()). The link is created before the cluster. So, if a
 * start is killed, the next start continues in the same directory. Needs the start lock.
 */
export async function placeCluster(
  dataDir: string,
  major: number,
  notice: (line: string) => void,
  fallback?: string,
): Promise<Cluster> {
  refuseOtherMajor(dataDir, major);
  const inPlace = path.join(dataDir, `pg${major}`);
  const isLink = lstatSync(inPlace, { throwIfNoEntry: false })?.isSymbolicLink();
  let directory = isLink ? path.resolve(dataDir, readlinkSync(inPlace)) : inPlace;
  const account = accountFor(directory);
  if (isLink) {
    if (makeDirectory(path.dirname(directory), 0o755)) chmodSync(path.dirname(directory), 0o755);
  } else if (!existsSync(inPlace) && !(await canEnter(account, dataDir))) {
    directory = path.join(makeDirectoryOutside(dataDir, fallback), `pg${major}`);
    symlinkSync(directory, inPlace);
    notice(
      `PostgreSQL runs as uid ${account.uid}, which cannot reach ${dataDir}: its database is kept in ${directory}`,
    );
  }
  if (!(await canEnter(account, path.dirname(directory)))) {
    throw new EmbeddedPostgresError(
      `You are root, so PostgreSQL runs as uid ${account.uid}, and that account cannot reach ${directory}`,
      'Let it pass through the directories above (chmod o+x), or run as an ordinary user',
    );
  }
  return { directory, account };
}

function refuseOtherMajor(dataDir: string, major: number): void {
  const present = readdirSync(dataDir).flatMap((name) => /^pg(\d+)$/.exec(name)?.[1] ?? []);
  if (present.length === 0 || present.includes(String(major))) return;
  throw new EmbeddedPostgresError(
    `${dataDir} holds a database of PostgreSQL ${present.join(' and ')}, and this release brings PostgreSQL ${major}`,
    `Start the earlier release and dump the database, or move pg${present.join(' and pg')} away to begin with an empty one`,
  );
}

function makeDirectoryOutside(dataDir: string, fallback = fallbackDirectory()): string {
  const name = path.basename(path.dirname(dataDir)).replace(/[^\w-]/g, '_');
  const directory = path.join(fallback, `${name}-${randomBytes(4).toString('hex')}`);
  try {
    makeOwnDirectory(fallback);
    makeOwnDirectory(directory);
    return directory;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The account of PostgreSQL cannot reach ${dataDir}, and its database cannot be kept elsewhere (${(error as Error).message})`,
      'Set DATA_DIR to a directory that every account can pass through, or run as an ordinary user',
    );
  }
}

/**
 * Creates the cluster and its password if there is no cluster. Creates both in a draft directory and renames the complete draft. Otherwise
 * a killed initdb would leave a directory that has a PG_VERSION but lacks databases. Needs the start lock.
 * @returns true if the cluster was created now
 */
export async function createCluster(
  { directory, account }: Cluster,
  { programs, major }: Binaries,
  settings: Record<string, string>,
): Promise<boolean> {
  const draft = `${directory}.new-${randomBytes(4).toString('hex')}`;
  await removeDrafts(directory);
  if (isCluster(directory, major)) return false;
  try {
    // This process stays the owner of the draft directory. In a directory of its own, the cluster's account could create links, and root
    // would write to their targets.
    mkdirSync(draft);
    chmodSync(draft, 0o711);
    const password = path.join(draft, PASSWORD_FILE);
    writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
    giveTo(account, password);
    const cluster = path.join(draft, 'cluster');
    mkdirSync(cluster, { mode: 0o700 });
    giveTo(account, cluster);
    const options = Object.entries(settings).map(([name, value]) => `--set=${name}=${value}`);
    if (settings.fsync === 'off') options.push('--no-sync');
    const { ok, output } = await runAs(
      account,
      path.join(programs, 'initdb'),
      [...INITDB, `--pwfile=${password}`, ...options],
      { env: { PGDATA: cluster } },
    );
    if (!ok) throw new Error(output);
    renameSync(password, path.join(cluster, PASSWORD_FILE));
    renameSync(cluster, directory);
    return true;
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? error : cannotCreate(directory, (error as Error).message);
  } finally {
    await removeDrafts(directory);
  }
}

/**
 * Returns true if the directory has a cluster of this major version, and false if the directory is missing or empty. Throws for any
 * other content, and leaves that content unchanged.
 */
function isCluster(directory: string, major: number): boolean {
  if (!existsSync(directory) || readdirSync(directory).length === 0) return false;
  const found = existsSync(path.join(directory, VERSION_FILE))
    ? readClusterFile(directory, VERSION_FILE).trim()
    : undefined;
  if (found === String(major)) return true;
  throw new EmbeddedPostgresError(
    `${directory} ${found ? `is of PostgreSQL ${found}` : 'is not a database'}, and this release brings PostgreSQL ${major}`,
    'Move it away to begin with an empty database; the release that made it can dump its content',
  );
}

/**
 * Removes drafts, including the drafts of killed starts. Ignores errors. If an orphaned initdb still writes to a draft, the next start
 * removes that draft. Does not use rmSync: an account could replace its directories by links, and rmSync would then delete files outside
 * the draft.
 */
async function removeDrafts(directory: string): Promise<void> {
  const parent = path.dirname(directory);
  const drafts = readdirSync(parent).filter((name) => name.startsWith(`${path.basename(directory)}.new-`));
  if (drafts.length) await runAs({}, 'rm', ['-rf', '--', ...drafts], { cwd: parent });
}

function cannotCreate(directory: string, output: string): EmbeddedPostgresError {
  const nextStep = /could not look up effective user ID/.test(output)
    ? 'The account has no name: add it to /etc/passwd, or set DATABASE_URL to a PostgreSQL of your own'
    : 'The reason follows; it often is a full disk, or a file system without access rights';
  return new EmbeddedPostgresError(`The database cannot be created in ${directory}`, nextStep, output);
}

/** The services and tourctl log in with this role. It owns the database and its schema, and has no other right. */
const SERVICE_ROLE = 'tour_platform_service';
const DATABASE = 'tour_platform';

export function superuserUrl(directory: string, port: number, database: string): string {
  return roleUrl(SUPERUSER, readPassword(directory), port, database);
}

export function serviceUrl(directory: string, port: number): string {
  return roleUrl(SERVICE_ROLE, servicePassword(readPassword(directory)), port, DATABASE);
}

function roleUrl(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}?${REQUIRE_SCRAM}`;
}

/** Derives the password of the service role from the superuser's password, so that no second password must be stored. */
function servicePassword(superuserPassword: string): string {
  return createHmac('sha256', superuserPassword).update(SERVICE_ROLE).digest('base64url');
}

export function superuserClient(directory: string, port: number, database: string): pg.Client {
  const client = new ScramClient({
    connectionString: superuserUrl(directory, port, database),
    ssl: false,
    application_name: 'embedded-postgres',
    connectionTimeoutMillis: 10_000,
    // Limits the search path. The service role owns the database, and the superuser must never call a function of that role by mistake.
    options: '-c search_path=pg_catalog,pg_temp',
  });
  client.on('error', () => undefined); // Ignores the error, because the event 'end' follows.
  return client;
}

/**
 * Lets the service role make logins of people, and no other login of the server connect to the database. Until the first person is added,
 * the service role has neither right nor need.
 */
export async function allowLogins(directory: string, port: number): Promise<void> {
  const client = superuserClient(directory, port, DATABASE);
  try {
    await client.connect();
    await client.query(
      `alter role ${SERVICE_ROLE} createrole; revoke connect on database ${DATABASE} from public;
       grant set on parameter log_error_verbosity to ${SERVICE_ROLE}`,
    );
  } finally {
    await client.end();
  }
}

/**
 * Creates the database of the services if it is missing, and makes the service role its owner. Needs the start lock.
 * @param session a session of the superuser
 * @throws a database error whose SQLSTATE means a refused lock, if services of an earlier release use the tables
 */
export async function ensureDatabase(
  session: pg.Client,
  { directory, port, isNewServer }: { directory: string; port: number; isNewServer: boolean },
): Promise<void> {
  const { rows } = await session.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [DATABASE],
  );
  if (!rows[0]) await session.query(`create database ${DATABASE}`);
  // Checks the owner of the database too, because an earlier release may have started the running server.
  if (!isNewServer && rows[0]?.owner === SERVICE_ROLE) return;
  const client = superuserClient(directory, port, DATABASE);
  try {
    await client.connect();
    await client.query(handOverStatements(servicePassword(readPassword(directory))));
  } finally {
    await client.end();
  }
}

/**
 * Returns the SQL that creates the service role if it is missing, and makes this role the owner of all objects in the database. Earlier
 * releases created the objects as the superuser. The SQL is one transaction, which changes the owner of the database last.
 * @param password has only characters that need no quoting
 */
function handOverStatements(password: string): string {
  return `
    begin;
    set local lock_timeout = '2s';
    set local log_min_error_statement = panic;
    do $$
    declare
      one record;
    begin
      if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
        create role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole password '${password}';
      end if;
      -- Leaves out DETAIL and CONTEXT: they show the values of a refused row, which are personal data.
      alter role ${SERVICE_ROLE} set log_error_verbosity = terse;
      for one in
        select format('table %s', c.oid::regclass) as object from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
          and pg_get_userbyid(c.relowner) <> '${SERVICE_ROLE}'
          -- A column's sequence follows its table; an extension keeps its own objects.
          and not exists (select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i', 'e')
              and (d.deptype = 'e' or c.relkind = 'S'))
        union all
        select format('routine %s', p.oid::regprocedure) from pg_proc p
        where p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) <> '${SERVICE_ROLE}'
          and not exists (select from pg_depend d
            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
      loop
        execute format('alter %s owner to ${SERVICE_ROLE}', one.object);
      end loop;
      execute format('alter database %I owner to ${SERVICE_ROLE}', current_database());
    end $$;
    commit`;
}
