import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { createLiveUpdates, type LiveUpdates } from '../../services/webhook-queue/monitor/http/live';
import { overviewPage } from '../../services/webhook-queue/monitor/pages/overview-page';
import type { Range } from '../../services/webhook-queue/monitor/queries/read-query';
import { useTestDatabase } from '../support/database';
import { awaitRoomInPeriod, book, createTenant, eventually } from './queue-fixture';

const ROUND_MS = 20;

const database = useTestDatabase();
let db: Db;
let live: LiveUpdates;

beforeAll(() => void (db = database.db));
beforeEach(async () => {
  // Waits until the current period of the statistics is long enough for a test, because a new period moves the charts.
  await awaitRoomInPeriod();
  live = createLiveUpdates(db, createLogger('silent', 'webhook-queue'), ROUND_MS);
});
afterEach(() => live.stop());

interface Told {
  id: string;
  html: string;
}

function listen(range: Range = '1h') {
  const told: Told[] = [];
  const leave = live.add((event, data) => {
    expect(event).toBe('fragment');
    told.push(JSON.parse(data) as Told);
  }, range);
  return { told, leave, ids: () => told.map(({ id }) => id) };
}

const PARTS = ['needs', 'tiles', 'workers', 'statistics'];
const allParts = ({ told }: { told: Told[] }) =>
  eventually('all parts', () => (told.length >= PARTS.length ? true : undefined));

it('The live page sends each part of the overview once, with the same HTML as the page', async () => {
  const client = listen();
  await allParts(client);
  await sleep(5 * ROUND_MS);
  expect(client.ids()).toEqual(PARTS);
  const page = await overviewPage(db, { range: '1h' }, { operator: 'olga', csrfToken: 'x' });
  for (const { id, html } of client.told) {
    expect(html).toMatch(new RegExp(`^<section id="${id}"`));
    expect(page).toContain(html);
  }
});

it('After the first round, the live page sends only the parts that have changed', async () => {
  const client = listen();
  await allParts(client);
  await db('webhook_workers').insert({ id: 'w1', slots: 64, in_flight: 3 });
  await eventually('the worker', () => (client.told.at(-1)?.html.includes('w1') ? true : undefined));
  expect(client.ids().slice(PARTS.length).sort()).toEqual(['needs', 'tiles', 'workers']);
  const tenant = await createTenant(db);
  await book(db, tenant);
  await eventually('the waiting one', () =>
    client.told.some(({ id, html }) => id === 'needs' && /for\s+an\s+endpoint/.test(html)) ? true : undefined,
  );
  expect(client.ids().filter((id) => id === 'statistics')).toHaveLength(1);
});

it('The live page sends each client the range that it requested', async () => {
  const [hour, week] = [listen('1h'), listen('7d')];
  const statisticsOf = ({ told }: typeof hour) => told.find(({ id }) => id === 'statistics')?.html;
  await eventually('both', () => (statisticsOf(hour) && statisticsOf(week) ? true : undefined));
  const hits = (html: string | undefined) => html?.match(/class="hit"/g)?.length;
  expect([hits(statisticsOf(hour)), hits(statisticsOf(week))]).toEqual([3 * 12, 3 * 84]);
});

it('The live page runs no queries and sends nothing after its last client left', async () => {
  const client = listen();
  await allParts(client);
  let [queries, last] = [0, performance.now()];
  db.on('query', () => ([queries, last] = [queries + 1, performance.now()]));
  client.leave();
  // A round that has started is completed.
  await eventually('no query', () => (performance.now() - last > 10 * ROUND_MS ? true : undefined));
  const before = queries;
  await db('webhook_workers').delete();
  await sleep(5 * ROUND_MS);
  expect(queries - before).toBe(1);
  expect(client.told).toHaveLength(PARTS.length);
  db.removeAllListeners('query');
});

it('The live page continues after a failed query', async () => {
  await db.raw('alter table webhook_workers rename to webhook_workers_away');
  const client = listen();
  await sleep(4 * ROUND_MS);
  expect(client.told).toEqual([]);
  await db.raw('alter table webhook_workers_away rename to webhook_workers');
  await allParts(client);
});
