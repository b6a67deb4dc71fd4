/*
 * Measures the CPU time of the most expensive request of each route: `npm run bench -- hostile-headers`. Sends long headers, many
 * headers, and headers that are slow to parse, one request at a time. Prints the CPU time of the process for a request without these
 * headers and for the most expensive one. Node accepts 16 KiB of headers in total.
 */
import http from 'node:http';
import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { ONLY_ONE, seedDemoFor, withDatabase } from './stack';

const REQUESTS = Number(process.env.REQUESTS ?? 40);
const LONG = 13_000;
/** Maximum length of a header that is parsed as a list. */
const ALLOWED = 1024;

type Headers = Record<string, string>;
type Route = [method: string, path: string, headers?: Headers, body?: string];

const fill = (part: string, length: number) => part.repeat(Math.floor(length / part.length));
const LISTS: [header: string, part: string][] = [
  ['accept', 'a/b,'],
  ['accept', '",'],
  ['accept', 'text/html;q=0.1,'],
  ['accept-language', 'de-AT;q=0.1,'],
  ['content-type', 'application/json;a=b;'],
  ['if-none-match', '"a",'],
  ['if-none-match', ' ,'],
  ['x-forwarded-for', '10.1.2.3,'],
  ['x-forwarded-for', 'fd00::1,'],
];
const LINEAR: [header: string, part: string][] = [
  ['cookie', 'monitor_session=a;'],
  ['referer', 'https://a.example/'],
  ['origin', 'https://a.'],
  ['authorization', 'Bearer  '],
  ['authorization', 'Bearer svc_live_'],
  ['x-svc-widget-token', 'svc_widget_'],
  ['idempotency-key', '"a'],
  ['traceparent', '00-'],
  ['x-request-id', 'a'],
  ['user-agent', '('],
  ['accept-encoding', 'gzip;q=0.1,'],
  ['range', 'bytes=0-1,'],
];

/** Parts of a valid language tag. All parts differ, because a tag may contain each part only once. */
const attributes = Array.from({ length: 3000 }, (_, n) => `-${(n + 36 ** 2).toString(36)}`).join('');
const languageOf = (length: number) => ({ 'accept-language': `de-u${attributes}`.slice(0, length) });

const HOSTILE: Record<string, Headers> = {
  'accept-language: de-u-…': languageOf(4 * 3000 + 4),
  [`accept-language: de-u-… (${ALLOWED})`]: languageOf(ALLOWED),
  'many headers': Object.fromEntries(Array.from({ length: 1200 }, (_, n) => [`x${n}`, '1'])),
  '90 headers': Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`x-${n}`, fill('1', 120)])),
  ...Object.fromEntries(
    [...LISTS, ...LINEAR].map(([name, part]) => [`${name}: ${part}…`, { [name]: fill(part, LONG) }]),
  ),
  ...Object.fromEntries(
    LISTS.map(([name, part]) => [`${name}: ${part}… (${ALLOWED})`, { [name]: fill(part, ALLOWED) }]),
  ),
};

export async function measureHostileHeaders(): Promise<void> {
  await withDatabase(async ({ db, url }) => {
    const routes = await plant(db);
    // Trusts the proxies of one machine, so that all the addresses above are parsed.
    const api = await startApiProcess(url, { TRUST_PROXY: '127.0.0.1,10.0.0.0/8,fd00::/8' });
    try {
      for (const route of routes) await measureRoute(api, route);
    } finally {
      await api.stop();
    }
  });
}

/** Plants the demo's catalog, tenant and credentials. */
async function plant(db: Db): Promise<Route[]> {
  const demo = await seedDemoFor(db);
  const today = new Date().toISOString().slice(0, 10);
  const departure = await db('departures as d')
    .join('tours as t', 't.id', 'd.tour_id')
    .where('d.departure_date', '>', today)
    .whereRaw(ONLY_ONE)
    .orderBy('t.slug')
    .first('t.slug', 'd.departure_date as date');
  const { slug, date } = departure as { slug: string; date: string };
  const key = { authorization: `Bearer ${demo.api_key}` };
  const json = { ...key, 'content-type': 'application/json' };
  const token = demo.widget_token;
  return [
    ['GET', '/healthz'],
    ['GET', '/openapi.json'],
    ['GET', '/docs'],
    ['GET', '/docs/errors/not_found'],
    ['GET', '/embed/widget.js'],
    ['GET', `/embed/tours?token=${token}`],
    ['GET', `/api/widget/tours?token=${token}`],
    ['GET', '/api/tenant/catalog', key],
    ['GET', `/api/tenant/tours/${slug}`, key],
    ['GET', `/api/tenant/tours/${slug}/departures`, key],
    ['GET', `/api/gateway/tours/${slug}/availability?departure_date=${date}`, key],
    ['POST', `/api/gateway/tours/${slug}/hold`, json, '{}'],
    ['POST', '/api/tenant/bookings', json, '{}'],
    ['GET', '/nowhere'],
  ];
}

async function measureRoute(api: ApiProcess, route: Route): Promise<void> {
  await cpuOf(api, route, {});
  const plain = await cpuOf(api, route, {});
  let worst = { name: 'none', cpu: 0, status: 0 };
  for (const [name, headers] of Object.entries(HOSTILE)) {
    const { cpu, status } = await cpuOf(api, route, headers);
    if (cpu > worst.cpu) worst = { name, cpu, status };
  }
  const where = `${route[0]} ${route[1].replace(/=svc_\w+/, '=…')}`.padEnd(70);
  process.stdout.write(
    `${where} ${plain.cpu.toFixed(2)} ms (${plain.status}), worst ${worst.cpu.toFixed(2)} ms (${worst.status}) ${worst.name}\n`,
  );
}

/** @returns the CPU milliseconds of the process for one request with the hostile headers */
async function cpuOf(
  api: ApiProcess,
  route: Route,
  hostile: Headers,
): Promise<{ cpu: number; status: number }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const before = await cpuSeconds(api);
  let status = 0;
  for (let n = 0; n < REQUESTS; n++) {
    // Uses another client each time, so that the widget's quota per address is not reached.
    const client = { 'x-forwarded-for': `203.0.113.${n}` };
    status = await send(api.baseUrl, agent, route, { ...client, ...hostile });
  }
  const cpu = (((await cpuSeconds(api)) - before) * 1000) / REQUESTS;
  agent.destroy();
  return { cpu, status };
}

function send(
  baseUrl: string,
  agent: http.Agent,
  [method, where, headers, body]: Route,
  hostile: Headers,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headers, ...hostile } };
    const request = http.request(baseUrl + where, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    });
    request.once('error', reject).end(body);
  });
}

/** Reads the CPU time of the process. A reading also costs some CPU time, but all requests between two readings share this cost. */
async function cpuSeconds(api: ApiProcess): Promise<number> {
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await api.metrics())![1]);
}
