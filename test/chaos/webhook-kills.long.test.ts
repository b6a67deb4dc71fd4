import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, openDatabase } from '../../services/platform/database/database';
import { joinEmbeddedPostgres } from '../../services/platform/embedded-postgres/embedded-postgres';
import { stopServer } from '../../services/platform/embedded-postgres/server';
import { migrate } from '../../services/platform/migrate/migrate';
import { createTestDatabase } from '../support/database';
import { type Fleet, startFleet } from './fleet';
import { type Receiver, startReceiver } from './receiver';
import { FAN_OUT, type ChaosTenants, createChaosTenants } from './tenants';
import { breaches, overwritten, printFigures, readDeliveryRecords, shareTakenTwice } from './verdict';

/** The long form is `npm run lab -- webhooks`. */
const DELIVERIES = Number(process.env.DELIVERIES ?? 400);
const KILLS = Number(process.env.KILLS ?? 5);
const RESTARTS = Number(process.env.RESTARTS ?? 0);
const LONG = DELIVERIES >= 10_000;
const WORKERS = 3;
/** Average milliseconds between two kills. */
const KILL_EVERY_MS = LONG ? 2000 : 1000;
const RESTART_EVERY_MS = 5000;
const TIMEOUT_MS = LONG ? 300_000 : 30_000;
const SIZE = LONG ? { tenants: 10, failing: 2 } : { tenants: 4, failing: 1 };

let receiver: Receiver;
let fleet: Fleet | undefined;
let closeDatabase: () => Promise<void> = async () => undefined;
beforeEach(async () => {
  receiver = await startReceiver();
}, 20_000);
afterEach(async () => {
  await fleet?.stop();
  receiver.stop();
  await closeDatabase();
}, 20_000);

/** A disturbance that repeats during the bookings. */
interface Disturbances {
  count: number;
  everyMs: number;
  strike: () => Promise<void>;
}

/** Spreads the bookings over the same time as the disturbances, so that each disturbance hits deliveries in progress. */
async function bookWithDisturbances(
  tenants: ChaosTenants,
  { count, everyMs, strike }: Disturbances,
): Promise<void> {
  const bookings = DELIVERIES / FAN_OUT;
  let struck = 0;
  const booking = async () => {
    for (let booked = 0; booked < bookings; booked++) {
      while (booked > (bookings * (struck + 1)) / count) await sleep(20);
      await tenants.book();
      await sleep((count * everyMs) / bookings);
    }
  };
  const striking = async () => {
    for (; struck < count; struck++) {
      await sleep(2 * everyMs * Math.random());
      await strike();
    }
  };
  await Promise.all([booking(), striking()]);
}

async function untilQueueIsEmpty(db: Db): Promise<void> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(100)) {
    const left = await db('webhook_queue').first('delivery_id');
    if (!left) return;
  }
}

/** Returns the start time of the server when it answers. */
async function startOf(db: Db): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      const { rows } = await db.raw<{ rows: [{ at: string }] }>(
        'select pg_postmaster_start_time()::text as at',
      );
      return rows[0].at;
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(100);
    }
  }
}

async function expectPromisesKept(db: Db, title: string) {
  const records = await readDeliveryRecords(db, await receiver.seen());
  const share = shareTakenTwice(records);
  const load = loadavg().map((value) => value.toFixed(1));
  if (LONG)
    printFigures(`${title}; taken twice: ${(100 * share).toFixed(2)} %; load ${load.join(' ')}`, records);
  expect(breaches(records)).toEqual({});
  expect(records.length).toBeGreaterThanOrEqual(DELIVERIES);
  // A worker that replaces a killed one repeats each request without a recorded result. 50 kills repeat 1.8 to 2.4 % of the deliveries at
  // a load of 4 on two cores, and 7.1 % at a load of 17. Ten restarts usually repeat 0 to 0.8 %, and at most 6.3 %. The short form has one
  // kill for 80 deliveries, which is too few for a limit.
  if (LONG) expect(share).toBeLessThanOrEqual(0.1);
  return records;
}

describe('webhook workers that are killed while they deliver', () => {
  it(
    'killed workers lose no delivery to a working endpoint, and every possible repeat is recorded',
    async () => {
      const database = await createTestDatabase();
      const { db } = database;
      closeDatabase = () => database.drop();
      const begun = Date.now();
      const tenants = await createChaosTenants(db, receiver, SIZE);
      const workers = (fleet = startFleet(database.url, WORKERS));
      await workers.ready();

      const freezing = async () => {
        await sleep(((KILLS * KILL_EVERY_MS) / 2) * Math.random());
        return workers.freeze(db);
      };
      const kills = { count: KILLS, everyMs: KILL_EVERY_MS, strike: workers.kill };
      const [late] = await Promise.all([freezing(), bookWithDisturbances(tenants, kills)]);

      await untilQueueIsEmpty(db);

      const took = Math.round((Date.now() - begun) / 1000);
      const title = `${KILLS} kills and one freeze with ${late.length} late results in ${took} s`;
      const records = await expectPromisesKept(db, title);
      expect(late.length).toBeGreaterThan(0);
      expect(overwritten(records, late)).toEqual([]);
    },
    KILLS * KILL_EVERY_MS * 3 + TIMEOUT_MS,
  );

  if (RESTARTS > 0) {
    it(
      'restarts of PostgreSQL lose no delivery',
      async () => {
        const directory = mkdtempSync(path.join(tmpdir(), 'chaos-webhooks-'));
        const embedded = await joinEmbeddedPostgres(directory);
        const db = openDatabase(embedded.url, { applicationName: 'chaos', poolMax: 8 });
        closeDatabase = async () => {
          await db.destroy();
          await embedded.leave();
          rmSync(directory, { recursive: true, force: true });
        };
        await migrate(db);
        const begun = Date.now();
        const tenants = await createChaosTenants(db, receiver, SIZE);
        const workers = (fleet = startFleet(embedded.url, WORKERS));
        await workers.ready();
        const starts = new Set([await startOf(db)]);
        // The processes that use the server start it again. Every second time, the server has to recover from a crash.
        const strike = async () => {
          await stopServer(path.join(directory, 'pg18'), starts.size % 2 ? 'fast' : 'immediate');
          starts.add(await startOf(db));
        };
        await bookWithDisturbances(tenants, { count: RESTARTS, everyMs: RESTART_EVERY_MS, strike });
        await untilQueueIsEmpty(db);

        const took = Math.round((Date.now() - begun) / 1000);
        await expectPromisesKept(db, `${starts.size - 1} restarts of PostgreSQL in ${took} s`);
        expect(starts.size).toBe(RESTARTS + 1);
      },
      RESTARTS * RESTART_EVERY_MS * 3 + TIMEOUT_MS,
    );
  }
});
