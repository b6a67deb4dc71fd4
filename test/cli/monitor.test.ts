import { hostname } from 'node:os';
import { useTestTerminal, withEnv } from './terminal';

const terminal = useTestTerminal({ WEBHOOK_QUEUE_PORT: '3999' });

const LINK = /^http:\/\/127\.0\.0\.1:3999\/sign-in\/[\w-]{43}$/;

describe('tourctl monitor', () => {
  it('prints a link, and nothing else on stdout', async () => {
    const { code, stdout, stderr } = await terminal.tourctl('monitor');
    expect([code, stdout.trim()]).toEqual([0, expect.stringMatching(LINK)]);
    expect(stderr).toMatch(/^Valid once, until \d{4}-\d\d-\d\dT/);
    expect(stderr).not.toContain('/sign-in/');
  });

  it('answers --json with the link and when it ends', async () => {
    const { code, json, stderr } = await terminal.tourctl('monitor --json');
    expect([code, stderr]).toEqual([0, '']);
    expect(json).toEqual({ url: expect.stringMatching(LINK), expires_at: expect.any(String) });
    const { rows } = await terminal.db.raw('select clock_timestamp() as now');
    const left = Date.parse(json.expires_at) - rows[0].now.getTime();
    expect(left).toBeGreaterThan(290_000);
    expect(left).toBeLessThanOrEqual(300_000);
  });

  it('creates a session for the operator, and leaves one audit row without the link', async () => {
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

  it('creates a new link each time, and keeps the links that are still valid', async () => {
    await terminal.db('webhook_monitor_sessions').delete();
    const links = [(await terminal.tourctl('monitor')).stdout, (await terminal.tourctl('monitor')).stdout];
    expect(new Set(links).size).toBe(2);
    expect(await terminal.db('webhook_monitor_sessions')).toHaveLength(2);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:3999/'],
    ['::1', 'http://[::1]:3999/'],
    ['queue.internal', 'http://queue.internal:3999/'],
  ])('names the address that HOST %s is reached at', async (HOST, url) => {
    const { stdout } = await withEnv(terminal, { HOST }, () => terminal.tourctl('monitor'));
    expect(stdout).toContain(url);
  });

  it('is a command without a noun', async () => {
    expect((await terminal.tourctl('--help')).stdout).toMatch(/^ +monitor .*link/m);
    const { code, stderr } = await terminal.tourctl('monitor now');
    expect([code, stderr]).toEqual([2, expect.stringContaining('too many arguments')]);
  });
});
