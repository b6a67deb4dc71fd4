import { setTimeout as sleep } from 'node:timers/promises';
import { untilTransactionWaits } from '../support/lock-wait';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { runOnce } from './run-once';
import { useTestTerminal } from './terminal';

const terminal = useTestTerminal();
let proxy: TcpProxy;
let silent: TcpProxy;
let silentFromTheStart: ReturnType<typeof runOnce>;
let through: string;
beforeAll(async () => {
  await terminal.tourctl('tenant create --slug acme --name Acme');
  const port = Number(new URL(terminal.url).port);
  [proxy, silent] = await Promise.all([startTcpProxy(port), startTcpProxy(port)]);
  through = withPort(proxy.port);
  silent.hang();
  // Starts this command now, because it takes eleven seconds. It runs while other tests run.
  silentFromTheStart = at(withPort(silent.port));
});
afterEach(() => proxy.resume());
afterAll(() => Promise.all([proxy.stop(), silent.stop()]));

function withPort(port: number): string {
  const url = new URL(terminal.url);
  url.port = String(port);
  return url.href;
}
const at = (url: string, line = 'tenant list') =>
  runOnce(line, { env: { ...terminal.env, DATABASE_URL: url } });

describe('an unreachable database', () => {
  it.each([
    [
      'connection refused',
      () => 'postgres://app@127.0.0.1:1/tours',
      /^error: The database: connect ECONNREFUSED .+\n$/,
    ],
    ['unknown host', () => 'postgres://app@nowhere.invalid/tours', /^error: The database: getaddrinfo .+\n$/],
    [
      'unknown user',
      () => terminal.url.replace('//', '//nobody:wrong@').replace(/@[^@]*@/, '@'),
      /^error: The database: .+\n$/,
    ],
  ])('a command ends at once with one line and exit 1: %s', async (_, url, message) => {
    const { code, stdout, stderr, seconds } = await at(url());
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(seconds).toBeLessThan(3);
  });

  it('the error message does not contain the wrong password', async () => {
    await terminal.db.raw(`create role guarded login password 'right-password'`);
    const url = new URL(terminal.url);
    [url.username, url.password] = ['guarded', 'wrong-password'];
    try {
      const { code, stdout, stderr } = await at(url.href);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: The database: .+\n$/);
      expect(stderr).not.toContain('wrong-password');
    } finally {
      await terminal.db.raw('drop role guarded');
    }
  });

  it('the error message is a JSON document with --json', async () => {
    const { stderr } = await at('postgres://app@127.0.0.1:1/tours', 'tenant list --json');
    const message = expect.stringContaining('ECONNREFUSED');
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'database_unreachable', message } });
  });
});

describe('a database that answers the second try', () => {
  it('a command succeeds if the server refuses the first connection only', async () => {
    proxy.refuseOne();
    expect(await at(through)).toMatchObject({ code: 0, stderr: '' });
  });

  it('a command succeeds if the server is silent for the first try only', async () => {
    proxy.hang();
    const command = at(through);
    await sleep(5500);
    proxy.resume();
    expect(await command).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a database that stops answering', () => {
  it('a command ends when the database is lost during a statement, but not when a statement takes long', async () => {
    // The list waits while the table is locked.
    const locked = await terminal.db.transaction();
    await locked.raw('lock table tenants in access exclusive mode');
    const patient = at(terminal.url);
    const lost = at(through);
    await sleep(1500);
    proxy.hang();
    const { code, stdout, stderr } = await lost;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: The database does not answer within five seconds: tourctl audit list shows whether the change was made\n',
    );
    await locked.rollback();
    expect(await patient).toMatchObject({ code: 0, stderr: '' });
  });

  it('a closed connection ends the command with one line and exit 1, and writes nothing', async () => {
    const locked = await terminal.db.transaction();
    await locked('tenants').where({ slug: 'acme' }).forUpdate().select('id');
    const cut = at(through, 'tenant set acme --max-holds 5');
    await untilTransactionWaits(terminal.db);
    proxy.refuse();
    const { code, stdout, stderr } = await cut;
    await locked.rollback();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: The database: .+\n$/);
    expect(await terminal.db('audit_log').where({ action: 'tenant.set' })).toEqual([]);
  });

  it('a database that never answers ends the command after a second try', async () => {
    const { code, stdout, stderr } = await silentFromTheStart;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: The database does not answer within five seconds: check that its server runs, and DATABASE_URL\n',
    );
  });
});
