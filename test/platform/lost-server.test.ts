import { type Db, openDatabase } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { startTcpProxy } from '../support/tcp-proxy';

const database = useTestDatabase();

const open = (url: string, more = {}) => openDatabase(url, { applicationName: 'test', poolMax: 1, ...more });
const processOf = async (db: Db) => (await db.raw('select pg_backend_pid() as pid')).rows[0].pid as number;

it('a statement on a silent connection times out, and the next statement gets a new connection', async () => {
  const proxy = await startTcpProxy(Number(new URL(database.url).port));
  const through = new URL(database.url);
  through.host = `127.0.0.1:${proxy.port}`;
  const db = open(through.href, { answerTimeoutMs: 300 });
  try {
    await db.raw('select 1');
    proxy.hang();
    await expect(db.raw('select 2')).rejects.toThrow(/timeout/);
    proxy.resume();
    expect((await db.raw('select 3 as n')).rows).toEqual([{ n: 3 }]);
  } finally {
    await db.destroy();
    await proxy.stop();
  }
});

describe('a database connection whose server has become read-only', () => {
  const write = (db: Db) => db.raw('create table written (n integer)');
  let db: Db;
  beforeEach(() => (db = open(database.url)));
  afterEach(() => db.destroy());

  it('the pool replaces a connection after a write that its read-only server refused', async () => {
    const before = await processOf(db);
    await db.raw('set session characteristics as transaction read only');
    await expect(write(db)).rejects.toMatchObject({ code: '25006' });
    expect(await processOf(db)).not.toBe(before);
    await write(db);
  });

  it('the pool replaces a connection whose transaction failed on a read-only server', async () => {
    const before = await processOf(db);
    await db.raw('set session characteristics as transaction read only');
    await expect(db.transaction(write)).rejects.toMatchObject({ code: '25006' });
    expect(await processOf(db)).not.toBe(before);
  });
});

it('a silent first host of the URL delays only the first connection', async () => {
  const proxy = await startTcpProxy(Number(new URL(database.url).port));
  proxy.hang();
  const url = database.url.replace(/127\.0\.0\.1:/, `127.0.0.1:${proxy.port},127.0.0.1:`);
  const db = open(url, { poolMax: 2, connectTimeoutMs: 4000 });
  const timeOf = async (statement: PromiseLike<unknown>) => {
    const begun = performance.now();
    await statement;
    return performance.now() - begun;
  };
  try {
    const begun = performance.now();
    await db.transaction(async (trx) => {
      await trx.raw('select 1');
      expect(performance.now() - begun).toBeGreaterThan(2000);
      // The transaction still uses the first connection.
      expect(await timeOf(db.raw('select 2'))).toBeLessThan(1500);
    });
  } finally {
    await db.destroy();
    await proxy.stop();
  }
});
