/*
 * Measures the cost of hostile requests on the demo catalog: `npm run bench -- entry-points`. Prints the CPU time of the API process
 * for each request. Also prints how long the API takes to refuse a key whose id exists, and a key whose id does not exist.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, request } from 'undici';
import { mintCredentialToken } from '../../services/api/credentials/token';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { withAnotherSecret } from '../support/forged-token';
import { seedDemoFor, withDatabase } from './stack';
import { median } from './table';

const ROUNDS = 5;
const REFUSALS = 1200;
/** Node reads 16 KiB of headers at most. */
const HEADER = 13_600;

interface Case {
  name: string;
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

interface Credentials {
  apiKey: string;
  token: string;
}

export async function measureEntryPoints(): Promise<void> {
  await withDatabase(async ({ db, url }) => {
    const { api_key: apiKey, widget_token: token } = await seedDemoFor(db);
    const api = await startApiProcess(url);
    try {
      await measureCases(api, casesOf({ apiKey, token }));
      await measureRefusals(api, { apiKey, token });
    } finally {
      await api.stop();
    }
  });
}

/** Returns a valid tag of about this length: `de-u-aaa-abc-…`. */
function longTag(length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz';
  let tag = 'de-u';
  for (let n = 0; tag.length + 5 <= length; n++) {
    tag += `-a${letters[Math.floor(n / 676) % 26]}${letters[Math.floor(n / 26) % 26]}${letters[n % 26]}`;
  }
  return tag;
}

function casesOf({ apiKey, token }: Credentials): Case[] {
  const page = `/embed/tours?token=${token}&limit=30`;
  const authorization = `Bearer ${apiKey}`;
  const marks = `a${'\u0345\u0301\u0323\u0327'.repeat(1900)}`;
  const sorted = `a${['\u0345', '\u0301', '\u0323', '\u0327'].map((mark) => mark.repeat(1900)).join('')}`;
  const booking = { tour_id: 'x', name: 'A', phone: '123456', email: 'a@example.com' };
  const post = (body: object): Partial<Case> => ({
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [
    { name: 'embed: plain', path: page },
    { name: 'embed: long tag', path: page, headers: { 'accept-language': longTag(HEADER) } },
    { name: 'embed: many tags', path: page, headers: { 'accept-language': 'xx,'.repeat(HEADER / 3) } },
    { name: 'embed: long lang', path: `${page}&lang=${longTag(35)}` },
    { name: 'embed: Referer', path: page, headers: { referer: `https://${'a.'.repeat(HEADER / 2)}` } },
    {
      name: 'embed: refusal, many Accept',
      path: '/embed/tours?token=x',
      headers: { accept: 'a/b,'.repeat(HEADER / 4) },
    },
    { name: 'home: many Accept', path: '/', headers: { accept: 'a/b,'.repeat(HEADER / 4) } },
    { name: 'widget: plain', path: `/api/widget/tours?token=${token}` },
    {
      name: 'widget: If-None-Match',
      path: `/api/widget/tours?token=${token}`,
      headers: { 'if-none-match': '"a",'.repeat(HEADER / 4) },
    },
    { name: 'widget: parameters', path: `/api/widget/tours?token=${token}&${'a1=1&'.repeat(HEADER / 5)}` },
    {
      name: 'widget: marks in q',
      path: `/api/widget/tours?token=${token}&q=${encodeURIComponent(sorted.slice(0, 1))}${'%CC%81%CC%A3'.repeat(1100)}`,
    },
    {
      name: 'catalog: long key',
      path: '/api/tenant/catalog',
      headers: { authorization: `Bearer ${'a'.repeat(HEADER)}` },
    },
    { name: 'booking: marks in notes', path: '/api/tenant/bookings', ...post({ ...booking, notes: marks }) },
    {
      name: 'booking: sorted marks in notes',
      path: '/api/tenant/bookings',
      ...post({ ...booking, notes: sorted }),
    },
    {
      name: 'booking: sorted marks in name',
      path: '/api/tenant/bookings',
      ...post({ ...booking, name: sorted }),
    },
    {
      name: 'booking: unknown fields',
      path: '/api/tenant/bookings',
      ...post(Object.fromEntries(Array.from({ length: 1700 }, (_, n) => [`f${n}`, 1]))),
    },
  ] as Case[];
}

async function measureCases(api: ApiProcess, cases: Case[]): Promise<void> {
  for (const { name, path: where, method = 'GET', headers, body } of cases) {
    const costs: number[] = [];
    let status = 0;
    for (let round = -1; round < ROUNDS;) {
      const before = await cpuSeconds(api);
      const answer = await request(api.baseUrl + where, { method, headers, body, reset: true });
      await answer.body.dump();
      status = answer.statusCode;
      const cost = ((await cpuSeconds(api)) - before) * 1000;
      // Waits after a 503: the previous request blocked the process.
      if (status === 503) await sleep(1000);
      else if (round++ >= 0) costs.push(cost);
    }
    say(`${name.padEnd(32)} ${status}  ${median(costs).toFixed(1)} ms of CPU (a read of /metrics in it)`);
  }
}

async function cpuSeconds(api: ApiProcess): Promise<number> {
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(await api.metrics())![1]);
}

/**
 * Measures all kinds of refusals in turns, so that other load of the machine affects all alike. After 60 failures a minute the
 * answer is 429, which runs the same code.
 */
async function measureRefusals(api: ApiProcess, { apiKey, token }: Credentials): Promise<void> {
  const client = new Client(api.baseUrl);
  const kinds = {
    'key, known id': () => ({ authorization: `Bearer ${withAnotherSecret(apiKey)}` }),
    'key, unknown id': () => ({ authorization: `Bearer ${mintCredentialToken('api_key').token}` }),
    'widget token, known id': () => ({ 'x-svc-widget-token': withAnotherSecret(token) }),
    'widget token, unknown id': () => ({ 'x-svc-widget-token': mintCredentialToken('widget_token').token }),
  };
  const times = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  const paths = { key: '/api/tenant/catalog', widget: '/api/widget/tours' };
  const ask = async (where: string, headers: Record<string, string>) => {
    const begun = performance.now();
    const { body } = await client.request({ path: where, method: 'GET', headers });
    await body.dump();
    return performance.now() - begun;
  };
  for (let n = 0; n < REFUSALS; n++) {
    // Uses the real credentials, so that they are in the read cache.
    if (n % 100 === 0) await ask(paths.key, { authorization: `Bearer ${apiKey}` });
    if (n % 100 === 0) await ask(paths.widget, { 'x-svc-widget-token': token });
    for (const [kind, headers] of Object.entries(kinds)) {
      times[kind]!.push(await ask(kind.startsWith('key') ? paths.key : paths.widget, headers()));
    }
  }
  for (const [kind, taken] of Object.entries(times)) say(`${kind.padEnd(32)} ${median(taken).toFixed(3)} ms`);
  await client.close();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
