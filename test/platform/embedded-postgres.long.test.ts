import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  joinEmbeddedPostgres,
} from '../../services/platform/embedded-postgres/embedded-postgres';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { superuserUrl } from '../../services/platform/embedded-postgres/cluster';
import { CANNOT_CONNECT_NOW, sqlState } from '../../services/platform/errors';
import {
  ask,
  cloneOf,
  end,
  joinInProcess,
  leave,
  nextWord,
  serverPid,
  startProcess,
  removeDirectories,
  temporaryDirectory,
  until,
} from './embedded-postgres-support';

afterAll(removeDirectories);

let template: string;

/** Starts two processes at once on a missing directory. The tests below use their database. */
beforeAll(async () => {
  template = path.join(temporaryDirectory(), 'data');
  const [one, two] = await Promise.all([joinInProcess(template), joinInProcess(template)]);
  expect(one.url).toBe(two.url);
  await Promise.all([leave(one.child), leave(two.child)]);
  expect(readdirSync(template)).toEqual(['pg18']);
  expect(serverPid(template)).toBeUndefined();
});

describe('a new embedded database', () => {
  let database: EmbeddedPostgres;
  beforeAll(async () => (database = await joinEmbeddedPostgres(template)));
  afterAll(() => database.leave());
  const superuser = () =>
    superuserUrl(path.join(template, 'pg18'), Number(new URL(database.url).port), 'tour_platform');

  it('the files of a new database belong to an unprivileged account, and are closed to others', () => {
    const cluster = statSync(path.join(template, 'pg18'));
    expect(cluster.mode & 0o777).toBe(0o700);
    expect(statSync(path.join(template, 'pg18/tour-platform.password')).mode & 0o777).toBe(0o600);
    expect(cluster.uid).not.toBe(0);
    expect(cluster.uid).toBe(accountFor().uid ?? process.geteuid?.());
  });

  it('a new embedded database refuses a connection without the password', async () => {
    const { password, port } = new URL(database.url);
    expect(password).toMatch(/^[\w-]{43}$/);
    for (const role of ['tour_platform', 'tour_platform_service'])
      await expect(
        ask(`postgres://${role}:guess@127.0.0.1:${port}/tour_platform`, 'select 1'),
      ).rejects.toThrow('password authentication failed');
    const rules = await ask(superuser(), 'select distinct auth_method from pg_hba_file_rules');
    expect(rules).toEqual([{ auth_method: 'scram-sha-256' }]);
  });

  it('a new embedded database listens on 127.0.0.1 alone and on no socket', async () => {
    expect(new URL(database.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/tour_platform' });
    expect(await setting(superuser(), 'listen_addresses')).toBe('127.0.0.1');
    expect(await setting(superuser(), 'unix_socket_directories')).toBe('');
  });

  it('a new embedded database folds the case of all scripts, sorts by bytes and keeps its clock in UTC', async () => {
    const [row] = await ask(
      database.url,
      `select 'ÉΔЖ' ilike 'éδж' as folds, 'Z' < 'a' as bytes, getdatabaseencoding() as encoding,
              current_setting('TimeZone') as zone`,
    );
    expect(row).toEqual({ folds: true, bytes: true, encoding: 'UTF8', zone: 'UTC' });
  });

  it('a new embedded database syncs acknowledged writes', async () => {
    expect(await setting(database.url, 'fsync')).toBe('on');
    expect(await setting(database.url, 'synchronous_commit')).toBe('on');
  });

  it('a new database can create the extensions for the search of names', async () => {
    await ask(database.url, 'create extension pg_trgm; create extension unaccent');
    const [row] = await ask(
      database.url,
      `select unaccent('Malmö') as plain, show_trgm('a') is not null as trigrams`,
    );
    expect(row).toEqual({ plain: 'Malmo', trigrams: true });
  });
});

describe('processes that share an embedded database', () => {
  it('two processes share one embedded server, and the last process stops it', async () => {
    const one = await joinInProcess(template);
    const two = await joinInProcess(template);
    expect(two.url).toBe(one.url);
    await leave(one.child);
    expect(await ask(two.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await leave(two.child);
    expect(serverPid(template)).toBeUndefined();
  });

  it('no process loses the server while others join and leave', async () => {
    const processes = [1, 2, 3].map(() => startProcess(['churn', template, '15']));
    expect(await Promise.all(processes.map(nextWord))).toEqual(processes.map(() => ({ done: true })));
    await until(() => serverPid(template) === undefined);
  });

  it('a killed process leaves the server running for the next process', async () => {
    const killed = await joinInProcess(template);
    await end(killed.child);
    const pid = serverPid(template);
    expect(pid).toBeDefined();
    const next = await joinEmbeddedPostgres(template);
    expect(next.url).toBe(killed.url);
    expect(serverPid(template)).toBe(pid);
    await next.leave();
    expect(serverPid(template)).toBeUndefined();
  });

  it('a process can end without leaving the database', async () => {
    const forgetful = await joinInProcess(template);
    const gone = new Promise((resolve) => forgetful.child.once('exit', resolve));
    forgetful.child.disconnect();
    expect(await gone).toBe(0);
    await (await joinEmbeddedPostgres(template)).leave();
  });

  it('a process may leave the database twice', async () => {
    const database = await joinEmbeddedPostgres(template);
    await Promise.all([database.leave(), database.leave()]);
    await database.leave();
    expect(existsSync(path.join(template, 'pg18.lock'))).toBe(false);
  });
});

describe('Ctrl-C in the terminal of an embedded database', () => {
  it('Ctrl-C ends the process that started the embedded server, but not the server', async () => {
    const terminal = await joinInProcess(template, { detached: true });
    process.kill(-terminal.child.pid!, 'SIGINT');
    await until(() => terminal.child.signalCode === 'SIGINT');
    const pid = serverPid(template);
    const next = await joinEmbeddedPostgres(template);
    expect(serverPid(template)).toBe(pid);
    await next.leave();
  });
});

describe('a server that was killed', () => {
  it('a killed server recovers the committed rows', async () => {
    const dataDir = cloneOf(template);
    const { child, url } = await joinInProcess(dataDir);
    await ask(url, 'create table kept as select 42 as answer');
    await end(child);
    process.kill(serverPid(dataDir)!, 'SIGKILL');
    const database = await joinEmbeddedPostgres(dataDir);
    expect(await ask(database.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
    await database.leave();
  });

  it('a killed server restarts on its port for the processes that use it', async () => {
    const notices: string[] = [];
    const database = await joinEmbeddedPostgres(template, { onNotice: (line) => notices.push(line) });
    process.kill(serverPid(template)!, 'SIGKILL');
    await until(() => notices.length > 0);
    expect(notices).toEqual(['the database is running again']);
    expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await database.leave();
    expect(serverPid(template)).toBeUndefined();
  });
});

describe('a server that recovers from the crash of one of its processes', () => {
  /** Exceeds the time in which a process gives up joining a server that refuses connections for any other reason. */
  const RECOVERY_MS = 3000;

  it('a process joins a recovering server when it is ready again', async () => {
    const database = await joinInProcess(template);
    const [hanging, crashing] = [await connect(database.url), await connect(database.url)];
    // The server starts to recover only after all of its processes have ended.
    process.kill(hanging, 'SIGSTOP');
    process.kill(crashing, 'SIGKILL');
    await until(() =>
      ask(database.url, 'select 1').then(
        () => false,
        (error: Error) => sqlState(error) === CANNOT_CONNECT_NOW,
      ),
    );
    const next = joinEmbeddedPostgres(template);
    await sleep(RECOVERY_MS);
    process.kill(hanging, 'SIGCONT');
    const { url, leave: leaveNext } = await next;
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await leave(database.child);
    await leaveNext();
    expect(serverPid(template)).toBeUndefined();
  });

  /** Opens a connection that the server will end. @returns the pid of the server process of this connection */
  async function connect(url: string): Promise<number> {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid;
  }
});

async function setting(url: string, name: string): Promise<unknown> {
  return (await ask(url, `select current_setting('${name}') as value`))[0]?.value;
}
