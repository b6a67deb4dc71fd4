import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenDeparture, givenKey, givenTenant, givenTour, type GivenTour } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { readSamples } from '../support/metric-samples';

/** The connections for reads (main.ts). */
const READ_CONNECTIONS = 6;
const SLOW_KEYS = 4;

let database: TestDatabase;
let api: ApiProcess;
let tour: GivenTour;
let date: string;
beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApiProcess(database.url);
  tour = await givenTour(database.db);
  date = await givenDeparture(database.db, tour);
});
afterAll(async () => {
  await api.stop();
  await database.drop();
});

const ask = (key: string, path: string, body?: object) =>
  fetch(api.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  }).then(({ status }) => status);
const newKey = async () => givenKey(database.db, await givenTenant(database.db));

describe('an API whose connections for reads are all used', () => {
  it('holds are placed, new keys are verified, the instance stays ready and its read cache valid, while reads use all their connections', async () => {
    const slow = await Promise.all(Array.from({ length: SLOW_KEYS }, newKey));
    const fresh = await newKey();
    const lock = await database.db.transaction();
    await lock.raw('lock table octo_bookings in access exclusive mode');
    const reads = [...slow, ...slow].map((key) => ask(key, '/octo/bookings?resellerReference=none'));
    await untilTransactionWaits(database.db, READ_CONNECTIONS);
    const hold = { departure_date: date, quantity: 1 };
    expect(await ask(fresh, `/api/gateway/tours/${tour.slug}/hold`, hold)).toBe(201);
    expect((await fetch(`${api.baseUrl}/readyz`)).status).toBe(200);
    const valid = readSamples(await api.metrics()).find(({ name }) => name === 'read_cache_valid');
    expect(valid!.value).toBe(1);
    await lock.rollback();
    await Promise.all(reads);
  });
});
