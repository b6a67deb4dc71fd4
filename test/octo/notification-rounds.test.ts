import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { ChangedSeats } from '../../services/api/octo/changed-seats';
import { notifyOfCatalog } from '../../services/api/octo/notify-of-catalog';
import { createRefusalLog } from '../../services/api/refusals/refusal-log';
import { startSweeper } from '../../services/api/sweeper';
import type { Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { useWebsite } from '../support/website';

const api = useTestApi();
const reseller = useWebsite(api);

const DATE = daysFromToday(30);
const SWEEP_MS = 15_000;
/** The most dates that a process remembers. */
const LIMIT = 10_000;

/** The lines that the code under test has logged. */
let lines: { level: number; msg: string; limit?: number }[];
const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
const messages = () => lines.map(({ msg }) => msg);

beforeAll(async () => {
  const { status } = await reseller.post('/octo/notifications/subscriptions', {
    url: 'https://reseller.example.com/octo',
    notificationTypes: ['PRODUCT_UPDATE', 'AVAILABILITY_UPDATE'],
  });
  expect(status).toBe(200);
});
beforeEach(async () => {
  lines = [];
  await notifyOfCatalog(api.context.db, fail);
  await api.seats.notify(api.context.db);
  await api.db('webhook_queue').delete();
});

function fail(error: unknown): never {
  throw error;
}

/** Returns the ids of the tours for which a notification of the type waits. */
async function toldOf(type: 'octo.product_update' | 'octo.availability_update'): Promise<string[]> {
  const bodies = await api
    .db('webhook_queue as q')
    .join('webhook_deliveries as d', 'd.id', 'q.delivery_id')
    .join('webhook_events as e', 'e.id', 'd.event_id')
    .where('e.type', type)
    .pluck<string[]>('e.body');
  return bodies.map((body) => JSON.parse(body).productId);
}

/** Runs the work while another transaction holds a lock. Releases the lock when the work ends, or earlier by `release`. */
async function whileLocked(
  lock: (trx: Trx) => Promise<unknown>,
  work: (release: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const other = await api.db.transaction();
  try {
    await lock(other);
    await work(() => other.rollback());
  } finally {
    if (!other.isCompleted()) await other.rollback();
  }
}

describe('changed seats that a process remembers', () => {
  const someDates = (count: number) =>
    Array.from({ length: count }, () => ({ tourId: randomUUID(), date: DATE, sandbox: false }));
  const warning = {
    msg: 'too many changed departures: the subscribers of OCTO are not notified of the others',
    limit: LIMIT,
  };

  it('more dates than the limit are logged once until the next notification', async () => {
    const seats = new ChangedSeats(log);
    const dates = someDates(LIMIT);
    seats.recordDates(dates);
    expect(lines).toEqual([]);
    seats.recordDates(someDates(2));
    seats.recordDates(someDates(1));
    expect(lines).toEqual([expect.objectContaining(warning)]);
    await seats.notify(api.context.db);
    seats.recordDates(dates);
    expect(lines).toHaveLength(1);
    seats.recordDates(someDates(1));
    expect(lines).toHaveLength(2);
  });

  it('a date that is remembered already is not above the limit, and its seats of the sandbox are another date', () => {
    const seats = new ChangedSeats(log);
    const changed = someDates(LIMIT);
    seats.recordDates(changed);
    seats.recordDates([changed[0]!]);
    expect(lines).toEqual([]);
    seats.recordDates([{ ...changed[0]!, sandbox: true }]);
    expect(lines).toEqual([expect.objectContaining(warning)]);
  });
});

describe('the sweeper', () => {
  const start = () => {
    const { changes, config } = api.context;
    const { holds, answerDays } = config;
    const swept = { refusals: createRefusalLog(), seats: api.seats, holds, answerDays, changes };
    return startSweeper(api.context.db, swept, log);
  };

  async function takeSeat(): Promise<string> {
    const tour = await givenTour(api.db);
    await givenDeparture(api.db, tour, { date: DATE });
    await notifyOfCatalog(api.context.db, fail);
    await api.db('webhook_queue').delete();
    expect((await reseller.hold(tour, { departure_date: DATE, quantity: 1 })).status).toBe(201);
    return tour.id;
  }

  it('the sweeper notifies of the last changed seats when it stops', async () => {
    const sweeper = start();
    const id = await takeSeat();
    expect(await toldOf('octo.availability_update')).toEqual([]);
    await sweeper.stop();
    expect(await toldOf('octo.availability_update')).toEqual([id]);
    expect(lines).toEqual([]);
  });

  it('the sweeper logs at its stop that the last changed seats were not sent', async () => {
    const sweeper = start();
    const id = await takeSeat();
    await api.db.raw('alter function sellable_currencies(text) rename to renamed');
    await sweeper.stop();
    await api.db.raw('alter function renamed(text) rename to sellable_currencies');
    expect(messages()).toEqual(['changed seats not sent']);
    await api.seats.notify(api.context.db);
    expect(await toldOf('octo.availability_update')).toEqual([id]);
  });

  it('the sweeper begins no second round of the catalog while one runs, and the next tick begins one', async () => {
    // Fakes only intervals, which are the timers of the sweeper. The database's driver needs the others.
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'performance',
        'nextTick',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
      ],
    });
    const sweeper = start();
    try {
      const first = await givenTour(api.db);
      await whileLocked(
        (trx) => trx.raw('lock table octo_catalog_reads in access exclusive mode'),
        async (release) => {
          for (let tick = 0; tick < 3; tick++) {
            jest.advanceTimersByTime(SWEEP_MS);
            await untilTransactionWaits(api.db);
            await sleep(100);
          }
          expect(await countWaiting()).toBe(1);
          await release();
        },
      );
      await untilTold(first.id);
      const second = await givenTour(api.db);
      await untilIdle();
      jest.advanceTimersByTime(SWEEP_MS);
      await untilTold(second.id);
      expect(lines).toEqual([]);
    } finally {
      await sweeper.stop();
      jest.useRealTimers();
    }
  });

  /** Counts the rounds of the catalog that wait for the lock. */
  async function countWaiting(): Promise<number> {
    const { rows } = await api.db.raw(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%octo_catalog_reads%'`,
    );
    return rows[0].n;
  }

  async function untilTold(id: string): Promise<void> {
    while (!(await toldOf('octo.product_update')).includes(id)) await sleep(10);
  }

  /** Resolves when no other connection runs a transaction, so the round of the catalog has ended. */
  async function untilIdle(): Promise<void> {
    const busy = `select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;
    while ((await api.db.raw(busy)).rows.length > 0) await sleep(10);
    await sleep(50);
  }
});

describe('a round of the catalog', () => {
  it('a round leaves out a tenant whose changes another instance sends, and the next round sends what remains', async () => {
    const { id } = await givenTour(api.db);
    await whileLocked(
      (trx) => trx('octo_catalog_reads').where({ tenant_id: reseller.tenant.id }).forUpdate(),
      async () => {
        await notifyOfCatalog(api.context.db, fail);
        expect(await toldOf('octo.product_update')).toEqual([]);
      },
    );
    await notifyOfCatalog(api.context.db, fail);
    expect(await toldOf('octo.product_update')).toEqual([id]);
  });
});
