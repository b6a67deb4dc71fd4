import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant } from '../support/given';
import { readSamples } from '../support/metric-samples';
import { describeWithRedis, startRedis, stopRedisServers } from '../support/redis';
import { givenSeats, type Seats, seatsTaken } from '../support/website';
import type { Driver, Order, Ready } from './store-process';
import { type Kind, type Load, startLoad } from './website-load';

/** Duration of each state of the store. The long form is `npm run lab -- dead-store`. */
const SECONDS = Number(process.env.STORE_SECONDS ?? 1);
const LONG = process.env.STORE_SECONDS !== undefined;
const CLIENTS = LONG ? 8 : 4;
const BREATH_MS = 10;
const KINDS: Kind[] = [
  'availability',
  'hold',
  'availability',
  'booking',
  'hold with key',
  'booking with key',
];
/** Quota of catalog requests. The background load does not request the catalog. */
const QUOTA = 40;
const INSTANCES = 2;
/** How often a fault is measured, until one measurement has all promises: a machine that stalls meanwhile measures itself. */
const TRIES = 4;
/**
 * Milliseconds by which the longest answer may be slower than with a healthy store. Includes one timeout of the store, and the delay
 * of a busy machine.
 */
const LONGER_MS = 2000;
const WIDE = '1000000';

const FAULTS: Record<string, Order> = {
  hung: ['hang'],
  refused: ['refuse'],
  ...(LONG && {
    'slow by 250 ms': ['delay', 250],
    'talking nonsense': ['answerWith', 'HTTP/1.1 200 OK\r\n\r\n+OK\r\n'],
  }),
};

/** Measurements during one state of the store. */
interface Phase {
  name: string;
  took: number[];
  lost: string[];
  /** Number of accepted requests. The test sends twice the quota to one instance, with a separate key. */
  granted: number;
  /** Requests that the processes counted in memory, because the store was down. */
  fallbacks: number;
  /** How often each instance reported that the store is down. A machine that is busy for more than 150 ms causes more reports. */
  falls: number[];
}

describeWithRedis('two APIs whose shared store dies under load', () => {
  describe.each(['redis', 'rest'] as const)('over %s', (driver) => {
    suite(driver);
  });
});

function suite(driver: Driver): void {
  let database: TestDatabase;
  let db: Db;
  let store: ChildProcess;
  let apis: ApiProcess[];
  let authorization: string;
  let seats: Seats[];
  const loads: Load[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    ({ db } = database);
    const redis = await startRedis();
    store = fork(path.join(__dirname, 'store-process.ts'), [driver, redis.url], {
      execArgv: ['--import', 'tsx'],
    });
    const [address] = (await once(store, 'message')) as [Ready];
    const env = { ...address, REPLICAS: `${INSTANCES}`, CATALOG_RPM: `${QUOTA}`, LOG_LEVEL: 'warn' };
    apis = await Promise.all([startApiProcess(database.url, env), startApiProcess(database.url, env)]);
    const tenant = await givenTenant(db, { maxHolds: Number(WIDE), maxUnpaid: Number(WIDE) });
    authorization = `Bearer ${await givenKey(db, tenant)}`;
    seats = await Promise.all([1, 2, 3, 4].map(() => givenSeats(db, { seats: 100_000 })));
  }, 60_000);
  afterAll(async () => {
    await Promise.all((apis ?? []).map((api) => api.stop()));
    store?.kill();
    await stopRedisServers();
    await database.drop();
  }, 60_000);

  async function sum(name: string): Promise<number> {
    const scrapes = await Promise.all(apis.map((api) => api.metrics()));
    const samples = scrapes.flatMap(readSamples).filter((sample) => sample.name === name);
    return samples.reduce((total, { value }) => total + value, 0);
  }

  /** @param change runs during the load, so that requests are in flight at the change */
  async function phase(name: string, change: () => void = () => {}): Promise<Phase> {
    const before = await sum('quota_fallbacks_total');
    const said = saidAway();
    const running = apis.map(({ baseUrl: url }, n) =>
      startLoad(
        { url, authorization, seats, name: `${loads.length + n}-` },
        CLIENTS / INSTANCES,
        BREATH_MS,
        KINDS,
      ),
    );
    loads.push(...running);
    change();
    await sleep(SECONDS * 500);
    const granted = await spendQuota();
    await sleep(SECONDS * 500);
    await Promise.all(running.map((load) => load.stop()));
    return {
      name,
      took: running.flatMap((load) => load.took).sort((a, b) => a - b),
      lost: running.flatMap((load) => load.lost),
      granted,
      fallbacks: (await sum('quota_fallbacks_total')) - before,
      falls: saidAway().map((times, n) => times - said[n]!),
    };
  }

  async function spendQuota(): Promise<number> {
    const key = await givenKey(db, await givenTenant(db));
    const ask = () =>
      fetch(`${apis[0]!.baseUrl}/api/tenant/catalog?limit=1`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const answers = await Promise.all(Array.from({ length: 2 * QUOTA }, ask));
    return answers.filter(({ status }) => status === 200).length;
  }

  async function untilUp(): Promise<number> {
    const restoredAt = performance.now();
    while ((await sum('shared_store_up')) < INSTANCES) await sleep(20);
    return Math.round(performance.now() - restoredAt);
  }

  /** Measures while the store has the fault, and while it is back. */
  async function faultAndReturn(name: string, order: Order): Promise<Phase[]> {
    await untilUp();
    const away = await phase(name, () => store.send(order));
    expect(await sum('shared_store_up')).toBe(0);
    store.send(['resume'] satisfies Order);
    return [away, await phase(`back (found after ${await untilUp()} ms)`)];
  }

  const saidAway = () => apis.map((api) => api.log().split('shared store is down').length - 1);

  it(
    'a dead store slows no answer and loses no booking, and each instance keeps its share of the quota',
    async () => {
      await phase('warming up');
      // A process that compiles its code may stall for more than the store's timeout.
      await untilUp();
      const alive = await phase('alive');
      const phases = [alive];
      const broken: string[] = [];
      for (const [name, order] of Object.entries(FAULTS)) {
        let found: string[] = [];
        for (let tries = 0; tries === 0 || (found.length > 0 && tries < TRIES); tries++) {
          const measured = await faultAndReturn(name, order);
          phases.push(...measured);
          found = measured.flatMap((one) => brokenPromises(one, alive));
        }
        broken.push(...found);
      }
      if (LONG) process.stdout.write(figures(driver, phases));

      expect(phases.flatMap(({ lost }) => lost)).toEqual([]);
      expect(broken).toEqual([]);
      await expectSold();
    },
    60_000 + 12 * TRIES * (SECONDS + 2) * 1000,
  );

  /** Checks that each acknowledged booking exists once, and that the free seats match the rows. A dead store must not change this. */
  async function expectSold(): Promise<void> {
    const acknowledged = (of: 'holds' | 'bookings') => loads.flatMap((load) => [...load[of].values()]).sort();
    expect((await db('seat_holds').pluck('id')).sort()).toEqual(acknowledged('holds'));
    expect((await db('booking_leads').pluck('booking_ref')).sort()).toEqual(acknowledged('bookings'));
    const taken = await Promise.all(seats.map((one) => seatsTaken(db, one)));
    const sold = acknowledged('holds').length + acknowledged('bookings').length;
    expect(taken.reduce((total, count) => total + count, 0)).toBe(sold);
    expect(sold).toBeGreaterThan(50);
  }
}

function brokenPromises({ name, took, granted, fallbacks, falls }: Phase, alive: Phase): string[] {
  const away = name in FAULTS;
  const asExpected = away || falls.every((times) => times === 0);
  const promises: Record<string, boolean> = {
    'says once on each instance that the store is away': !away || falls.every((times) => times === 1),
    'grants the quota, or the share of it': !asExpected || granted === (away ? QUOTA / INSTANCES : QUOTA),
    'counts in memory only without the store': !asExpected || fallbacks > 0 === away,
    'keeps its speed': !asExpected || at(took, 0.5) < 3 * at(alive.took, 0.5) + 50,
    'lets nobody wait for more than the time-out': !asExpected || at(took, 1) < at(alive.took, 1) + LONGER_MS,
  };
  const seen = `${granted} granted, ${fallbacks} counted in memory, told ${falls.join(' and ')} times`;
  return Object.keys(promises).flatMap((one) => (promises[one] ? [] : [`${name}: ${one}; ${seen}`]));
}

function at(sorted: number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

function figures(driver: string, phases: Phase[]): string {
  const lines = phases.map(({ name, took, lost, granted }) => {
    const [p50, p99, longest] = [0.5, 0.99, 1].map((share) => `${Math.round(at(took, share))}`.padStart(7));
    const late = took.filter((ms) => ms > 150).length;
    const counts = [took.length, lost.length, late, granted].map((count) => `${count}`.padStart(8));
    return `${name.padEnd(26)}${counts[0]}${counts[1]}${p50}${p99}${longest}${counts[2]}${counts[3]}`;
  });
  const title = `the store over ${driver}`.padEnd(26);
  return [
    '',
    `${title}requests    lost p50 ms p99 ms longest >150 ms granted (of a quota of ${QUOTA}, one instance asked)`,
    ...lines,
    '',
  ].join('\n');
}
