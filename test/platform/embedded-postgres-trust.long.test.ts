import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import path from 'node:path';
import type { Knex } from 'knex';
import { openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { accountFor } from '../../services/platform/embedded-postgres/account';
import { readDatabaseUrl } from '../../services/platform/database/database-url';
import { ScramClient } from '../../services/platform/database/connect';
import {
  cloneOf,
  end,
  failure,
  leave,
  newDatabase,
  nextWord,
  serverPid,
  startProcess,
  removeDirectories,
  temporaryDirectory,
  until,
} from './embedded-postgres-support';

const describeAsRoot = process.geteuid?.() === 0 ? describe : describe.skip;
const impostors: Server[] = [];
let template: string;

beforeAll(async () => (template = await newDatabase()));
afterAll(async () => {
  impostors.forEach((each) => each.close());
  await removeDirectories();
});

describe('a foreign server on the port of a dead server', () => {
  const ok = [82, 0, 0, 0, 8, 0, 0, 0, 0];
  const demands: [string, number[]][] = [
    ['the password in clear', [82, 0, 0, 0, 8, 0, 0, 0, 3]],
    ['its MD5 sum', [82, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4]],
    ['nothing', [...ok, 90, 0, 0, 0, 5, 73]],
    ['nothing, as if it had proved itself', [82, 0, 0, 0, 8, 0, 0, 0, 12, ...ok, 90, 0, 0, 0, 5, 73]],
  ];

  it.each(demands)(
    'a foreign server that asks for %s receives only the startup message',
    async (_, demand) => {
      const { url, heard } = await impostor(Buffer.from(demand));
      await expect(new ScramClient(url).connect()).rejects.toThrow();
      const db = openDatabase(url, { applicationName: 'test' });
      await expect(db.raw('select 1')).rejects.toThrow();
      await db.destroy();
      const calls = heard();
      expect(calls).toHaveLength(2);
      for (const call of calls) expect(call.length).toBe(call.readInt32BE(0));
    },
  );

  it('a URL without require_auth does not require SCRAM', () => {
    const url = 'postgres://someone:secret@127.0.0.1:1/own';
    expect(readDatabaseUrl(url).requiresScram).toBe(false);
  });

  it('the URL of the embedded database requires SCRAM, and its real server passes the check', async () => {
    const database = await joinEmbeddedPostgres(template);
    expect(new URL(database.url).searchParams.get('require_auth')).toBe('scram-sha-256');
    const db = openDatabase(database.url, { applicationName: 'test' });
    const client = db.client as Knex.Client;
    const connection: unknown = await client.acquireConnection();
    expect(connection).toBeInstanceOf(ScramClient);
    await client.releaseConnection(connection);
    expect(await db.transaction((trx) => trx.select(trx.raw('1 as one')))).toEqual([{ one: 1 }]);
    await db.destroy();
    await database.leave();
  });
});

describeAsRoot('an embedded database that root starts', () => {
  const plants: [string, (target: string, file: string) => void][] = [
    ['a symbolic link', symlinkSync],
    ['a hard link', linkSync],
    ['a pipe', (_, file) => void execFileSync('mkfifo', [file])],
  ];
  const files = ['tour-platform.password', 'PG_VERSION', 'postmaster.pid'];
  const cases = files.flatMap((file) => plants.map(([kind, plant]) => [kind, file, plant] as const));

  it.each(cases)(
    'a start as root does not read %s that the account of the server has put in the place of %s',
    async (_, name, plant) => {
      const dataDir = cloneOf(template);
      const file = path.join(dataDir, 'pg18', name);
      rmSync(file, { force: true });
      plant(secretOfRoot(dataDir, 'a secret of root'), file);
      const error = await failure(dataDir);
      expect(error.message).toMatch(`${name} is not a plain file of the account`);
      expect(error.message).not.toMatch('a secret of root');
    },
  );

  it('a start as root does not write through a link that the account of the server has put in the place of postmaster.pid', async () => {
    const dataDir = cloneOf(template);
    const stranger = spawn('sleep', ['60'], accountFor());
    const content = `${stranger.pid}\nsecond line\n`;
    for (const plant of [symlinkSync, linkSync]) {
      const target = secretOfRoot(dataDir, content);
      const file = path.join(dataDir, 'pg18/postmaster.pid');
      rmSync(file, { force: true });
      plant(target, file);
      expect((await failure(dataDir)).message).toMatch('postmaster.pid is not a plain file');
      expect(readFileSync(target, 'utf8')).toBe(content);
    }
    await end(stranger);
  });

  it('a start as root does not print a file to which the account of the server has linked server.log', async () => {
    const dataDir = cloneOf(template);
    const pg18 = path.join(dataDir, 'pg18');
    writeFileSync(path.join(pg18, 'postgresql.conf'), 'no_such_setting = on\n');
    rmSync(path.join(pg18, 'server.log'));
    symlinkSync(secretOfRoot(dataDir, 'a secret of root'), path.join(pg18, 'server.log'));
    expect((await failure(dataDir)).message).toMatch('server.log is not a plain file');
  });

  it('a start as root creates the cluster in a directory that the account of the server cannot write to', async () => {
    const dataDir = temporaryDirectory();
    const child = startProcess(['join', dataDir]);
    const joined = nextWord(child);
    const aside = () => readdirSync(dataDir).find((name) => name.startsWith('pg18.new-')) ?? 'none';
    const cluster = () => path.join(dataDir, aside(), 'cluster');
    await until(() => lstatSync(cluster(), { throwIfNoEntry: false })?.uid === accountFor().uid);
    expect(statSync(path.join(dataDir, aside()))).toMatchObject({ uid: 0, mode: 0o40711 });
    expect((await joined).url).toBeDefined();
    expect(statSync(path.join(dataDir, 'pg18/tour-platform.password'))).toMatchObject({
      uid: accountFor().uid,
      mode: 0o100600,
    });
    await leave(child);
  });

  it('a start warns if other programs of the account "nobody" could open the database', async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(path.join(dataDir, 'pg18'));
    const nobody = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
    chownSync(path.join(dataDir, 'pg18'), nobody, nobody);
    const notices: string[] = [];
    const database = await joinEmbeddedPostgres(dataDir, { onNotice: (line) => notices.push(line) });
    await database.leave();
    expect(notices).toEqual([expect.stringMatching(/created a new database in .*, open to .* "nobody"/)]);
    expect(serverPid(dataDir)).toBeUndefined();
  });
});

/** Answers every connection with these bytes, and records the received bytes. */
async function impostor(answer: Buffer): Promise<{ url: string; heard(): Buffer[] }> {
  const calls: Buffer[][] = [];
  const server = createServer((socket) => {
    const call: Buffer[] = [];
    calls.push(call);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      call.push(data);
      if (call.length === 1) socket.write(answer);
    });
  });
  impostors.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `postgres://tour_platform:secret@127.0.0.1:${port}/tour_platform?require_auth=scram-sha-256`;
  return { url, heard: () => calls.map((call) => Buffer.concat(call)) };
}

/** Writes a file that only root can read. A hard link needs the file to be on the file system of the cluster. */
function secretOfRoot(dataDir: string, content: string): string {
  const file = path.join(dataDir, `secret-${readdirSync(dataDir).length}`);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}
