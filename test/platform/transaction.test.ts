import {
  type Db,
  type DatabaseOptions,
  inTransaction,
  openDatabase,
  runPrepared,
  type Trx,
} from '../../services/platform/database/database';
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

const write = (trx: Db, n = 1) => runPrepared(trx, 'insert into written values (:n::integer)', { n });
const written = () => database.db('written').orderBy('n').pluck('n');
const processOf = async (on: Db) => (await on.raw('select pg_backend_pid() as pid')).rows[0].pid as number;
const endProcess = (pid: number) => database.db.raw('select pg_terminate_backend(?, 5000)', [pid]);
const sleepFor = (trx: Trx, seconds: number) =>
  runPrepared(trx, 'select pg_sleep(:seconds::float8)', { seconds });

const SETTINGS = `
  select current_setting('transaction_isolation') as isolation, current_setting('lock_timeout') as wait,
    current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scan,
    current_setting('idle_in_transaction_session_timeout') as pause`;

describe('a transaction', () => {
  it.each([true, false])(
    'the settings of a transaction apply to its statements, and to no later transaction (canPrepare: %s)',
    async (canPrepare) => {
      await db.destroy();
      db = open({ canPrepare });
      for (let n = 0; n < 3; n++) {
        const settings = { settings: 'set local enable_seqscan = off', lockBy: performance.now() + 900 };
        const { rows } = await inTransaction(db, (trx) => runPrepared(trx, SETTINGS, {}), settings);
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

  it('a transaction sends BEGIN and its settings as one query, and reports its queries to the listeners of the pool', async () => {
    const sent: string[] = [];
    db.on('query', ({ sql }: { sql: string }) => sent.push(sql.replace(/\s+/g, ' ')));
    await inTransaction(db, (trx) => trx('written').insert({ n: 1 }), {
      settings: 'set local enable_seqscan = off',
    });
    expect(sent).toEqual([
      expect.stringMatching(/^begin .*; set local lock_timeout = 2000; set local enable_seqscan = off$/),
      'insert into "written" ("n") values ($1)',
      'COMMIT',
    ]);
  });

  it('a transaction commits and rolls back the statements of runPrepared and of Knex', async () => {
    await inTransaction(db, async (trx) => {
      await trx('written').insert({ n: 1 });
      await write(trx, 2);
    });
    const failing = inTransaction(db, async (trx) => {
      await write(trx, 3);
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await written()).toEqual([1, 2]);
  });

  it('a transaction without a statement leaves no transaction open on the server', async () => {
    const before = await processOf(db);
    await inTransaction(db, () => Promise.resolve());
    await expect(inTransaction(db, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await write(db);
    expect(await written()).toEqual([1]);
    expect(await processOf(db)).toBe(before);
  });

  it('statement_timeout limits the statements of a transaction', async () => {
    const settings = "set local statement_timeout = '100ms'";
    await expect(inTransaction(db, (trx) => sleepFor(trx, 2), { settings })).rejects.toMatchObject({
      code: '57014',
    });
  });

  it('a transaction waits for a lock only for the time that its caller has left', async () => {
    const holder = await database.db.transaction();
    try {
      await holder.raw('lock table written');
      const locked = inTransaction(db, (trx) => write(trx), { lockBy: performance.now() });
      await expect(locked).rejects.toMatchObject({ code: '55P03' });
    } finally {
      await holder.rollback();
    }
  });

  it('a connection stays open after the error of a statement, and can prepare this statement later', async () => {
    const before = await processOf(db);
    const read = () => inTransaction(db, (trx) => runPrepared(trx, 'select n from late', {}));
    await expect(read()).rejects.toMatchObject({ code: '42P01' });
    await database.db.raw('create table late (n integer)');
    expect((await read()).rows).toEqual([]);
    expect(await processOf(db)).toBe(before);
  });
});

describe('the work of a transaction', () => {
  it.each([
    ['of Knex', (trx: Trx) => trx.transaction((inner) => write(inner))],
    ['of a raw statement', (trx: Trx) => trx.raw('begin')],
  ])(
    'the work cannot begin another transaction %s, because its COMMIT would end this one',
    async (_, work) => {
      const failing = inTransaction(db, async (trx) => {
        await write(trx);
        await work(trx);
      });
      await expect(failing).rejects.toThrow('send a savepoint');
      expect(await written()).toEqual([]);
    },
  );

  it.each(['commit', 'rollback', 'end', 'abort'])(
    'the work cannot end the transaction by %s',
    async (text) => {
      const failing = inTransaction(db, async (trx) => {
        await write(trx);
        await trx.raw(text);
      });
      await expect(failing).rejects.toThrow('send a savepoint');
      expect(await written()).toEqual([]);
    },
  );

  it('the work can roll back to a savepoint', async () => {
    await inTransaction(db, async (trx) => {
      await trx.raw('savepoint one');
      await write(trx, 1);
      await trx.raw('rollback to savepoint one');
      await write(trx, 2);
    });
    expect(await written()).toEqual([2]);
  });

  it('a statement that the work does not await never runs after the transaction', async () => {
    const writeLate = (trx: Trx, n: number) => {
      trx('written').insert({ n }).catch(refuse);
      write(trx, n).catch(refuse);
    };
    const refuse = jest.fn();
    await inTransaction(db, (trx) => Promise.resolve(writeLate(trx, 1)));
    const failing = inTransaction(db, (trx) => {
      writeLate(trx, 2);
      return Promise.reject(new Error('refused'));
    });
    await expect(failing).rejects.toThrow('refused');
    await write(db, 3);
    expect(await written()).toEqual([3]);
    expect(refuse).toHaveBeenCalledTimes(4);
  });

  it('a statement of Knex is refused after the transaction has ended', async () => {
    let ended: Trx;
    await inTransaction(db, async (trx) => void (ended = trx));
    await expect(ended!('written').insert({ n: 1 })).rejects.toThrow('the transaction has ended');
    expect(await written()).toEqual([]);
  });
});

describe('a transaction that fails', () => {
  it.each([
    ['a setting that does not exist', 'set local nothing = 1', '42704'],
    ['a value that is not valid', "set local lock_timeout = 'x'", '22023'],
    ['a text that is no statement', 'sett', '42601'],
    ['a statement that fails', 'select 1 / 0', '22012'],
  ])(
    'the work does not begin after %s in the settings, and the next transaction works',
    async (_, settings, code) => {
      const work = jest.fn(() => Promise.resolve());
      await expect(inTransaction(db, work, { settings })).rejects.toMatchObject({ code });
      expect(work).not.toHaveBeenCalled();
      await write(db, 1);
      await inTransaction(db, (trx) => write(trx, 2));
      expect(await written()).toEqual([1, 2]);
    },
  );

  it('a statement with a value that cannot be sent fails with the reason, and the transaction is rolled back', async () => {
    const unreadable = {
      toPostgres() {
        throw new Error('unreadable');
      },
    };
    const failing = inTransaction(db, async (trx) => {
      await write(trx);
      await runPrepared(trx, 'insert into written values (:n)', { n: unreadable });
    });
    await expect(failing).rejects.toThrow('unreadable');
    await inTransaction(db, (trx) => write(trx, 2));
    expect(await written()).toEqual([2]);
  });

  it('a transaction whose BEGIN gets no answer in time fails, and the connection is closed', async () => {
    const { proxy, db: hanging } = await openThroughProxy({ answerTimeoutMs: 300 });
    try {
      await hanging.raw('select 1');
      proxy.hang();
      await expect(inTransaction(hanging, (trx) => write(trx))).rejects.toThrow(/timeout/);
      proxy.resume();
      await inTransaction(hanging, (trx) => write(trx, 2));
    } finally {
      await hanging.destroy();
      await proxy.stop();
    }
    expect(await written()).toEqual([2]);
  });

  it('a transaction fails when the server ends its connection, and the next transaction gets another connection', async () => {
    let pid = 0;
    const ended = inTransaction(db, async (trx) => {
      pid = await processOf(trx);
      await Promise.all([sleepFor(trx, 5), endProcess(pid)]);
    });
    await expect(ended).rejects.toThrow(/terminat/);
    await inTransaction(db, (trx) => write(trx, 2));
    expect(await processOf(db)).not.toBe(pid);
    expect(await written()).toEqual([2]);
  });

  it('a refusal of the work stays the reason when ROLLBACK finds no server, and the connection leaves the pool', async () => {
    const refused = inTransaction(db, async (trx) => {
      await endProcess(await processOf(trx));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    await inTransaction(db, (trx) => write(trx, 2));
    expect(await written()).toEqual([2]);
  });
});
