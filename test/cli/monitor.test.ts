import { hostname } from 'node:os';
import { createServer } from 'node:net';
import { freePorts } from '../support/free-ports';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal();
const server = createServer((socket) => socket.destroy());
let port: number;
let LINK: RegExp;

/** Opens the port of the monitoring page, as a running webhook queue does. */
beforeAll(async () => {
  [, port] = await freePorts();
  terminal.env.WEBHOOK_QUEUE_PORT = String(port);
  LINK = new RegExp(`^http://127\\.0\\.0\\.1:${port}/sign-in/[\\w-]{43}$`);
  await new Promise<void>((resolve) => server.listen(port, resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('tourctl monitor', () => {
  it('tourctl monitor prints only a link on stdout', async () => {
    const { code, stdout, stderr } = await terminal.tourctl('monitor');
    expect([code, stdout.trim()]).toEqual([0, expect.stringMatching(LINK)]);
    expect(stderr).toMatch(/^Valid once, until \d{4}-\d\d-\d\dT/);
    expect(stderr).not.toContain('/sign-in/');
  });

  it('tourctl monitor prints the link and its expiry with --json', async () => {
    const { code, json, stderr } = await terminal.tourctl('monitor --json');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({ url: expect.stringMatching(LINK), expires_at: expect.any(String) });
    const { rows } = await terminal.db.raw('select clock_timestamp() as now');
    const left = Date.parse(json.expires_at) - rows[0].now.getTime();
    expect(left).toBeGreaterThan(290_000);
    expect(left).toBeLessThanOrEqual(300_000);
  });

  it('tourctl monitor creates a session for the operator, and leaves one audit row without the link', async () => {
    await terminal.db('audit_log').delete();
    await terminal.db('webhook_monitor_sessions').delete();
    const json = await terminal.json('monitor');
    const [session] = await terminal.db('webhook_monitor_sessions');
    expect(session).toMatchObject({ operator: 'olga', host: hostname(), sessionDigest: null });
    const rows = await terminal.db('audit_log');
    expect(rows).toEqual([
      expect.objectContaining({
        action: 'monitor.link',
        actor: 'olga',
        host: hostname(),
        subject: session.id,
      }),
    ]);
    const token = json.url.split('/').at(-1);
    expect(JSON.stringify([session, rows])).not.toContain(token);
  });

  it('tourctl monitor creates a new link each time, and keeps the links that are still valid', async () => {
    await terminal.db('webhook_monitor_sessions').delete();
    const links = [(await terminal.tourctl('monitor')).stdout, (await terminal.tourctl('monitor')).stdout];
    expect(new Set(links).size).toBe(2);
    expect(await terminal.db('webhook_monitor_sessions')).toHaveLength(2);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1'],
    ['::1', 'http://[::1]'],
    ['queue.internal', 'http://queue.internal'],
  ])('tourctl monitor prints a link with an address that reaches HOST %s', async (HOST, url) => {
    await terminal.db('webhook_workers').insert({ id: 'w', slots: 64, in_flight: 0 });
    const { stdout } = await withEnv(terminal, { HOST }, () => terminal.tourctl('monitor'));
    await terminal.db('webhook_workers').delete();
    expect(stdout).toContain(`${url}:${port}/`);
  });

  it('tourctl monitor prints no link to a closed port while no webhook queue runs', async () => {
    await terminal.db('audit_log').delete();
    await withEnv(terminal, { WEBHOOK_QUEUE_PORT: '1' }, async () => {
      const { code, stdout, stderr } = await terminal.tourctl('monitor');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(
        'No webhook queue runs, and nothing answers at http://127.0.0.1:1: start the webhook queue (docs/',
      );
      expect(await terminal.refusal('monitor')).toBe('1 queue_not_running');
    });
    expect(await terminal.db('audit_log')).toEqual([]);
  });

  it('tourctl monitor prints a link to a queue on another host, and says that the address does not answer from here', async () => {
    await terminal.db('webhook_workers').insert({ id: 'elsewhere', slots: 64, in_flight: 0 });
    const { code, stdout, stderr } = await withEnv(terminal, { WEBHOOK_QUEUE_PORT: '1' }, () =>
      terminal.tourctl('monitor'),
    );
    await terminal.db('webhook_workers').delete();
    expect([code, stdout]).toEqual([0, expect.stringContaining('http://127.0.0.1:1/sign-in/')]);
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:1 from here.');
  });

  it('tourctl monitor runs as a command without a noun', async () => {
    expect((await terminal.tourctl('--help')).stdout).toMatch(/^ +monitor .*link/m);
    const { code, stderr } = await terminal.tourctl('monitor now');
    expect([code, stderr]).toEqual([2, expect.stringContaining('too many arguments')]);
  });
});
