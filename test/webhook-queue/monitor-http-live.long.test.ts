import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { startTestMonitor, type Browser, type TestMonitor } from './monitor-fixture';
import { eventually } from './queue-fixture';

let monitor: TestMonitor;
let browser: Browser;
let opened: Stream[];
async function startMonitor(heartbeatMs?: number): Promise<void> {
  monitor = await startTestMonitor({ heartbeatMs });
  browser = await monitor.signIn();
  opened = [];
}
afterEach(async () => {
  for (const { response } of opened) response.destroy();
  await monitor.stop();
});

interface Stream {
  response: IncomingMessage;
  text(): string;
  ended: Promise<unknown>;
}

async function openStream(cookie: string, path = '/live?range=24h'): Promise<Stream> {
  const [response] = (await once(
    request(monitor.url + path, { headers: { cookie }, agent: false }).end(),
    'response',
  )) as [IncomingMessage];
  let text = '';
  response.on('data', (chunk: Buffer) => (text += chunk.toString()));
  response.on('error', () => undefined);
  const stream = { response, text: () => text, ended: once(response, 'close') };
  opened.push(stream);
  return stream;
}

describe('a live page', () => {
  it('a live page receives fragments, and a heartbeat between them', async () => {
    await startMonitor(50);
    const { response, text } = await openStream(browser.cookie);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    const fragment = await eventually(
      'a fragment',
      () => /event: fragment\ndata: (.*)\n\n/.exec(text())?.[1],
    );
    expect(JSON.parse(fragment)).toEqual({ id: expect.any(String), html: expect.any(String) });
    await eventually('a heartbeat', () => (text().includes(': still here\n\n') ? true : undefined));
  });

  it('a sign-out ends the live page of its own session only', async () => {
    await startMonitor();
    const other = await openStream((await monitor.signIn()).cookie);
    const mine = await openStream(browser.cookie);
    await browser.post('/sign-out').expect(303);
    await mine.ended;
    expect(mine.response.complete).toBe(true);
    expect(other.response.complete).toBe(false);
  });

  it('a live page ends with its session when another process ends it', async () => {
    await startMonitor(50);
    const { ended, response } = await openStream(browser.cookie);
    await monitor.db('webhook_monitor_sessions').update({ expires_at: new Date(0) });
    await ended;
    expect(response.complete).toBe(true);
    expect((await browser.get('/live')).status).toBe(401);
  });

  it('a live page ends when the monitor stops', async () => {
    await startMonitor();
    const { ended, response } = await openStream(browser.cookie);
    await monitor.closeMonitor();
    await ended;
    // Expects that the response ends normally, and is not aborted when the server stops.
    expect(response.complete).toBe(true);
    await monitor.server.close();
  });

  it('a session may open ten live pages, and all sessions together a hundred', async () => {
    await startMonitor();
    const status = async (cookie: string) => (await openStream(cookie)).response.statusCode;
    const ten = await Promise.all(Array.from({ length: 10 }, () => status(browser.cookie)));
    expect(new Set(ten)).toEqual(new Set([200]));
    expect(await status(browser.cookie)).toBe(429);
    for (let session = 1; session < 10; session++) {
      const { cookie } = await monitor.signIn();
      for (let nth = 0; nth < 10; nth++) expect(await status(cookie)).toBe(200);
    }
    expect(await status((await monitor.signIn()).cookie)).toBe(503);
    opened[0]!.response.destroy();
    await eventually('a place', async () => ((await status(browser.cookie)) === 200 ? true : undefined));
  });
});
