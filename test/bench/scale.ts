/*
 * Compares the response times of a large installation with those of a small one: `npm run bench -- scale`. The large one has 100,000
 * tours × 20 departures, 1,000 tenants with rules and 5 million past bookings (TOURS, DEPARTURES, TENANTS, BOOKINGS change it).
 */
import path from 'node:path';
import { Client } from 'undici';
import { findTenant } from '../../services/api/tenants/manage-tenants';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { superuserUrl } from '../../services/platform/embedded-postgres/cluster';
import { migrate } from '../../services/platform/migrate/migrate';
import { type CatalogSize, fillLargeCatalog } from '../plans/large-catalog';
import { startInstance } from '../stack/service';
import { databaseUrl } from '../support/database';
import { freePorts } from '../support/free-ports';
import { givenKey } from '../support/given';
import { describeMachine, tableOf, writeSection } from './report';
import { cellsOf, COLUMNS, inTurns, type Row, rounded } from './row';
import { serviceSettings, withDatabase } from './stack';
import { median, printTable } from './table';

const { TOURS = '100000', DEPARTURES = '20', TENANTS = '1000', BOOKINGS = '5000000' } = process.env;
const SMALL: CatalogSize = {
  tours: 100,
  departures: 20,
  tenants: 10,
  bookings: 5000,
  holds: 100,
  deliveries: 0,
};
const LARGE: CatalogSize = {
  tours: Number(TOURS),
  departures: Number(DEPARTURES),
  tenants: Number(TENANTS),
  bookings: Number(BOOKINGS),
  holds: 1000,
  deliveries: 0,
};
const REQUESTS = 50;
const MOST = 1.5;
/** The rows that docs/benchmarks.md has. The terminal shows all rows. */
const PAGE_ROWS = ['catalog page 1', 'catalog of an allow-list tenant', 'booking'];

/** With 24 tours on a page, page 3,000 begins after this share of 100,000 tours. */
const LATE_PAGE = 0.72;

interface Installation {
  operations: Record<string, () => Promise<void>>;
  stop(): Promise<void>;
}

export async function measureScale(): Promise<void> {
  const machine = await describeMachine();
  const begun = performance.now();
  const rows = await withDatabase(async ({ url, directory }) => {
    const server = superuserUrl(path.join(directory, 'pg18'), Number(new URL(url).port), 'postgres');
    const small = await install(server, directory, 'small', SMALL);
    const large = await install(server, directory, 'large', LARGE);
    try {
      return await compare(small, large);
    } finally {
      await Promise.all([small.stop(), large.stop()]);
    }
  });
  const minutes = ((performance.now() - begun) / 60_000).toFixed(0);
  const size = `${LARGE.tours} tours × ${LARGE.departures} departures, ${LARGE.tenants} tenants, ${LARGE.bookings} past bookings`;
  const title = `${size}, compared with ${SMALL.tours} tours; caches off, one request at a time; ${minutes} minutes`;
  printTable(title, COLUMNS, rows.map(cellsOf));
  const table = tableOf(rows, PAGE_ROWS);
  await writeSection('Scale', `\`npm run bench -- scale\`: ${machine}.\n\n${title}.\n\n${table}`);
}

async function compare(small: Installation, large: Installation): Promise<Row[]> {
  const names = Object.keys(small.operations);
  const time = async (operation: () => Promise<void>) => {
    const times: number[] = [];
    for (let request = 0; request < REQUESTS; request++) {
      const at = performance.now();
      await operation();
      times.push(performance.now() - at);
    }
    return median(times);
  };
  const measure = (name: string) => async () => ({
    small: await time(small.operations[name]!),
    large: await time(large.operations[name]!),
  });
  for (const name of names) await measure(name)();
  const rounds = await inTurns(names.map((name) => [name, measure(name)]));
  return names.map((what) => {
    const list = rounds.get(what)!;
    return {
      what,
      beside: 'p50 when small',
      aim: { atMost: MOST },
      ratios: list.map((round) => round.large / round.small),
      figures: `${rounded(median(list.map((round) => round.large)))} ms; ${rounded(median(list.map((round) => round.small)))} ms`,
    };
  });
}

/** Creates and fills a database, and starts an API without caches on it. */
async function install(
  server: string,
  directory: string,
  name: string,
  size: CatalogSize,
): Promise<Installation> {
  const url = databaseUrl(server, `scale_${name}`);
  const admin = openDatabase(server, { applicationName: 'bench', poolMax: 1 });
  await admin.raw('create database ??', [`scale_${name}`]);
  await admin.destroy();
  const db = openDatabase(url, { applicationName: 'bench', poolMax: 2 });
  await migrate(db);
  await fillLargeCatalog(db, size);
  process.stderr.write(`filled ${name}\n`);
  const [port, , metrics] = await freePorts();
  const settings = { ...serviceSettings(url, metrics), AUTHORIZATION_CACHE: 'off' };
  const api = await startInstance('api', directory, port, settings);
  const client = new Client(api.baseUrl);
  return {
    operations: await operationsOf(db, client, size),
    stop: async () => {
      await client.close();
      await api.stop();
      await db.destroy();
    },
  };
}

async function operationsOf(
  db: Db,
  client: Client,
  { tours }: CatalogSize,
): Promise<Installation['operations']> {
  const keyOf = async (slug: string) => givenKey(db, await findTenant(db, slug));
  const key = await keyOf('large-0');
  // This tenant sees only the tours of its visibility rules.
  const allowList = await keyOf('large-1');
  const ask = async (where: string, body?: object, token = key) => {
    const answer = await client.request({
      path: where,
      method: body ? 'POST' : 'GET',
      body: body && JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300)
      throw new Error(`${where} answered ${answer.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as { next_cursor: string };
  };
  const get = (where: string, token?: string) => async () => void (await ask(where, undefined, token));
  const { rows } = await db.raw<{ rows: { slug: string; date: string }[] }>(
    `select t.slug, d.departure_date::text as date from departures d join tours t on t.id = d.tour_id
     where d.start_time is null
       and not exists (select from visibility_tour_rules r join tenants n on n.id = r.tenant_id
                       where r.tour_id = t.id and n.slug = 'large-0')
     order by hashtext(d.id::text) limit 5000`,
  );
  const target = () => rows[Math.floor(Math.random() * rows.length)]!;
  const customer = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };
  const step = Math.min(100, tours / 4);
  let cursor = '';
  for (let read = step; read < tours * LATE_PAGE; read += step)
    cursor = `&cursor=${(await ask(`/api/tenant/catalog?limit=${step}${cursor}`)).next_cursor}`;
  return {
    'catalog page 1': get('/api/tenant/catalog?limit=24'),
    'catalog page 3,000 (of 100 tours: the third)': get(`/api/tenant/catalog?limit=24${cursor}`),
    'a page of a frequent tag': get('/api/tenant/catalog?limit=24&tag=tag-7'),
    'in German: page 1': get('/api/tenant/catalog?limit=24&lang=de'),
    'in German: search': get('/api/tenant/catalog?limit=24&lang=de&q=c4ca4238'),
    'in German: a page of a frequent tag': get('/api/tenant/catalog?limit=24&lang=de&tag=tag-7'),
    'search: hit': get('/api/tenant/catalog?limit=24&q=c4ca4238'),
    'search: no hit': get('/api/tenant/catalog?limit=24&q=zzzqqq'),
    'search: two letters': get('/api/tenant/catalog?limit=24&q=ri'),
    'catalog of an allow-list tenant': get('/api/tenant/catalog?limit=24', allowList),
    departures: async () => void (await ask(`/api/tenant/tours/${target().slug}/departures`)),
    'cold availability': async () => {
      const { slug, date } = target();
      await ask(`/api/gateway/tours/${slug}/availability?departure_date=${date}`);
    },
    hold: async () => {
      const { slug, date } = target();
      await ask(`/api/gateway/tours/${slug}/hold`, { departure_date: date, quantity: 1 });
    },
    booking: async () => {
      const { slug, date } = target();
      await ask('/api/tenant/bookings', { ...customer, tour_id: slug, departure_date: date, adults: 1 });
    },
  };
}
