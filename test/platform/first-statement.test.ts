import type { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  type Db,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  runPrepared,
  type TransactionOptions,
  type Trx,
} from '../../services/platform/database/database';
import { sendWithNext } from '../../services/platform/database/begin-with-settings';
import { useTestDatabase } from '../support/database';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';

const database = useTestDatabase();

let db: Db;
beforeAll(() => database.db.raw('create table written (n integer)'));
beforeEach(() => (db = open()));
afterEach(async () => {
  await db.destroy();
  await database.db('written').delete();
});

function open(more: Partial<DatabaseOptions> = {}, url = database.url): Db {
  return openDatabase(url, { applicationName: 'test', poolMax: 1, canPrepare: true, ...more });
}

async function openThroughProxy(more: Partial<DatabaseOptions> = {}): Promise<{ proxy: TcpProxy; db: Db }> {
  const proxy = await startTcpProxy(Number(new URL(database.url).port));
  const through = new URL(database.url);
  through.host = `127.0.0.1:${proxy.port}`;
  return { proxy, db: open(more, through.href) };
}

const transact = <T>(work: (trx: Trx) => Promise<T>, more: TransactionOptions = {}, on = db) =>
  inTransaction(on, work, { beginsWithFirst: true, ...more });
const write = (trx: Db, n = 1) => runPrepared(trx, 'insert into written values (:n::integer)', { n });
const written = () => database.db('written').orderBy('n').pluck('n');
const processOf = async (on: Db) => (await on.raw('select pg_backend_pid() as pid')).rows[0].pid as number;
const sleepFor = (trx: Trx, seconds: number) =>
  runPrepared(trx, 'select pg_sleep(:seconds::float8)', { seconds });

const SETTINGS = `
  select current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as wait,
    current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scan,
    current_setting('idle_in_transaction_session_timeout') as pause`;

describe('a transaction whose BEGIN travels with its first statement', () => {
  it.each([true, false])(
    'the settings of a transaction apply to its first statement, and to no later transaction (canPrepare: %s)',
    async (canPrepare) => {
      await db.destroy();
      db = open({ canPrepare });
      const settings = { settings: 'set local enable_seqscan = off;', lockBy: performance.now() + 900 };
      for (let n = 0; n < 3; n++) {
        const { rows } = await transact((trx) => runPrepared(trx, SETTINGS, {}), settings);
        expect(rows).toEqual([
          {
            isolation: 'read committed',
            wait: expect.stringMatching(/^[1-9]\d\dms$/),
            statement: '10s',
            scan: 'off',
            pause: '15s',
          },
        ]);
      }
      expect((await db.raw(SETTINGS)).rows[0]).toMatchObject({ wait: '0', scan: 'on', pause: '0' });
    },
  );

  it('a transaction that sends BEGIN with its first statement takes two round trips, including COMMIT', async () => {
    const { proxy, db: far } = await openThroughProxy();
    try {
      await processOf(far);
      proxy.delay(300);
      const begun = performance.now();
      await transact((trx) => write(trx), {}, far);
      expect(performance.now() - begun).toBeLessThan(850);
    } finally {
      await far.destroy();
      await proxy.stop();
    }
    expect(await written()).toEqual([1]);
  });

  it('statement_timeout limits a first statement that is sent with BEGIN', async () => {
    const settings = "set local statement_timeout = '100ms'";
    await expect(transact((trx) => sleepFor(trx, 2), { settings })).rejects.toMatchObject({ code: '57014' });
  });

  it('a first statement that is sent with BEGIN waits for a lock only for a limited time', async () => {
    const holder = await database.db.transaction();
    try {
      await holder.raw('lock table written');
      const locked = transact((trx) => write(trx), { lockBy: performance.now() });
      await expect(locked).rejects.toMatchObject({ code: '55P03' });
    } finally {
      await holder.rollback();
    }
  });

  it('a transaction that sends BEGIN with its first statement commits and rolls back the statements of runPrepared and of Knex', async () => {
    await transact(async (trx) => {
      await trx('written').insert({ n: 1 });
      await write(trx, 2);
    });
    const failing = transact(async (trx) => {
      await write(trx, 3);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await written()).toEqual([1, 2]);
  });

  it('the first statement of a transaction may be a savepoint', async () => {
    await transact(async (trx) => {
      await expect(trx.transaction((inner) => write(inner, 1).then(() => inner.raw('x')))).rejects.toThrow();
      await write(trx, 2);
    });
    expect(await written()).toEqual([2]);
  });

  it('a transaction without a statement leaves no transaction open on the server', async () => {
    const before = await processOf(db);
    await transact(() => Promise.resolve());
    await expect(transact(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await write(db);
    expect(await written()).toEqual([1]);
    expect(await processOf(db)).toBe(before);
  });

  it('a transaction that sends BEGIN with its first statement refuses to begin with a stream, which would run before BEGIN', async () => {
    const copying = transact(async (trx) => {
      const connection = (await (trx.client as Knex.Client).acquireConnection()) as pg.Client;
      connection.query(copyFrom('copy written from stdin')).end('1\n');
    });
    await expect(copying).rejects.toThrow('no stream');
    expect(await written()).toEqual([]);
  });

  it('a transaction that sends BEGIN with its first statement refuses to begin with several statements in one text', async () => {
    // PostgreSQL cannot prepare a text with two statements. The first text of a transaction is always prepared, even without values.
    const failing = transact((trx) => trx.raw('insert into written values (1); select 1'));
    await expect(failing).rejects.toMatchObject({ code: '42601' });
    expect(await written()).toEqual([]);
  });

  it('the whole work is repeated after a deadlock of a first statement that is sent with BEGIN', async () => {
    let runs = 0;
    await transact(async (trx) => {
      await trx.raw(
        runs++ < 2 ? `do $$ begin raise exception 'x' using errcode = '40P01'; end $$` : 'select 1',
      );
      await write(trx, runs);
    });
    expect(await written()).toEqual([3]);
  });

  it('a connection stays open after an error of a first statement that is sent with BEGIN, and can prepare this statement later', async () => {
    const before = await processOf(db);
    const read = () => transact((trx) => runPrepared(trx, 'select n from late', {}));
    await expect(read()).rejects.toMatchObject({ code: '42P01' });
    await expect(read()).rejects.toMatchObject({ code: '42P01' });
    await database.db.raw('create table late (n integer)');
    expect((await read()).rows).toEqual([]);
    expect(await processOf(db)).toBe(before);
  });
});

describe('a transaction whose BEGIN travels with its first statement, and fails', () => {
  // Jest fails a test if a rejection is still unhandled when the test ends.
  afterEach(() => new Promise(setImmediate));

  it.each([
    ['a setting that does not exist', 'set local nothing = 1', '42704'],
    ['a value that is not valid', "set local lock_timeout = 'x'", '22023'],
    ['a text that is no statement', 'sett', '42601'],
  ])(
    'a first statement that is sent with BEGIN does not run after %s, and the connection is closed',
    async (_, settings, code) => {
      const before = await processOf(db);
      const first = jest.fn();
      const failing = transact(async (trx) => void (await write(trx).catch(first)), { settings });
      await expect(failing).rejects.toMatchObject({ code });
      expect(first).toHaveBeenCalledWith(expect.objectContaining({ code }));
      expect(await written()).toEqual([]);
      expect(await processOf(db)).not.toBe(before);
      await transact((trx) => write(trx, 2));
      expect(await written()).toEqual([2]);
    },
  );

  it('a first statement with a value that cannot be sent fails with the reason, and the connection is closed', async () => {
    const before = await processOf(db);
    const unreadable = {
      toPostgres() {
        throw new Error('unreadable');
      },
    };
    const failing = transact((trx) => runPrepared(trx, 'insert into written values (:n)', { n: unreadable }));
    await expect(failing).rejects.toThrow('unreadable');
    expect(await written()).toEqual([]);
    expect(await processOf(db)).not.toBe(before);
  });

  it.each(['begin isolation level nothing', 'select 1 / 0; begin'])(
    'a transaction runs no later statement when the text that begins it fails: %s',
    async (text) => {
      // If the statements ran without a transaction block, each would commit by itself.
      const client = db.client as Knex.Client;
      const connection = (await client.acquireConnection()) as EventEmitter;
      sendWithNext(connection, [{ text }]);
      const send = (n: number) =>
        client.query(connection, `insert into written values (${n})`) as Promise<unknown>;
      const outcomes = await Promise.allSettled([send(1), send(2), send(3)]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await expect(send(4)).rejects.toMatchObject({ code: '42601' });
      await client.releaseConnection(connection);
      await write(db, 5);
      expect(await written()).toEqual([5]);
    },
  );

  it('a transaction whose BEGIN gets no answer in time fails, and the connection is closed', async () => {
    const { proxy, db: hanging } = await openThroughProxy({ answerTimeoutMs: 300 });
    try {
      await hanging.raw('select 1');
      proxy.hang();
      await expect(transact((trx) => write(trx), {}, hanging)).rejects.toThrow(/timeout/);
      proxy.resume();
      await transact((trx) => write(trx, 2), {}, hanging);
    } finally {
      await hanging.destroy();
      await proxy.stop();
    }
    expect(await written()).toEqual([2]);
  });

  it('a transaction fails when the server ends its connection, and the next transaction gets another connection', async () => {
    const before = await processOf(db);
    await database.db.raw('select pg_terminate_backend(?, 5000)', [before]);
    await transact((trx) => write(trx)).catch(() => undefined);
    const sleeping = transact((trx) => sleepFor(trx, 5));
    const isSleeping = () =>
      database
        .db('pg_stat_activity')
        .where('query', 'like', '%pg_sleep($1%')
        .where({ wait_event: 'PgSleep' });
    let pids: number[] = [];
    while (pids.length === 0) pids = await isSleeping().pluck('pid');
    await database.db.raw('select pg_terminate_backend(?)', pids);
    await expect(sleeping).rejects.toThrow(/terminat/);
    expect(await processOf(db)).not.toBe(pids[0]);
  });
});
