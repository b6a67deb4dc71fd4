import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { freePorts } from '../support/free-ports';
import { startReceiver } from '../webhook-queue/receiver';
import { TOURCTL, useTestTerminal } from './terminal';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BODY = JSON.stringify({ event_type: 'booking.created', booking_ref: 'ACME-1' });

const terminal = useTestTerminal();

let listener: Listener | undefined;
afterEach(() => listener?.child.kill('SIGKILL'));

interface Listener {
  child: ChildProcess;
  url: string;
  ended: Promise<number | null>;
  stdout: string;
  stderr: string;
}

/**
 * Starts the real process, so that the test can send Ctrl-C. Polls the process until it answers, because with --json it prints no
 * start message.
 */
async function listen(...flags: string[]): Promise<Listener> {
  const [port] = await freePorts();
  const child = spawn(TOURCTL, ['webhook', 'listen', '--port', String(port), ...flags], {
    // Uses an unreachable DATABASE_URL, because the command needs no database.
    env: { ...process.env, ...terminal.env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  listener = { child, url: `http://127.0.0.1:${port}/hook?a=1`, ended, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (listener!.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (listener!.stderr += chunk.toString()));
  // Leaves the input open, like a terminal.
  child.stdin.write(`${SECRET}\n`);
  return listener;
}

function occupy(): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** @returns the status, once the port is open */
async function send(url: string, request: RequestInit): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      return (await fetch(url, request)).status;
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Sends a request that another library has signed. */
function signed({ body = BODY, secret = SECRET, ageSeconds = 0 } = {}): RequestInit {
  const sentAt = new Date(Date.now() - ageSeconds * 1000);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': `v1,bm90IG91cnM= ${new Webhook(secret).sign('msg_1', sentAt, body)}`,
  };
  return { method: 'POST', headers, body };
}

const linesOf = ({ stdout }: Listener) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('tourctl webhook listen', () => {
  it('tourctl webhook listen prints a line with the result for each request, and ends with 0 at Ctrl-C', async () => {
    const listening = await listen('--json');
    const altered = { ...signed(), body: BODY.replace('ACME-1', 'ACME-2') };
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const answers = [];
    for (const request of [
      signed(),
      altered,
      signed({ secret: other }),
      signed({ ageSeconds: 400 }),
      { method: 'POST', body: '{}' },
      { method: 'GET' },
      { method: 'POST', body: 'x'.repeat(1_048_577) },
    ])
      answers.push(await send(listening.url, request));
    listening.child.kill('SIGINT');
    expect(await listening.ended).toBe(0);
    expect(answers).toEqual([204, 401, 401, 401, 401, 401, 413]);

    const lines = linesOf(listening);
    expect(lines[0]).toEqual({
      received_at: expect.any(String),
      method: 'POST',
      path: '/hook?a=1',
      webhook_id: 'msg_1',
      webhook_timestamp: expect.stringMatching(/^\d{10}$/),
      verified: true,
      reason: null,
      answered: 204,
      body: BODY,
    });
    expect(lines.slice(1).map(({ verified, reason }) => [verified, reason])).toEqual([
      [false, expect.stringContaining('No signature fits')],
      [false, expect.stringContaining('No signature fits')],
      [false, expect.stringMatching(/webhook-timestamp is 40\d s from this clock/)],
      [false, 'The header webhook-id is missing.'],
      [false, 'A webhook is a POST.'],
    ]);
    expect(listening.stdout + listening.stderr).not.toContain(SECRET);
  });

  it('tourctl webhook listen forwards verified requests with their headers, and answers as the receiver does', async () => {
    const receiver = await startReceiver();
    const { url } = receiver;
    receiver.react((response, n) => response.writeHead(n === 1 ? 200 : 503).end(`{"seen":${n}}`));
    const listening = await listen('--json', '--forward-to', url);
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const answers = [];
    for (const request of [signed(), signed({ secret: other }), signed()])
      answers.push(await send(listening.url, request));
    await receiver.close();
    answers.push(await send(listening.url, signed()));
    listening.child.kill('SIGINT');
    await listening.ended;
    expect(answers).toEqual([200, 401, 503, 502]);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_1', 'msg_1']);
    const lines = linesOf(listening);
    expect(lines.map(({ forwarded }) => forwarded)).toEqual([
      { to: url, status: 200, body: '{"seen":1}', error: null },
      undefined,
      { to: url, status: 503, body: '{"seen":2}', error: null },
      { to: url, status: null, body: null, error: 'ECONNREFUSED' },
    ]);
  });

  it('tourctl webhook listen keeps 16 KiB of an endless response, and closes its connection', async () => {
    let closed = false;
    const receiver = await startReceiver();
    receiver.react((response) => {
      response.once('close', () => (closed = true));
      const more = () => {
        while (!closed && response.write(Buffer.alloc(65_536, 'a')));
      };
      response.on('drain', more);
      more();
    });
    const listening = await listen('--json', '--forward-to', receiver.url);
    expect(await send(listening.url, signed())).toBe(200);
    listening.child.kill('SIGINT');
    expect(await listening.ended).toBe(0);
    const [document] = linesOf(listening) as { forwarded: { status: number; body: string } }[];
    expect([document!.forwarded.status, document!.forwarded.body]).toEqual([200, 'a'.repeat(16_384)]);
    expect(closed).toBe(true);
    await receiver.close();
  });

  it('tourctl webhook listen replaces control characters of a body in its text output', async () => {
    const listening = await listen();
    await send(listening.url, signed());
    await send(listening.url, signed({ body: 'not JSON \u001b]0;evil\u0007\u009b31m' }));
    listening.child.kill('SIGTERM');
    expect(await listening.ended).toBe(0);
    expect(listening.stdout).toMatch(/POST \/hook\?a=1 {2}verified\n/);
    expect(listening.stdout).toContain('\n      "booking_ref": "ACME-1"\n');
    expect(listening.stdout).toContain('\n    not JSON \u{fffd}]0;evil\u{fffd}\u{fffd}31m');
    expect(listening.stderr).toContain('Listening on http://127.0.0.1:');
    expect(listening.stderr).toContain('WEBHOOK_ALLOW_PRIVATE_TARGETS');
  });

  it.each(['', 'nonsense\n', 'whsec_short\n', 'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!=\n'])(
    'tourctl webhook listen refuses %j instead of a signing secret on standard input',
    async (stdin) => {
      const { code, error } = await terminal.tourctl('webhook listen --json', stdin);
      expect([code, error.code]).toEqual([2, 'usage_error']);
      expect(error.message).toContain('reads a signing secret');
    },
  );

  it('tourctl webhook listen refuses a secret as an argument, and an invalid port', async () => {
    const { code, stderr } = await terminal.tourctl(`webhook listen ${SECRET}`);
    expect([code, stderr.includes(SECRET)]).toEqual([2, false]);
    expect((await terminal.tourctl('webhook listen --port 65536', SECRET)).code).toBe(2);
  });

  it('tourctl webhook listen exits with 1 if the port is taken', async () => {
    const server = await occupy();
    const { port } = server.address() as AddressInfo;
    const { code, error } = await terminal.tourctl(`webhook listen --port ${port} --json`, SECRET);
    await new Promise((resolve) => server.close(resolve));
    expect([code, error.code]).toEqual([1, 'port_taken']);
  });
});
