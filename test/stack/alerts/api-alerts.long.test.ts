import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiProcess, startApiProcess } from '../../support/api-process';
import { useTestDatabase } from '../../support/database';
import { describeWith, isInstalled } from '../../support/describe-with';
import { givenKey, givenTenant } from '../../support/given';
import { describeWithRedis, startRedis, stopRedisServers } from '../../support/redis';
import { givenSeats, type PlacedSeats } from '../../support/website';
import { eventually } from '../../webhook-queue/queue-fixture';
import { ALERTS, expectAlerts, type Scrape, scrape, type Target } from './timeline';

const database = useTestDatabase();
let api: ApiProcess;
let authorization: string;
let seats: PlacedSeats;

const LIST = '/api/tenant/bookings';

const targetOf = (of: ApiProcess, instance = 'api-1'): Target => ({
  job: 'api',
  instance,
  metrics: () => of.metrics(),
});
const scrapeApi = () => scrape([targetOf(api)]);

async function get(path: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(`${api.baseUrl}${path}`, { headers: { authorization, ...headers } });
  await response.arrayBuffer();
  return response.status;
}

/** Sends the requests at the same time. @returns how many have each status */
async function getMany(count: number, path: string, headers?: (n: number) => Record<string, string>) {
  const statuses = await Promise.all(Array.from({ length: count }, (_, n) => get(path, headers?.(n))));
  return (status: number) => statuses.filter((one) => one === status).length;
}

/** Tries again after the answer 503: the API sheds load for a moment after its event loop was late. */
async function placeHold(): Promise<number> {
  const response = await fetch(`${api.baseUrl}/api/gateway/tours/${seats.tour.slug}/hold`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ departure_date: seats.date, quantity: 1 }),
  });
  await response.arrayBuffer();
  if (response.status !== 503) return response.status;
  await sleep(1100);
  return placeHold();
}

/** Locks the table while `work` runs, so that statements on it wait. */
async function whileLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  const other = await database.db.transaction();
  try {
    await other.raw('lock table ?? in access exclusive mode', [table]);
    return await work();
  } finally {
    await other.rollback();
  }
}

/** Returns the lag of the event loop since the scrape before. */
const lagOf = (samples: Scrape) =>
  samples.get('nodejs_eventloop_lag_p99_seconds{job="api",instance="api-1"}')!;

/** Scrapes before and after the work. */
async function around(work: () => Promise<unknown>): Promise<Scrape[]> {
  const before = await scrapeApi();
  await work();
  return [before, await scrapeApi()];
}

describeWith(
  'prometheus',
  'the alerts of the API',
  () => {
    beforeAll(async () => {
      const { db } = database;
      const tenant = await givenTenant(db, { status: 'active' });
      authorization = `Bearer ${await givenKey(db, tenant)}`;
      seats = await givenSeats(db);
      api = await startApiProcess(database.url, { TRUST_PROXY: '1' });
      await get(LIST);
      await placeHold();
    });
    afterAll(() => api.kill());

    it('no alert fires while the API answers', async () => {
      const scrapes = await around(async () => {
        const statusOf = await getMany(20, LIST);
        expect(statusOf(200)).toBe(20);
        expect(await placeHold()).toBe(201);
      });
      // On a busy machine the event loop may be late for a moment.
      const calm = await eventually('a calm event loop', async () => {
        await sleep(200);
        const samples = await scrapeApi();
        return lagOf(samples) < 0.2 ? samples : undefined;
      });
      scrapes.push(calm);
      const names = ALERTS.map(({ alert }) => alert).filter((name) => !name.startsWith('Webhook'));
      await expectAlerts(names, { scrapes, repeat: true, atMinutes: 40 }, []);
    });

    it('ApiErrors fires if one request in a hundred ends with 500', async () => {
      const scrapes = await around(async () => {
        await getMany(98, LIST);
        await database.db.raw('alter table booking_leads rename to booking_leads_gone');
        try {
          const statusOf = await getMany(2, LIST);
          expect(statusOf(500)).toBe(2);
        } finally {
          await database.db.raw('alter table booking_leads_gone rename to booking_leads');
        }
      });
      await expectAlerts(['ApiErrors'], { scrapes, repeat: true, atMinutes: 6 }, [
        { alertname: 'ApiErrors' },
      ]);
    });

    it('ApiOverloaded and DatabaseConnectionsWaitedFor fire if all connections for reads are in use', async () => {
      // Two reads of each key run at a time: 12 keys ask for more than all connections.
      const tenants = await Promise.all(Array.from({ length: 12 }, () => givenTenant(database.db)));
      const keys = await Promise.all(tenants.map((tenant) => givenKey(database.db, tenant)));
      const scrapes = await around(() =>
        whileLocked('booking_leads', async () => {
          const ofKey = (n: number) => ({ authorization: `Bearer ${keys[n % keys.length]}` });
          const statusOf = await getMany(2 * keys.length, LIST, ofKey);
          expect(statusOf(503)).toBeGreaterThan(6);
        }),
      );
      await expectAlerts(
        ['ApiOverloaded', 'DatabaseConnectionsWaitedFor'],
        { scrapes, repeat: true, atMinutes: 10 },
        [
          { alertname: 'ApiOverloaded', instance: 'api-1' },
          { alertname: 'DatabaseConnectionsWaitedFor', instance: 'api-1', pool: 'reads' },
        ],
      );
    });

    it('ApiSlow fires if one answer in twenty needs longer than half a second', async () => {
      const scrapes = await around(async () => {
        const answered = getMany(8, LIST);
        await whileLocked('booking_leads', () => sleep(1200));
        expect((await answered)(200)).toBe(8);
      });
      await expectAlerts(['ApiSlow'], { scrapes, repeat: true, atMinutes: 15 }, [{ alertname: 'ApiSlow' }]);
    });

    it('EventLoopLate fires if the event loop is late', async () => {
      const before = await scrapeApi();
      const after = await eventually('a late event loop', async () => {
        api.pause();
        await sleep(1000);
        api.resume();
        const samples = await scrapeApi();
        return lagOf(samples) > 0.2 ? samples : undefined;
      });
      const scrapes = [before, after];
      await expectAlerts(['EventLoopLate'], { scrapes, atMinutes: 8 }, [
        { alertname: 'EventLoopLate', job: 'api', instance: 'api-1' },
      ]);
    });

    it('DeparturesBusy fires if one sale in twenty waits too long for its departure', async () => {
      const scrapes = await around(async () => {
        const other = await database.db.transaction();
        await other('departures').where({ id: seats.departureId }).forUpdate().first('id');
        const status = await placeHold().finally(() => other.rollback());
        expect(status).toBe(409);
      });
      await expectAlerts(['DeparturesBusy'], { scrapes, repeat: true, atMinutes: 10 }, [
        { alertname: 'DeparturesBusy' },
      ]);
    });

    it('ReadCacheNotValid fires if the read cache was valid and is not valid any more', async () => {
      const scrapes = [await scrapeApi()];
      await whileLocked('api_instances', async () => {
        await sleep(2500);
        scrapes.push(await scrapeApi());
      });
      await expectAlerts(['ReadCacheNotValid'], { scrapes, atMinutes: 4 }, [
        { alertname: 'ReadCacheNotValid', job: 'api', instance: 'api-1' },
      ]);
    });

    it('CredentialsGuessed fires if more than five keys a second do not exist', async () => {
      const scrapes = await around(async () => {
        const unknownKey = (n: number) => ({
          authorization: `Bearer ${authorization.slice(7, -6)}${String(n).padStart(6, '0')}`,
          'x-forwarded-for': `203.0.113.${n % 10}`,
        });
        const statusOf = await getMany(400, LIST, unknownKey);
        expect(statusOf(401)).toBe(400);
      });
      await expectAlerts(['CredentialsGuessed'], { scrapes, repeat: true, atMinutes: 10 }, [
        { alertname: 'CredentialsGuessed' },
      ]);
    });

    it('ApiInstanceDown fires if one of two instances is gone, and ApiDown if both are', async () => {
      const other = await startApiProcess(database.url);
      const third = await startApiProcess(database.url);
      const targets = [targetOf(other, 'api-2'), targetOf(third, 'api-3')];
      const scrapes = [await scrape(targets)];
      await other.kill();
      scrapes.push(await scrape(targets));
      const down = (instance: string) => ({ alertname: 'ApiInstanceDown', job: 'api', instance });
      const names = ['ApiInstanceDown', 'ApiDown'];
      await expectAlerts(names, { scrapes, atMinutes: 3 }, [down('api-2')]);
      await third.kill();
      scrapes.push(await scrape(targets));
      await expectAlerts(names, { scrapes, atMinutes: 5 }, [
        down('api-2'),
        down('api-3'),
        { alertname: 'ApiDown' },
      ]);
    });

    it('ProcessRestarts fires if an instance starts three times within half an hour', async () => {
      const scrapes: Scrape[] = [];
      for (let start = 0; start < 4; start++) {
        const one = await startApiProcess(database.url);
        scrapes.push(await scrape([targetOf(one, 'api-2')]));
        await one.kill();
        // The metric with the time of the start has whole seconds.
        await sleep(1000);
      }
      await expectAlerts(['ProcessRestarts'], { scrapes: scrapes.slice(0, 3), atMinutes: 10 }, []);
      await expectAlerts(['ProcessRestarts'], { scrapes, atMinutes: 10 }, [
        { alertname: 'ProcessRestarts', job: 'api', instance: 'api-2' },
      ]);
    });

    describeWithRedis('with a shared store', () => {
      it('SharedStoreAway fires if the shared store does not answer', async () => {
        const redis = await startRedis();
        const one = await startApiProcess(database.url, { REDIS_URL: redis.url });
        const targets = [targetOf(one, 'api-2')];
        const read = () => fetch(`${one.baseUrl}${LIST}`, { headers: { authorization } });
        await read();
        const scrapes = [await scrape(targets)];
        await redis.kill();
        await read();
        scrapes.push(await scrape(targets));
        await one.kill();
        await stopRedisServers();
        await expectAlerts(['SharedStoreAway'], { scrapes, atMinutes: 4 }, [
          { alertname: 'SharedStoreAway', job: 'api', instance: 'api-2', driver: 'redis' },
        ]);
      });
    });
  },
  isInstalled('promtool'),
);
