import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { startTemporaryPostgres } from '../support/temporary-postgres';
import { accountFor, giveTo } from '../../services/platform/embedded-postgres/account';
import { bundledRelease, usableBinaries } from '../../services/platform/embedded-postgres/binaries';
import { startServer, stopServer } from '../../services/platform/embedded-postgres/server';
import {
  ask,
  cloneOf,
  end,
  failure,
  joinInProcess,
  newDatabase,
  nextWord,
  serverPid,
  startProcess,
  removeDirectories,
  temporaryDirectory,
  until,
} from './embedded-postgres-support';

let template: string;

beforeAll(async () => (template = await newDatabase()));
afterAll(removeDirectories);

describe('a postmaster.pid that a killed server left', () => {
  let dataDir: string;
  let leftBehind: string;

  beforeAll(async () => {
    dataDir = cloneOf(template);
    const { child } = await joinInProcess(dataDir);
    leftBehind = readFileSync(path.join(dataDir, 'pg18/postmaster.pid'), 'utf8');
    await end(child);
    const pid = serverPid(dataDir)!;
    process.kill(pid, 'SIGKILL');
  });

  const holders: [string, () => Promise<{ pid: number; free(): unknown }>][] = [
    ['nobody', () => Promise.resolve({ pid: 2 ** 22 + 1, free: () => undefined })],
    ['a stranger', stranger],
    ['a zombie', zombie],
    ['the PostgreSQL of another directory', otherPostgres],
  ];

  it.each(holders)(
    'a postmaster.pid of a killed server does not prevent the start when its pid belongs to %s',
    async (_, holder) => {
      const { pid, free } = await holder();
      try {
        const file = path.join(dataDir, 'pg18/postmaster.pid');
        writeFileSync(file, leftBehind.replace(/^\d+/, String(pid)));
        giveTo(accountFor(), file);
        const database = await joinEmbeddedPostgres(dataDir);
        expect(serverPid(dataDir)).not.toBe(pid);
        expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
        await database.leave();
      } finally {
        await free();
      }
    },
  );
});

describe('a first start', () => {
  it('a killed first start leaves no partial database to the next start', async () => {
    const dataDir = temporaryDirectory();
    const killed = startProcess(['join', dataDir]);
    await until(() => readdirSync(dataDir).some((name) => name.startsWith('pg18.new-')));
    await end(killed);
    expect(readdirSync(dataDir)).not.toContain('pg18');
    const database = await joinEmbeddedPostgres(dataDir);
    expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await database.leave();
    expect(readdirSync(dataDir)).not.toContain('pg18.lock');
    // An orphaned initdb may still write drafts while the next start removes them. The start after that removes the last drafts.
    await until(async () => {
      await (await joinEmbeddedPostgres(dataDir)).leave();
      return readdirSync(dataDir).length === 1;
    });
  });

  it('a first start works in a directory whose name is long and needs quoting', async () => {
    const name = `it's "$HOME" \`pwd\` \\ ünï `;
    const dataDir = path.join(temporaryDirectory(), name, 'x'.repeat(120));
    const database = await joinEmbeddedPostgres(dataDir);
    expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await database.leave();
  });
});

describe('the port of the embedded database', () => {
  it('the server chooses another port when the first is taken', async () => {
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const taken = (server.address() as AddressInfo).port;
    const directory = path.join(cloneOf(template), 'pg18');
    const account = accountFor(directory);
    const binaries = await usableBinaries(bundledRelease(), account);
    const { port } = await startServer({ directory, account }, binaries, taken);
    expect(port).not.toBe(taken);
    await stopServer(directory);
    server.close();
  });
});

describe('a start of the embedded database that fails', () => {
  it('the error of a failed start names the next step and ends with the log of this start', async () => {
    const dataDir = cloneOf(template);
    appendFileSync(path.join(dataDir, 'pg18/postgresql.conf'), 'no_such_setting = on\n');
    appendFileSync(path.join(dataDir, 'pg18/server.log'), 'a line of an earlier start\n');
    const error = await failure(dataDir);
    expect(error.message).toMatch(
      /does not start in .*pg18\. The end of its log .* follows; or set DATABASE_URL/,
    );
    expect(error.message).toMatch(/no_such_setting/);
    expect(error.message).not.toMatch(/an earlier start/);
    expect(readdirSync(dataDir)).toEqual(['pg18']);
  });

  it('a start of the embedded database refuses a cluster of another major version', async () => {
    const dataDir = cloneOf(template);
    writeFileSync(path.join(dataDir, 'pg18/PG_VERSION'), '17\n');
    expect((await failure(dataDir)).message).toMatch(
      /is of PostgreSQL 17, and this release brings PostgreSQL 18\. Move it away/,
    );
  });

  it('a start of the embedded database refuses a data directory that has the database of another major version', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(path.join(dataDir, 'pg17'));
    expect((await failure(dataDir)).message).toMatch(
      /holds a database of PostgreSQL 17, and this release brings PostgreSQL 18/,
    );
    expect(readdirSync(dataDir)).toEqual(['pg17']);
  });

  it('a start of the embedded database refuses a folder that is not a database, and changes nothing in it', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(path.join(dataDir, 'pg18'));
    writeFileSync(path.join(dataDir, 'pg18/letter.txt'), 'dear reader');
    expect((await failure(dataDir)).message).toMatch(/is not a database/);
    expect(existsSync(path.join(dataDir, 'pg18/letter.txt'))).toBe(true);
  });
});

describe('a temporary server', () => {
  it('a temporary server does not wait for the disk, and leaves no file when it stops', async () => {
    const { url, stop } = await startTemporaryPostgres();
    const [settings] = await ask(
      url,
      `select current_setting('fsync') || current_setting('synchronous_commit') || current_setting('full_page_writes') as off,
              current_setting('wal_level') as wal, current_setting('max_wal_senders') as senders,
              current_setting('max_connections') as connections, current_setting('data_directory') as directory`,
    );
    expect(settings).toMatchObject({ off: 'offoffoff', wal: 'minimal', senders: '0', connections: '200' });
    const folder = path.dirname(settings!.directory as string);
    expect(existsSync(folder)).toBe(true);
    await Promise.all([stop(), stop()]);
    expect(existsSync(folder)).toBe(false);
  });

  it('a new temporary server stops and deletes a temporary server whose process was killed', async () => {
    const owner = startProcess(['temporary']);
    const { url } = await nextWord(owner);
    const [server] = await ask(url!, `select current_setting('data_directory') as directory`);
    await end(owner);
    const { stop } = await startTemporaryPostgres();
    await stop();
    expect(existsSync(server!.directory as string)).toBe(false);
    await expect(ask(url!, 'select 1')).rejects.toThrow('ECONNREFUSED');
  });
});

// PostgreSQL checks only processes of its own account.
async function stranger() {
  const child: ChildProcess = spawn('sleep', ['60'], accountFor());
  return { pid: child.pid!, free: () => end(child) };
}

/** Creates a zombie: the shell starts a child and is replaced by a program that never waits for it. */
async function zombie() {
  const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    ...accountFor(),
  });
  const pid = await new Promise<number>((resolve) =>
    parent.stdout.once('data', (text) => resolve(Number(text))),
  );
  return { pid, free: () => end(parent) };
}

async function otherPostgres() {
  const dataDir = cloneOf(template);
  const { leave } = await joinEmbeddedPostgres(dataDir);
  return { pid: serverPid(dataDir)!, free: leave };
}
