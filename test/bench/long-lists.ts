/*
 * Measures the longest turn of the API's event loop while it answers long lists: `npm run bench -- long-lists`. Other requests wait during
 * a turn.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { startApiProcess } from '../support/api-process';
import { freePorts } from '../support/free-ports';
import { daysFromToday, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { withDatabase } from './stack';
import { printTable } from './table';

const DAYS = 366;
const DEPARTURES_A_DAY = 20;
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const IDLE_MS = 500;
const PRICING = { 'octo-capabilities': 'octo/pricing' };

interface List {
  name: string;
  /** Undefined: sends no request, to show the noise of the machine. */
  path?: string;
  /** Undefined: a GET. */
  body?: object;
  headers?: Record<string, string>;
}

export async function measureLongLists(): Promise<void> {
  await withDatabase(async ({ db, url }) => {
    const tour = await givenYear(db);
    const key = await givenKey(db, await givenTenant(db), ['catalog:read']);
    const [port] = await freePorts();
    const api = await startApiProcess(url, {
      NODE_OPTIONS: `--require ${path.join(__dirname, 'longest-turn.cjs')}`,
      TURN_PORT_MAX: `${port}`,
      // Reads every list from the database.
      AUTHORIZATION_CACHE: 'off',
    });
    const longestTurn = async () => Number(await (await fetch(`http://127.0.0.1:${port}`)).text());
    try {
      const rows: string[][] = [];
      for (const list of listsOf(tour)) rows.push(await measureList(api.baseUrl, key, list, longestTurn));
      printTable('Longest turn of the event loop', ['list', 'KiB', 'median, ms', 'longest, ms'], rows);
    } finally {
      await api.stop();
    }
  });
}

async function measureList(
  baseUrl: string,
  key: string,
  { name, path: target, body, headers }: List,
  longestTurn: () => Promise<number>,
): Promise<string[]> {
  const turns: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    // Lets the entries of the shared cache expire, which are valid for two seconds.
    await sleep(2_100);
    await longestTurn();
    if (!target) {
      await sleep(IDLE_MS);
      turns.push(await longestTurn());
      continue;
    }
    const answer = await fetch(baseUrl + target, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    bytes = (await answer.arrayBuffer()).byteLength;
    turns.push(await longestTurn());
  }
  turns.sort((a, b) => a - b);
  const [median, longest] = [turns[turns.length >> 1]!, turns.at(-1)!];
  return [name, (bytes / 1024).toFixed(0), median.toFixed(0), longest.toFixed(0)];
}

function listsOf({ id, slug }: GivenTour): List[] {
  const product = { productId: id, optionId: 'DEFAULT' };
  const days = (count: number) => ({ localDateStart: daysFromToday(1), localDateEnd: daysFromToday(count) });
  const check = '/octo/availability';
  return [
    { name: 'no request' },
    { name: 'OCTO availability of a year', path: check, body: { ...product, ...days(DAYS) } },
    {
      name: 'OCTO availability of a year with prices',
      path: check,
      body: { ...product, ...days(DAYS) },
      headers: PRICING,
    },
    {
      name: 'OCTO calendar of a year with prices',
      path: `${check}/calendar`,
      body: { ...product, ...days(DAYS) },
      headers: PRICING,
    },
    {
      name: 'OCTO availability of 18 days (360 rows)',
      path: check,
      body: { ...product, ...days(18) },
      headers: PRICING,
    },
    { name: 'REST departures, 366 rows', path: `/api/tenant/tours/${slug}/departures?limit=366` },
  ];
}

/** Creates a tour with departures on every day of a year. */
async function givenYear(db: Db): Promise<GivenTour> {
  const tour = await givenTour(db);
  await db.raw(
    `insert into departures (tour_id, departure_date, return_date, start_time, seats_total, prices_minor)
     select :tourId, day, day, to_char(time '06:00' + n * interval '30 minutes', 'HH24:MI'), 20, '{"adult": 10000, "child": 5000}'
     from generate_series(current_date + 1, current_date + :days::integer, interval '1 day') day, generate_series(1, :each::integer) n`,
    { tourId: tour.id, days: DAYS, each: DEPARTURES_A_DAY },
  );
  return tour;
}
