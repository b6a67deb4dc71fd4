import { EventEmitter } from 'node:events';
import { get as sendGet } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'express';
import supertest from 'supertest';
import { createApp } from '../../services/api/app';
import { issueWidgetToken, rotateCredential } from '../../services/api/credentials/manage-credentials';
import { createCachedReads } from '../../services/api/http/api-context';
import { createLoadShedder } from '../../services/api/http/load-shedding';
import { inTransaction, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { startReadCacheValidity } from '../../services/platform/read-cache/read-cache';
import { createMemoryQuotaStore } from '../../services/platform/shared-store/quota-store';
import { useTestApi } from '../support/api';
import { OPERATIONS } from '../support/documented-operations';
import { daysFromToday, PEPPER } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { expectProblem } from '../support/responses';
import { givenSeats, givenWebsite, type Seats, type Website } from '../support/website';

const QUOTA = 100;
const api = useTestApi({
  quotas: { availability: QUOTA, hold: QUOTA, booking: QUOTA, catalog: QUOTA, widget: QUOTA },
});
let seats: Seats;
let slow: Website;
let other: Website;
beforeEach(async () => {
  api.context.quotas = createMemoryQuotaStore();
  seats = await givenSeats(api.db);
  slow = await givenWebsite(api);
  other = await givenWebsite(api);
});

const HOLDS = '/api/gateway/holds';
/** Reads a table that sales do not read. */
const SLOW_LIST = '/octo/bookings?resellerReference=none';
const WAITING_MAX = 1000;

const familyOf = (token: string) => token.split('_')[2]!.slice(0, 12);
const placeHold = (website: Website) => website.hold(seats.tour, { departure_date: seats.date, quantity: 1 });

/** Runs `work` while two reads of `slow` wait for a lock in the database. */
async function besideTwoSlowReads<T>(work: () => Promise<T>): Promise<T> {
  const lock = await api.db.transaction();
  await lock.raw('lock table octo_bookings in access exclusive mode');
  const reads = [1, 2].map(async () => slow.get(SLOW_LIST));
  try {
    await untilTransactionWaits(api.db, 2);
    return await work();
  } finally {
    await lock.rollback();
    for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
  }
}

/** Takes the whole share of a key or a widget token until the returned function is called. */
function takeShare(token: string): () => Promise<void> {
  const ends: (() => void)[] = [];
  const held = [1, 2].map(() =>
    api.context.readsInTurn(`reads ${familyOf(token)}`, () => new Promise<void>((end) => ends.push(end)), 2),
  );
  return async () => {
    ends.forEach((end) => end());
    await Promise.all(held);
  };
}

describe('two reads of a key that take long', () => {
  it('a third read of the key waits two seconds and gets 429, and the hold of another tenant is placed meanwhile', async () => {
    await besideTwoSlowReads(async () => {
      const third = slow.get(HOLDS).then((answer) => answer);
      expect((await placeHold(other)).status).toBe(201);
      expect((await other.get('/api/tenant/catalog')).status).toBe(200);
      const refused = await third;
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers['retry-after']).toBe('1');
    });
    expect((await slow.get(HOLDS)).status).toBe(200);
  });

  it('a read that waits begins when one of the two ends', async () => {
    const third = await besideTwoSlowReads(async () => {
      const waiting = slow.get(HOLDS).then((answer) => answer);
      await sleep(50);
      return [waiting];
    });
    expect((await third[0]!).status).toBe(200);
  });

  it('a read that is refused for the share is not counted in the quota, and its answer says what is left', async () => {
    await besideTwoSlowReads(async () => {
      const refused = await slow.get(HOLDS);
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers['ratelimit-remaining']).toBe(`${QUOTA - 2}`);
    });
    expect((await slow.get(HOLDS)).headers['ratelimit-remaining']).toBe(`${QUOTA - 3}`);
  });

  it('the successor of a rotated key has no share of its own, and writes need no share', async () => {
    const rotated = await inTransaction(api.db, (trx) =>
      rotateCredential(trx, PEPPER, 'api_key', familyOf(slow.key), { graceSeconds: 3600 }),
    );
    await besideTwoSlowReads(async () => {
      const authorization = `Bearer ${rotated.token}`;
      expectProblem(await api.http.get(HOLDS).set({ authorization }), 429, 'rate_limited');
      expect((await placeHold(slow)).status).toBe(201);
    });
  });

  it('a read whose client has gone keeps its share until the database has answered', async () => {
    const lock = await api.db.transaction();
    await lock.raw('lock table octo_bookings in access exclusive mode');
    const abandoned = [1, 2].map(() => {
      const sent = sendGet(api.baseUrl + SLOW_LIST, { headers: { authorization: slow.authorization } });
      return sent.on('error', () => {});
    });
    await untilTransactionWaits(api.db, 2);
    abandoned.forEach((sent) => sent.destroy());
    await sleep(50);
    const refused = await slow.get(HOLDS);
    await lock.rollback();
    expectProblem(refused, 429, 'rate_limited');
    expect((await slow.get(HOLDS)).status).toBe(200);
  });

  it('reads that wait for their key take no places from other tenants', async () => {
    const shedder = createLoadShedder();
    const http = supertest(createApp(api.context, shedder).listen(0, '127.0.0.1'));
    const free = takeShare(slow.key);
    const waiting = Array.from({ length: 20 }, async () =>
      http.get(HOLDS).set({ authorization: slow.authorization }),
    );
    await sleep(300);
    for (let n = 0; n < WAITING_MAX - 1; n++) shedder.enterAgain(new EventEmitter() as Response);
    const { status } = await http.get(HOLDS).set({ authorization: other.authorization });
    expect(status).toBe(200);
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(429);
    await free();
    shedder.stop();
  });
});

/** Calls that use no database after authentication. */
const WITHOUT_DATABASE = ['octoReadSupplier', 'octoListCapabilities'];
/** Calls that only read, although they are no GET. */
const READS_BY_POST = ['octoReadCalendar', 'octoCheckAvailability'];

const READS = OPERATIONS.filter(
  ({ id, method, credential }) => credential !== 'none' && (method === 'GET' || READS_BY_POST.includes(id)),
);

describe('each read of the API', () => {
  /** Sends a read with valid parameters. */
  async function send({ id, method, path }: (typeof READS)[number], token: string): Promise<number> {
    const target = path
      .replace('{id_or_slug}', seats.tour.slug)
      .replace('{id}', id === 'octoReadProduct' ? seats.tour.id : crypto.randomUUID())
      .replace(/\{\w+\}/, crypto.randomUUID());
    const query: Record<string, string> = {
      checkAvailability: `?departure_date=${seats.date}`,
      octoListBookings: '?resellerReference=none',
    };
    const product = { productId: seats.tour.id, optionId: 'DEFAULT' };
    const days = { localDateStart: daysFromToday(1), localDateEnd: daysFromToday(9) };
    const isKey = token.startsWith('svc_live_');
    const call = api.http[method === 'GET' ? 'get' : 'post'](target + (query[id] ?? ''));
    const sent = isKey ? call.set({ authorization: `Bearer ${token}` }) : call.query({ token });
    const { status } = await (method === 'GET' ? sent : sent.send({ ...product, ...days }));
    return status;
  }

  it('each read of the API with a key or a widget token takes its share, except those without database', async () => {
    const { token } = await inTransaction(api.db, (trx) => issueWidgetToken(trx, PEPPER, slow.tenant, {}));
    const answers = () =>
      Promise.all(
        READS.map(async (read) => {
          const status = await send(read, read.credential === 'key' ? slow.key : token);
          return [read.id, status];
        }),
      );
    const free = [takeShare(slow.key), takeShare(token)];
    const beside = Object.fromEntries(await answers());
    await Promise.all(free.map((end) => end()));
    const expected = READS.map(({ id }) => [id, WITHOUT_DATABASE.includes(id) ? 200 : 429]);
    expect(beside).toEqual(Object.fromEntries(expected));
    const alone = Object.fromEntries(await answers());
    expect(Object.values(alone)).not.toContain(429);
    expect(READS.length).toBeGreaterThan(15);
  });

  it('the page for an iframe takes the share of its widget token', async () => {
    const { token } = await inTransaction(api.db, (trx) => issueWidgetToken(trx, PEPPER, slow.tenant, {}));
    const free = takeShare(token);
    expect((await api.http.get('/embed/tours').query({ token })).status).toBe(429);
    await free();
    expect((await api.http.get('/embed/tours').query({ token })).status).toBe(200);
  });
});

describe('reads that are in memory', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    const polls = openDatabase(api.database.url, { applicationName: 'tests', poolMax: 1 });
    const validity = startReadCacheValidity(polls, createLogger('silent', 'tests'));
    Object.assign(api.context, createCachedReads(api.context.db, validity));
    stop = async () => {
      await validity.stop();
      await polls.destroy();
    };
  });
  afterAll(() => stop());

  it('reads that are in memory need no share: stored bytes, 304, availability, and a list of OCTO', async () => {
    await awaitInstances(api.db);
    const { slug, id } = seats.tour;
    const availability = `/api/gateway/tours/${slug}/availability?departure_date=${seats.date}`;
    const days = { localDateStart: seats.date, localDateEnd: seats.date };
    const octo = () => slow.post('/octo/availability', { productId: id, optionId: 'DEFAULT', ...days });
    const product = `/octo/products/${id}`;
    const paths = ['/api/tenant/catalog', `/api/tenant/tours/${slug}`, availability, product];
    for (const path of paths) expect((await slow.get(path)).status).toBe(200);
    expect((await octo()).status).toBe(200);
    const free = takeShare(slow.key);
    for (const path of paths) expect((await slow.get(path)).status).toBe(200);
    expect((await slow.get(availability)).headers['cache-status']).toBe('availability; hit');
    const { etag } = (await slow.get('/api/tenant/catalog')).headers;
    expect((await slow.get('/api/tenant/catalog').set({ 'if-none-match': etag! })).status).toBe(304);
    expect((await octo()).status).toBe(200);
    await free();
  });

  it('a key that waits for its share delays no other tenant that reads the same', async () => {
    await awaitInstances(api.db);
    const path = `/api/gateway/tours/${seats.tour.slug}/availability?departure_date=${seats.date}`;
    const free = takeShare(slow.key);
    const waiting = slow.get(path).then((answer) => answer);
    await sleep(100);
    const answer = await other.get(path);
    expect([answer.status, answer.headers['cache-status']]).toEqual([200, 'availability; fwd=miss']);
    expectProblem(await waiting, 429, 'rate_limited');
    await free();
  });
});
