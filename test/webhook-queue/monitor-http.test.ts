import { connect } from 'node:net';
import { once } from 'node:events';
import { openDatabase } from '../../services/platform/database/database';
import { ROUTES } from '../../services/webhook-queue/monitor/http/app';
import { sessionMac } from '../../services/webhook-queue/monitor/http/cookies';
import {
  auditRows,
  pathOf,
  setCookies,
  startTestMonitor,
  type Browser,
  useTestMonitor,
} from './monitor-fixture';
import { SECRETS_KEY } from './queue-fixture';

const monitor = useTestMonitor();
let browser: Browser;
beforeAll(async () => {
  browser = await monitor.signIn();
});

const PRIVATE = ROUTES.filter((route) => route.access === 'session');
const POSTS = PRIVATE.filter((route) => route.method === 'post').map((route) => route.path);
const ask = (method: string, path: string) =>
  method === 'post' ? monitor.http.post(path) : monitor.http.get(path);

const CSP =
  "default-src 'none';style-src 'self';script-src 'self';img-src 'self';connect-src 'self';" +
  "form-action 'self';frame-ancestors 'none';base-uri 'none'";

describe('a request without a session', () => {
  it.each(PRIVATE.map(({ method, path }) => [method, path]))(
    '%s %s shows nothing without a session',
    async (method, path) => {
      for (const cookie of ['', `monitor_session=${'B'.repeat(43)}`]) {
        const answer = await ask(method, pathOf({ path })).set('Cookie', cookie);
        const refusal = path === '/live' ? [401, undefined] : [303, '/sign-in'];
        expect([answer.status, answer.headers.location]).toEqual(refusal);
        expect(setCookies(answer)).toEqual([]);
      }
    },
  );

  it('the route table has exactly these pages and actions', () => {
    const table = ROUTES.map(({ method, path, access }) => `${access} ${method} ${path}`);
    expect(table.sort()).toEqual([
      'always get /assets/monitor.css',
      'always get /assets/monitor.js',
      'always get /favicon.ico',
      'always get /healthz',
      'always get /readyz',
      'anyone get /sign-in',
      'anyone get /sign-in/:token',
      'anyone post /sign-in/:token',
      'session get /',
      'session get /deliveries',
      'session get /deliveries/:id',
      'session get /endpoints',
      'session get /endpoints/:id',
      'session get /live',
      'session get /replay',
      'session post /deliveries/:id/retry',
      'session post /deliveries/:id/reveal',
      'session post /endpoints/:id/disable',
      'session post /endpoints/:id/enable',
      'session post /endpoints/:id/pause',
      'session post /endpoints/:id/ping',
      'session post /endpoints/:id/resume',
      'session post /endpoints/:id/retry',
      'session post /endpoints/:id/rotate-secret',
      'session post /replay',
      'session post /sign-out',
    ]);
  });

  it('the sign-in page names the command for a link', async () => {
    const { text, type } = await monitor.http.get('/sign-in').expect(200);
    expect([type, text]).toEqual(['text/html', expect.stringContaining('tourctl monitor')]);
  });
});

describe('a form that another site sends', () => {
  afterAll(async () => expect(await auditRows(monitor.db)).toEqual([]));

  it.each(POSTS)('a form that another site sends changes nothing at %s', async (path) => {
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: 'https://elsewhere.example' },
      { Origin: 'null' },
      { Origin: 'http://127.0.0.1:1' },
    ];
    for (const headers of foreign) {
      const form = monitor.http.post(pathOf({ path })).set({ Cookie: browser.cookie, ...headers });
      const { status } = await form.type('form').send({ csrf: browser.csrf });
      expect([headers, status]).toEqual([headers, 403]);
    }
  });

  it.each(POSTS)('a form without the CSRF token of the session changes nothing at %s', async (path) => {
    const other = sessionMac('A'.repeat(43), 'csrf');
    for (const csrf of ['', 'x', other, browser.csrf.toLowerCase(), `${browser.csrf}x`]) {
      const { status } = await browser.post(pathOf({ path }), { csrf });
      expect([csrf, status]).toEqual([csrf, 403]);
    }
    const bare = await monitor.http.post(pathOf({ path })).set('Cookie', browser.cookie);
    expect(bare.status).toBe(403);
    await browser.get('/').expect(200);
  });

  it('another site cannot open a live page', async () => {
    await browser.get('/live').set('Sec-Fetch-Site', 'same-site').expect(403);
  });
});

describe('a form of the monitor', () => {
  it.each([
    { Origin: 'https://monitor.example', Host: 'monitor.example' },
    { Origin: 'https://monitor.example', Host: 'monitor.example:443' },
    { Origin: 'http://10.0.0.5:3001', Host: '10.0.0.5:3001' },
    // Simulates a proxy that sends another Host than the browser.
    { Origin: 'https://monitor.example', Host: '127.0.0.1:3001', 'Sec-Fetch-Site': 'same-origin' },
    {},
  ])('a form is accepted with the headers %j', async (headers) => {
    const form = monitor.http.post(pathOf({ path: '/deliveries/:id/retry' }));
    const { status } = await form
      .set({ Cookie: browser.cookie, ...headers })
      .type('form')
      .send({ csrf: browser.csrf });
    expect(status).toBe(404);
  });
});

describe('every response', () => {
  it.each([
    ['get', '/', 200],
    ['get', '/healthz', 200],
    ['get', '/readyz', 200],
    ['get', '/sign-in', 200],
    ['get', '/nowhere', 404],
    ['get', '/deliveries/%ff', 400],
    ['get', '/sign-out', 405],
    ['post', '/sign-in/x', 410],
    ['post', '/sign-out', 403],
  ])('the answer to %s %s (%i) has the headers that keep a page private', async (method, path, status) => {
    const answer = await ask(method, path).set('Cookie', browser.cookie);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': CSP,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(answer.headers).not.toHaveProperty('x-powered-by');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('no page contains an inline style or an inline script', async () => {
    for (const path of ['/', '/sign-in', '/endpoints', '/deliveries', '/replay', '/nowhere']) {
      const { text } = await browser.get(path);
      expect(text).toMatch(/^<!doctype html>/i);
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc="\/assets\/)/i);
    }
  });

  it('HEAD gets the status of GET without a body', async () => {
    for (const path of ['/', '/healthz', '/sign-in', '/live', '/nowhere']) {
      const answer = await monitor.http.head(path).set('Cookie', browser.cookie);
      expect([path, answer.status, answer.text]).toEqual([path, path === '/nowhere' ? 404 : 200, undefined]);
    }
  });
});

describe('an invalid request', () => {
  it('a page that does not exist gets 404', async () => {
    for (const path of ['/nowhere', '/Endpoints', '/assets/other.js', '/deliveries/x/y/z', '/%ff'])
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
  });

  it.each(['/endpoints/', '/deliveries/'])('the page %s with an unknown id gets 404', async (path) => {
    const ids = ['x', 'A'.repeat(7000), '%00', '%27%20or%201=1', '00000000-0000-7000-8000-000000000000'];
    for (const id of ids) expect([id, (await browser.get(path + id)).status]).toEqual([id, 404]);
  });

  it('a method that the path does not have gets 405 with Allow', async () => {
    const get = await browser.get(pathOf({ path: '/endpoints/:id/pause' }));
    expect([get.status, get.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    const put = await monitor.http.put('/deliveries');
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const both = await monitor.http.delete('/replay');
    expect([both.status, both.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    expect((await monitor.http.post('/healthz')).status).toBe(405);
    const options = await monitor.http.options('/replay');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('a parameter that is repeated or contains a control character gets 400', async () => {
    for (const query of ['status=dead&status=dead', 'tenant=%00', 'booking_ref=a%0Ab', 'a%00=1'])
      expect([query, (await browser.get(`/deliveries?${query}`)).status]).toEqual([query, 400]);
    const twice = `csrf=${browser.csrf}&csrf=${browser.csrf}`;
    for (const body of [twice, `csrf=${browser.csrf}&tenant=%00`]) {
      const answer = await monitor.http.post('/replay').set('Cookie', browser.cookie).type('form').send(body);
      expect(answer.status).toBe(400);
    }
  });

  it('a request with an invalid filter gets a page, not an error', async () => {
    const odd =
      'status=lost&code=9999&since=yesterday&until=%F0%9F%98%80&endpoint=x&outcome=&before=zzz&unknown=1';
    for (const path of ['/deliveries', '/endpoints', '/replay'])
      expect([path, (await browser.get(`${path}?${odd}&tenant=%25%27`)).status]).toEqual([path, 200]);
    await browser.get('/?range=forever').expect(200);
  });

  it('a body that is too large gets 413, and a body that is no form gets 415', async () => {
    await browser.post('/replay', { tenant: 'a'.repeat(17_000) }).expect(413);
    const json = monitor.http.post('/replay').set('Cookie', browser.cookie).send({ csrf: browser.csrf });
    expect((await json).status).toBe(415);
    const foreignSet = monitor.http.post('/replay').set('Cookie', browser.cookie);
    const answer = await foreignSet
      .set('Content-Type', 'application/x-www-form-urlencoded; charset=utf-7')
      .send('a=b');
    expect(answer.status).toBe(415);
  });

  it('a request that is not valid HTTP gets the usual headers', async () => {
    const speak = async (text: string) => {
      const socket = connect(Number(new URL(monitor.url).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.write(text);
      await once(socket, 'close');
      return answer;
    };
    const answers = [
      await speak('NONSENSE\r\n\r\n'),
      await speak(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
      await speak('GET / HTTP/1.1\r\nConnection: close\r\n\r\n'),
      await speak('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'),
    ];
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['400', '431', '400', '400']);
    for (const answer of answers)
      expect(answer).toMatch(/X-Request-Id: .*nosniff|nosniff[^]*X-Request-Id|X-Request-Id[^]*nosniff/i);
  });
});

describe('the assets', () => {
  it('an asset is immutable at the URL that the pages link to, and revalidated at any other URL', async () => {
    const { text } = await monitor.http.get('/sign-in');
    const address = /href="(\/assets\/monitor\.css[^"]*)"/.exec(text)![1]!;
    const lasting = await monitor.http.get(address).expect(200);
    expect(lasting.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(lasting.headers['content-type']).toBe('text/css; charset=utf-8');
    const other = await monitor.http.get('/assets/monitor.css?v=older').expect(200);
    expect(other.headers['cache-control']).toBe('no-cache');
    await monitor.http.get('/assets/monitor.css').set('If-None-Match', other.headers.etag!).expect(304);
    const script = await monitor.http.get('/assets/monitor.js').expect(200);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  });
});

describe('the monitor while the database is unreachable', () => {
  it('the monitor without a database answers health checks, and 503 on every page', async () => {
    const gone = await startTestMonitor();
    const { cookie } = await gone.signIn();
    await gone.closeMonitor();
    await gone.http.get('/healthz').expect(200, { status: 'ok' });
    await gone.http.get('/assets/monitor.css').expect(200);
    for (const path of ['/', '/sign-in', '/live']) {
      const answer = await gone.http.get(path).set('Cookie', cookie);
      expect([answer.status, answer.type, answer.headers['retry-after']]).toEqual([503, 'text/html', '5']);
    }
    await gone.stop();
  });

  it('a page that fails names no cause', async () => {
    const failing = await startTestMonitor();
    const { cookie } = await failing.signIn();
    await failing.db.schema.renameTable('webhook_workers', 'webhook_workers_away');
    const failed = await failing.http.get('/').set('Cookie', cookie);
    expect([failed.status, failed.type]).toEqual([500, 'text/html']);
    expect(failed.text).not.toMatch(/webhook_workers|select|at .*\.ts|node_modules/);
    expect(failing.logged()).toContain(failed.headers['x-request-id']);
    expect(failing.logged()).toContain('"client":"127.0.0.0/24"');
    await failing.stop();
  });

  it('a page says that the database is unavailable', async () => {
    const nowhere = openDatabase('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'tests' });
    const closeMonitor = monitor.server.openMonitor({ db: nowhere, secretsKey: SECRETS_KEY });
    const { status, text } = await browser.get('/');
    expect([status, text]).toEqual([503, expect.stringContaining('The database is unavailable')]);
    await closeMonitor();
    await nowhere.destroy();
  });
});
