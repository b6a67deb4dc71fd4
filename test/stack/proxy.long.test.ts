import { setTimeout as sleep } from 'node:timers/promises';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TrustProxy } from '../../services/platform/config/variables';
import { startTestApi, type TestApi } from '../support/api';
import { describeWith } from '../support/describe-with';
import { unique } from '../support/given';
import { listen } from '../support/listen';
import { CUSTOMER, givenSeats, givenWebsite } from '../support/website';
import { startTestMonitor } from '../webhook-queue/monitor-fixture';
import { type Child, killChildren } from './child';
import { lowPorts } from './low-ports';
import { startNginx } from './nginx';

const FAILURES_ALLOWED = 60;

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
}

interface Sent {
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: object;
  /** Local address of the client: 127.0.0.2 counts as another client than 127.0.0.1. */
  from?: string;
}

function call(url: string, { method, headers, body, from }: Sent = {}): Promise<Answer> {
  const sent = { ...(body && { 'content-type': 'application/json' }), ...headers };
  return new Promise((resolve, reject) => {
    const options = { method: method ?? (body ? 'POST' : 'GET'), headers: sent, localAddress: from };
    const request = http.request(url, options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    request.once('error', reject).end(body && JSON.stringify(body));
  });
}

/** Reads each request and closes the connection, like a process that is killed. */
async function startMute(): Promise<{ port: number; requests(): number; server: Server }> {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      requests += 1;
      socket.destroy();
    });
  });
  return { port: await listen(server), requests: () => requests, server };
}

describeWith('nginx', 'the reverse proxy', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'test-proxy-'));
    chmodSync(dir, 0o755);
  });
  const apis: TestApi[] = [];
  const mutes: Server[] = [];
  afterAll(async () => {
    await killChildren();
    mutes.forEach((server) => server.close());
    await Promise.all(apis.map((api) => api.stop()));
    rmSync(dir, { recursive: true, force: true });
  });

  const givenApi = async (trustProxy: TrustProxy = 1) => {
    const api = await startTestApi({ trustProxy, logLevel: 'silent' });
    apis.push(api);
    return { api, port: Number(new URL(api.baseUrl).port) };
  };
  const givenMute = async () => {
    const mute = await startMute();
    mutes.push(mute.server);
    return mute;
  };
  /** Returns a port without a listener. */
  const nowhere = async () => (await lowPorts(1))[0]!;
  const given = async (
    ports: number[],
    queues = ports,
  ): Promise<{ url: string; monitorUrl: string; nginx: Child }> => {
    const [proxy, monitor] = (await lowPorts(2)) as [number, number];
    const nginx = await startNginx(path.join(dir, unique()), { proxy, monitor, apis: ports, queues });
    return { url: `http://127.0.0.1:${proxy}`, monitorUrl: `http://127.0.0.1:${monitor}`, nginx };
  };

  describe('the address of a client', () => {
    it.each([
      ['a hop count', 1],
      ['the address of the proxy', ['127.0.0.1/32']],
    ])('the API limits a client by its real address, with %s as TRUST_PROXY', async (_, trust) => {
      const { url } = await given([(await givenApi(trust)).port]);
      const guess = (from: string, headers = {}) =>
        call(`${url}/api/tenant/catalog`, {
          from,
          headers: { authorization: `Bearer ${unique('svc_live_')}`, ...headers },
        });
      const statuses = [];
      for (let n = 0; n < FAILURES_ALLOWED + 1; n++) {
        // Claims another address in each request. An API that trusted the header would never limit this client.
        statuses.push((await guess('127.0.0.2', { 'x-forwarded-for': `9.9.9.${n}` })).status);
      }
      expect(statuses).toEqual([...Array.from({ length: FAILURES_ALLOWED }, () => 401), 429]);
      expect((await guess('127.0.0.3')).status).toBe(401);
    });

    it('the log has the id of each request, and the address only of a refused client', async () => {
      const { url, nginx } = await given([(await givenApi()).port]);
      const own = await call(`${url}/healthz`, { headers: { 'x-request-id': 'chosen-by-client' } });
      expect(own.headers['x-request-id']).toBe('chosen-by-client');
      const { headers } = await call(`${url}/healthz`, { headers: { 'x-request-id': unique('svc_live_') } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
      const { headers: guessed } = await call(`${url}/api/tenant/catalog`, {
        from: '127.0.0.2',
        headers: { authorization: `Bearer ${unique('svc_live_')}` },
      });
      // nginx writes a line after it has sent the response.
      const logged = async (id: unknown) => {
        for (let tries = 0; tries < 100; tries++, await sleep(50)) {
          const lines = nginx.log().trim().split('\n').filter(Boolean);
          const found = lines.map((line) => JSON.parse(line)).find((line) => line.request_id === id);
          if (found) return found;
        }
      };
      expect(await logged(headers['x-request-id'])).toMatchObject({
        path: '/healthz',
        status: 200,
        refused_client: '',
      });
      expect(await logged(guessed['x-request-id'])).toMatchObject({
        status: 401,
        refused_client: '127.0.0.2',
      });
    });
  });

  it('the proxy writes no query, no credential and no client address into its log for answers of 400, 404, 500 and 502', async () => {
    const { api, port } = await givenApi();
    const website = await givenWebsite(api);
    const key = website.authorization.slice('Bearer '.length);
    const secrets = { api_key: key, token: 'svc_widget_abcdefabcdef_0123456789', pass: 'p4ss', q: 'w0rd' };
    const query = new URLSearchParams(secrets).toString();
    const proxy = await given([port, await nowhere(), (await givenMute()).port]);
    const statuses = [];
    for (let n = 0; n < 6; n++) {
      statuses.push((await call(`${proxy.url}/api/widget/tours?${query}`)).status);
      statuses.push(
        (await call(`${proxy.url}/${key}?${query}`, { headers: { referer: `http://x/?${query}` } })).status,
      );
    }
    const dead = await given([await nowhere()]);
    for (const odd of ['//sign-in/s1gn1n', '/%73ign-in/s1gn1n', '/embed/tours%3Fpass=p4ss'])
      await raw(dead.monitorUrl, `GET ${odd} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await raw(dead.url, `GET /%73vc_live_x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    statuses.push((await call(`${dead.url}/embed/tours?${query}`)).status);
    statuses.push((await call(`${dead.url}/svc%5Flive_x?${query}`)).status);
    statuses.push((await call(`${dead.monitorUrl}/sign-in/s1gn1n?${query}`)).status);
    await raw(dead.url, `GET /embed/tours?${query} HTTP/9.9\r\n\r\n`);

    expect(new Set(statuses)).toEqual(new Set([400, 404, 500, 502]));
    const requests = 12 + 8;
    const readLog = () => proxy.nginx.log() + dead.nginx.log();
    // nginx writes a line after it has sent the response.
    for (let tries = 0; tries < 100 && readLog().split('"path":').length <= requests; tries++)
      await sleep(50);
    const log = readLog();
    expect(log.match(/"path":/g)).toHaveLength(requests);
    expect(log).toContain('"path":"/api/widget/tours"');
    expect(log).toContain('"path":"/[redacted]"');
    expect(log.match(/"path":"\/sign-in\/\[redacted\]"/g)).toHaveLength(2);
    for (const secret of [
      ...Object.values(secrets),
      key.split('_')[3],
      's1gn1n',
      'svc_',
      '73vc_',
      'svc%5F',
      '127.0.0.1"',
    ])
      expect(log).not.toContain(secret);
  });

  it('a long answer for a slow client waits in the API, not in a file of the proxy', async () => {
    let isFinished: () => boolean = () => true;
    const api = http.createServer((_, response) => {
      isFinished = () => response.writableFinished;
      response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const port = await listen(api);
    mutes.push(api);
    const { url } = await given([port]);
    const client = connect(Number(new URL(url).port), '127.0.0.1').pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => client.once('readable', resolve));
    // With buffering to a file, nginx would have read the whole answer by now.
    await sleep(1000);
    expect(isFinished()).toBe(false);
    client.destroy();
    api.closeAllConnections();
  });

  describe('a request whose instance fails', () => {
    const HOLD = { departure_date: '2031-03-01', quantity: 1 };
    const keyed = { 'idempotency-key': 'k-1' };

    it('a request of any method goes to another instance when the first one refuses the connection', async () => {
      const { api, port } = await givenApi();
      const website = await givenWebsite(api);
      const { tour, date } = await givenSeats(api.db, { seats: 100 });
      const headers = { authorization: website.authorization };
      const { url } = await given([await nowhere(), port]);
      const body = { ...CUSTOMER, tour_id: tour.id, departure_date: date };
      const answers = [];
      for (let n = 0; n < 8; n++) answers.push(await call(`${url}/api/tenant/bookings`, { headers, body }));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    });

    it('a request without an answer goes to another instance if it is a read, a DELETE, or a POST with an Idempotency-Key', async () => {
      for (const sent of [{}, { body: HOLD, headers: keyed }, { method: 'DELETE' }]) {
        const mutes = [await givenMute(), await givenMute()];
        const { url } = await given(mutes.map(({ port }) => port));
        expect((await call(`${url}/api/tenant/catalog`, sent)).status).toBe(500);
        expect(mutes.map((mute) => mute.requests())).toEqual([1, 1]);
      }
    });

    it('a POST without a key that gets no answer goes to no other instance, because it may have run', async () => {
      const mutes = [await givenMute(), await givenMute()];
      const { url } = await given(mutes.map(({ port }) => port));
      const answer = await call(`${url}/api/tenant/bookings`, { body: HOLD });
      expect(answer.status).toBe(500);
      expect(mutes[0]!.requests() + mutes[1]!.requests()).toBe(1);
    });

    it('a request goes to no other instance when the first one answers, even with overload', async () => {
      let requests = 0;
      const busy = http.createServer((_, response) => {
        requests += 1;
        response.writeHead(503, { 'Retry-After': 1 }).end();
      });
      const port = await listen(busy);
      const { url } = await given([port, port]);
      for (let n = 1; n <= 4; n++) {
        expect((await call(`${url}/api/tenant/catalog`)).status).toBe(503);
        expect(requests).toBe(n);
      }
      busy.close();
      busy.closeAllConnections();
    });
  });

  it('the proxy serves the monitoring page with live updates, and passes the name of its host', async () => {
    const monitor = await startTestMonitor({ trustProxy: 1 });
    const { monitorUrl } = await given([await nowhere()], [Number(new URL(monitor.url).port)]);
    const headers = { origin: monitorUrl };
    const signIn = await call(`${monitorUrl}/sign-in/${await monitor.newLink()}`, {
      method: 'POST',
      headers,
    });
    expect([signIn.status, signIn.headers.location]).toEqual([303, '/']);
    const cookie = signIn.headers['set-cookie']!.map((one) => one.split(';')[0]).join('; ');
    expect((await call(monitorUrl, { headers: { cookie } })).status).toBe(200);

    const live = await fetch(`${monitorUrl}/live`, { headers: { cookie } });
    const first = await live.body!.getReader().read();
    expect(Buffer.from(first.value).toString()).toMatch(/^(event|data|retry|:)/);
    await monitor.stop();
  });

  describe('a problem document of the proxy', () => {
    it('the proxy answers 500 with a problem document when no instance answers', async () => {
      const { api, port } = await givenApi();
      const { url } = await given([await nowhere()]);
      const { status, headers, text } = await call(`${url}/api/tenant/catalog`);
      expect({ status, type: headers['content-type'] }).toEqual({
        status: 500,
        type: 'application/problem+json',
      });
      const id = String(headers['x-request-id']);
      expect(JSON.parse(text)).toMatchObject({
        code: 'internal_error',
        request_id: id,
        instance: `urn:request:${id}`,
      });

      const ours = await call(`http://127.0.0.1:${port}/nowhere`);
      const members = (body: string) => Object.keys(JSON.parse(body));
      expect(members(text)).toEqual(members(ours.text));
      for (const name of [
        'x-content-type-options',
        'referrer-policy',
        'content-security-policy',
        'cache-control',
        'strict-transport-security',
      ])
        expect([name, headers[name]]).toEqual([name, ours.headers[name]]);
      expect(api.baseUrl).toContain(`${port}`);
    });

    it('the proxy answers 413 above its limit, and 400 to a malformed request', async () => {
      const { url } = await given([(await givenApi()).port]);
      const large = await call(`${url}/api/tenant/bookings`, { body: { notes: 'x'.repeat(70_000) } });
      expect([large.status, JSON.parse(large.text).code]).toEqual([413, 'body_too_large']);
      expect(await raw(url, 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n')).toMatch(
        /^HTTP\/1.1 400 [\s\S]*application\/problem\+json[\s\S]*"code":"validation_failed"/,
      );
      const headers = { 'x-long': 'x'.repeat(40_000) };
      expect((await call(`${url}/healthz`, { headers })).text).toContain('"code":"validation_failed"');
      expect((await call(`${url}/proxy/no-answer`)).status).toBe(404);
    });

    it('the proxy lets a body below its limit pass to the API', async () => {
      const { api, port } = await givenApi();
      const website = await givenWebsite(api);
      const { url } = await given([port]);
      const { status, text } = await call(`${url}/api/gateway/tours/none/hold`, {
        headers: { authorization: website.authorization },
        body: { external_ref: 'x'.repeat(20_000) },
      });
      expect([status, JSON.parse(text).type]).toEqual([
        413,
        'https://api.example.test/docs/errors/body_too_large',
      ]);
    });
  });
});

async function raw(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
