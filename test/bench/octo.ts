/*
 * Compares OCTO's reads of availability with the list of departures: `npm run bench -- octo`. Both read the same range of a tour
 * with a departure every day, by the same query. Sends one request at a time, alternately. Measures once with the default
 * settings, and once with AUTHORIZATION_CACHE=off, so that every request runs its query.
 */
import { Client } from 'undici';
import { startInstance } from '../stack/service';
import { freePorts } from '../support/free-ports';
import { daysFromToday, givenKey, givenTenant, givenTour } from '../support/given';
import { type BenchDatabase, serviceSettings, withDatabase } from './stack';
import { median, printTable, spread } from './table';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const REQUESTS = 200;
const DAYS = 366;
const AIM = 1.5;

interface Call {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  body?: object;
}

export async function measureOcto(): Promise<void> {
  await withDatabase(async (database) => {
    const key = await givenKey(database.db, await givenTenant(database.db));
    const tour = await givenDailyTour(database);
    await measure(database, 'As served', key, tour, {});
    await measure(database, 'With AUTHORIZATION_CACHE=off', key, tour, { AUTHORIZATION_CACHE: 'off' });
  });
}

async function givenDailyTour({ db }: BenchDatabase): Promise<string> {
  const { id } = await givenTour(db);
  await db('tours').where({ id }).update({ start_time: '09:30', time_zone: 'Europe/Berlin' });
  await db.raw(
    `insert into departures (tour_id, departure_date, seats_total, prices_minor)
     select :id::uuid, current_date + n, 40, '{"adult": 48000, "child": 24000}' from generate_series(1, ${DAYS}) n`,
    { id },
  );
  await db.raw('vacuum analyze');
  return id;
}

async function measure(
  { url, directory }: BenchDatabase,
  title: string,
  key: string,
  tour: string,
  environment: Record<string, string>,
): Promise<void> {
  const [port, , metrics] = await freePorts();
  const api = await startInstance('api', directory, port, {
    ...serviceSettings(url, metrics),
    ...environment,
  });
  const client = new Client(api.baseUrl);
  try {
    const rows: string[][] = [];
    for (const [octo, rest] of pairsOf(tour)) {
      const times = await timesOf(
        () => timeOf(client, key, octo),
        () => timeOf(client, key, rest),
      );
      const ratio = median(times.map(([ours, theirs]) => ours / theirs));
      const [ours, theirs] = [times.map(([time]) => time), times.map(([, time]) => time)];
      const result = ratio <= AIM ? 'ok' : 'missed';
      rows.push([octo.name, spread(ours), spread(theirs), ratio.toFixed(2), `≤ ${AIM}`, result]);
    }
    printTable(title, ['call', 'OCTO, µs', 'departures, µs', 'ratio', 'aim', 'result'], rows);
  } finally {
    await client.close();
    await api.stop();
  }
}

/** Measures OCTO and REST in turns. Drops the first round, in which Node compiles the hot functions. */
async function timesOf(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<[number, number][]> {
  const times: [number, number][] = [];
  for (let round = 0; round <= ROUNDS; round++) times.push([await ours(), await theirs()]);
  return times.slice(1);
}

function pairsOf(tour: string): [octo: Call, rest: Call][] {
  const days = (count: number) => ({ localDateStart: daysFromToday(1), localDateEnd: daysFromToday(count) });
  const octo = (name: string, path: string, count: number): Call => ({
    name,
    method: 'POST',
    path,
    body: { productId: tour, optionId: 'DEFAULT', ...days(count) },
  });
  const departures = (count: number): Call => ({
    name: 'departures',
    method: 'GET',
    path: `/api/tenant/tours/${tour}/departures?from=${daysFromToday(1)}&to=${daysFromToday(count)}&limit=366`,
  });
  return [
    [octo(`calendar of ${DAYS} days`, '/octo/availability/calendar', DAYS), departures(DAYS)],
    [octo('availability of 30 days', '/octo/availability', 30), departures(30)],
  ];
}

/** Returns the median time of a request in microseconds. */
async function timeOf(client: Client, key: string, { method, path, body }: Call): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
  const times: number[] = [];
  for (let n = 0; n < REQUESTS; n++) {
    const begun = performance.now();
    const answer = await client.request({
      method,
      path,
      headers,
      body: body && JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    times.push((performance.now() - begun) * 1000);
  }
  return median(times);
}
