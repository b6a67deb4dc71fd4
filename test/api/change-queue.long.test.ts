import type { Knex } from 'knex';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ApiKeyPrincipal } from '../../services/api/credentials/credential';
import { revokeCredential } from '../../services/api/credentials/manage-credentials';
import { findDeparture } from '../../services/api/departures/find-departures';
import { DepartureBusyError } from '../../services/api/departures/departure.errors';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { changeHold } from '../../services/api/seats/changes/change-hold';
import { createBooking } from '../../services/api/seats/changes/create-booking';
import { type HoldRequest, placeHold } from '../../services/api/seats/changes/place-hold';
import { releaseHold } from '../../services/api/seats/changes/release-hold';
import { type SeatChange, type Seller, sellerWithoutKey } from '../../services/api/seats/seat-change';
import { QUEUE_LIMITS } from '../../services/api/seats/queue/queue-limits';
import { ChangeQueue } from '../../services/api/seats/queue/change-queue';
import { changeTenantStatus } from '../../services/api/tenants/manage-tenants';
import { awaitUses } from '../../services/api/tenants/use-lock';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { useTestDatabase } from '../support/database';
import { daysFromToday, givenDeparture, givenKey, givenTenant } from '../support/given';
import { bookingRequest, holdRequest } from '../support/sell';
import { givenSeats, type PlacedSeats, type Seats, seatsTaken } from '../support/website';

/** Exceeds the number of locked departures that the queue waits for. */
const LOCKED = 8;

const log = createLogger('silent', 'api');
const database = useTestDatabase();
let tenant: Tenant;
/** The pools of the queue and of the other transactions. */
let [writes, others]: Db[] = [];
beforeAll(async () => {
  tenant = await givenTenant(database.db);
  writes = openDatabase(database.url, { applicationName: 'tests', poolMax: 16 });
  others = openDatabase(database.url, { applicationName: 'tests', poolMax: LOCKED });
});
afterAll(() => Promise.all([writes!.destroy(), others!.destroy()]));

describe.each([
  ['with group commit', true],
  ['without group commit', false],
])('the queue of sales %s', (_title, groupCommit) => {
  let queue: ChangeQueue;
  beforeEach(() => void (queue = new ChangeQueue(writes!, log, groupCommit)));

  it('the queue sells an unlocked departure at once while many other departures are locked', async () => {
    const departures = await Promise.all(Array.from({ length: LOCKED }, () => givenSeats(database.db)));
    const locks: Knex.Transaction[] = [];
    for (const departure of departures) locks.push(await lock(departure));
    const results = departures.map((departure) => queue.commit(holdOf(departure)).then(kindOf, kindOf));
    await untilWaiters(6);

    expect(
      await millisecondsOf(async () => queue.commit(holdOf(await givenSeats(database.db)))),
    ).toBeLessThan(1_000);
    const last = LOCKED - 1;
    await locks[last]!.rollback();
    expect(await millisecondsOf(() => results[last]!)).toBeLessThan(1_000);
    expect(await results[last]).toBe('sold');
    expect(await Promise.all(results.slice(0, last))).toEqual(Array(last).fill('DepartureBusyError'));
    await Promise.all(locks.slice(0, last).map((trx) => trx.rollback()));
  });

  it('a sale that the database cannot store does not make the other sales of its batch fail', async () => {
    const departure = await givenSeats(database.db, { seats: 100 });
    const sales: SeatChange<SeatHold>[] = Array.from({ length: 16 }, () => holdOf(departure));
    // PostgreSQL cannot store a NUL character. The API refuses it earlier.
    sales[7] = holdOf(departure, { customer: { name: '\0', phone: null, email: null } });
    const results = await Promise.all(sales.map((sale) => queue.commit(sale).then(kindOf, kindOf)));
    expect(results.filter((kind) => kind === 'sold')).toHaveLength(15);
    expect(results[7]).not.toBe('sold');
    expect(await seatsTaken(database.db, departure)).toBe(15);
  });

  it('bookings by external_ref that wait for a locked departure delay no sale of another departure', async () => {
    const { db } = database;
    const departure = await givenSeats(db);
    await queue.commit(holdOf(departure, { externalRef: 'cart' }));
    const bookings = await Promise.all(Array.from({ length: 8 }, () => bookingOf(departure, 'cart')));
    const locked = await lock(departure);
    const results = bookings.map((sale) => queue.commit(sale).then(kindOf, kindOf));
    await untilWaiters(1);

    const other = await givenSeats(db);
    const begun = performance.now();
    expect(kindOf(await queue.commit(await bookingOf(other, null)))).toBe('sold');
    expect(performance.now() - begun).toBeLessThan(1_000);
    await locked.rollback();
    const kinds = await Promise.all(results);
    expect(kinds.filter((kind) => kind === 'sold')).toHaveLength(1);
    expect(await seatsTaken(db, departure)).toBe(1);
  });

  it('the queue sells a departure in batches again after its lock ends, even under load', async () => {
    const departure = await givenSeats(database.db, { seats: 500 });
    const locked = await lock(departure);
    let selling = true;
    const sales: Promise<unknown>[] = [];
    const arriving = (async () => {
      for (; selling; await sleep(5)) sales.push(queue.commit(holdOf(departure)).catch(() => undefined));
    })();
    await untilWaiters(1);
    await locked.rollback();
    // The transaction that waits for the departure's lock must end, although new sales keep arriving.
    const isLocked = () => (queue as unknown as { awaited: Set<string> }).awaited.size > 0;
    await untilTrue(() => !isLocked());
    selling = false;
    await arriving;
    await Promise.all(sales);
    expect(isLocked()).toBe(false);
  });

  it('the queue moves a hold between two departures of which one is always being sold', async () => {
    const { db } = database;
    const from = await givenSeats(db, { seats: 500 });
    const date = await givenDeparture(db, from.tour, { date: daysFromToday(31), seats: 500 });
    const found = await findDeparture(db, { tourId: from.tour.id, departureDate: date });
    const to: PlacedSeats = { tour: from.tour, date, departureId: found.departureId! };
    const { id } = (await queue.commit(holdOf(from))) as SeatHold;
    const named = { holdId: id, by: null, departureDate: date, customer: {} };
    const move = await changeHold(db, sellerWithoutKey(tenant), named);
    let moved = false;
    const sell = async (departure: PlacedSeats) => {
      while (!moved) await queue.commit(holdOf(departure));
    };
    // A sale that begins while a batch writes the other departure waits for the end of this batch. So the batches take turns.
    const selling = [sell(from)];
    await nextTurn();
    selling.push(sell(to));
    await nextTurn();
    const moving = queue.commit(move).finally(() => (moved = true));
    expect(await moving.then(kindOf, kindOf)).toBe('sold');
    await Promise.all(selling);
  });

  it('the queue of sales refuses a sale of a departure that stays locked for two seconds', async () => {
    const departure = await givenSeats(database.db);
    const locked = await lock(departure);
    const milliseconds = await millisecondsOf(() =>
      expect(queue.commit(holdOf(departure))).rejects.toThrow(DepartureBusyError),
    );
    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    await locked.rollback();
  });

  it('the queue refuses every change that waited for locked departures, also those that no transaction took', async () => {
    const { db } = database;
    const departures = await Promise.all(Array.from({ length: 7 }, () => givenSeats(db, { seats: 100 })));
    const releases: SeatChange[] = [];
    for (let n = 0; n < 63; n++) {
      const { id } = (await queue.commit(holdOf(departures[n % 7]!))) as SeatHold;
      releases.push(await releaseHold(db, sellerWithoutKey(tenant), { holdId: id, by: null }));
    }
    const locks: Knex.Transaction[] = [];
    for (const departure of departures) locks.push(await lock(departure));
    const results: Promise<string>[] = [];
    // The timers of the later changes end after the wait of the transaction that the first change began.
    for (const change of releases) {
      results.push(queue.commit(change).then(() => 'released', kindOf));
      await sleep(1);
    }
    const kinds = await Promise.all(results);
    await Promise.all(locks.map((trx) => trx.rollback()));
    expect(kinds).toEqual(Array(63).fill('DepartureBusyError'));
  });

  it('the queue sells a departure at once while the maximum number of batches hangs at COMMIT', async () => {
    const { db } = database;
    await db.raw(`
      create function hang_at_commit() returns trigger language plpgsql as 'begin perform pg_sleep(4); return null; end';
      create constraint trigger hang after insert on seat_holds deferrable initially deferred
        for each row when (new.external_ref = 'hangs') execute function hang_at_commit()`);
    try {
      const hanging: Promise<unknown>[] = [];
      for (let n = 1; n <= (groupCommit ? QUEUE_LIMITS.batches : QUEUE_LIMITS.singleBatches); n++) {
        const sale = holdOf(await givenSeats(db), { externalRef: 'hangs' });
        hanging.push(queue.commit(sale));
        await untilBackends("wait_event = 'PgSleep'", n);
      }
      const sold = queue.commit(holdOf(await givenSeats(db)));
      expect(await Promise.race([sold.then(kindOf), ...hanging])).toBe('sold');
      await Promise.all(hanging);
    } finally {
      await db.raw('drop trigger hang on seat_holds; drop function hang_at_commit()');
    }
  });

  it('a sale and a change do not wait for changes of other departures that hang at COMMIT', async () => {
    const { db } = database;
    const release = async () => {
      const { id } = (await queue.commit(holdOf(await givenSeats(db)))) as SeatHold;
      return releaseHold(db, sellerWithoutKey(tenant), { holdId: id, by: null });
    };
    const changes: SeatChange[] = [];
    for (let n = 0; n <= QUEUE_LIMITS.singleBatches; n++) changes.push(await release());
    await db.raw(`
      create function hang_at_commit() returns trigger language plpgsql as 'begin perform pg_sleep(4); return null; end';
      create constraint trigger hang after update on seat_holds deferrable initially deferred
        for each row execute function hang_at_commit()`);
    try {
      const [last, ...others] = changes;
      const hanging = others.map((change) => queue.commit(change));
      await untilBackends("wait_event = 'PgSleep'", QUEUE_LIMITS.singleBatches);
      const sold = queue.commit(holdOf(await givenSeats(db)));
      expect(await Promise.race([sold.then(kindOf), ...hanging])).toBe('sold');
      const released = queue.commit(last!);
      await untilBackends("wait_event = 'PgSleep'", QUEUE_LIMITS.singleBatches + 1);
      await Promise.all([...hanging, released]);
    } finally {
      await db.raw('drop trigger hang on seat_holds; drop function hang_at_commit()');
    }
  });

  it('the queue of sales sells each seat once, in order of arrival, and answers each sale', async () => {
    const departure = await givenSeats(database.db, { seats: 12 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () =>
        queue.commit(holdOf(departure)).then(
          (sold) => (sold as SeatHold).seatsAvailable,
          (error: Error) => error.name,
        ),
      ),
    );
    expect(results.slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, n) => 11 - n));
    expect(results.slice(12)).toEqual(Array(8).fill('InsufficientSeatsError'));
  });
});

describe('a second batch', () => {
  it('a second batch begins beside the first when the waiting sales fill a batch', async () => {
    const queue = new ChangeQueue(writes!, log, true);
    const [first, second] = [await givenSeats(database.db), await givenSeats(database.db, { seats: 900 })];
    const { batches } = queue as unknown as { batches: { count: { shared: number } } };
    const sell = async (departure: PlacedSeats, count: number) => {
      const sales = Array.from({ length: count }, () => queue.commit(holdOf(departure)));
      await nextTurn();
      return sales;
    };
    const sales = await sell(first, 1);
    expect(batches.count.shared).toBe(1);
    sales.push(...(await sell(second, QUEUE_LIMITS.batchMax - 1)));
    expect(batches.count.shared).toBe(1);
    sales.push(...(await sell(second, 1)));
    expect(batches.count.shared).toBe(2);
    await Promise.all(sales);
  });
});

describe('a change of an API key or tenant', () => {
  it.each(['key', 'tenant'])(
    'a change of a %s commits within 2.5 s while sales arrive without a pause',
    async (changed) => {
      const { db } = database;
      const seller = await givenTenant(db, { maxHolds: 1_000_000 });
      const keyId = (await givenKey(db, seller)).split('_')[2]!;
      const departures = await Promise.all(Array.from({ length: 20 }, () => givenSeats(db, { seats: 900 })));
      const principal: ApiKeyPrincipal = {
        kind: 'api_key',
        keyId,
        familyId: keyId,
        scope: 'booking:create',
        tenant: seller,
        scopes: ['booking:create'],
      };
      const queues = [writes!, others!].map((pool) => new ChangeQueue(pool, log, true));
      let selling = true;
      let sold = 0;
      const refusals = new Set<unknown>();
      const client = async (n: number) => {
        while (selling && refusals.size === 0)
          await queues[n % 2]!.commit(
            holdOf(departures[n % 20]!, {}, { ...sellerWithoutKey(seller), principal }),
          ).then(
            () => sold++,
            // A slow machine refuses sales that waited for two seconds.
            ({ code }: { code?: string }) => code !== 'overloaded' && refusals.add(code),
          );
      };
      const clients = Array.from({ length: 64 }, (_, n) => client(n));
      while (sold < 100) await sleep(10);
      const milliseconds = await millisecondsOf(() =>
        inTransaction(db, async (trx) => {
          if (changed === 'key') await revokeCredential(trx, 'api_key', keyId);
          else await changeTenantStatus(trx, seller.slug, 'suspended');
        }),
      );
      expect(await awaitUses(db, changed === 'key' ? keyId : seller.id, { atMostMs: 5_000 })).toBe(true);
      const before = await liveHolds(seller);
      await Promise.all(clients);
      selling = false;
      expect(milliseconds).toBeLessThan(2_500);
      expect([...refusals]).toEqual([changed === 'key' ? 'key_revoked' : 'tenant_inactive']);
      expect(await liveHolds(seller)).toBe(before);
    },
  );
});

async function liveHolds({ id }: Tenant): Promise<number> {
  const [row] = await database.db('seat_holds').where({ tenant_id: id }).count<{ count: string }[]>();
  return Number(row!.count);
}

/** Builds the sale of a hold at once, so that sales arrive in one turn of the event loop. */
const holdOf = (
  { tour, date, departureId }: PlacedSeats,
  more: Partial<HoldRequest> = {},
  seller: Seller<SeatHold> = sellerWithoutKey(tenant),
): SeatChange<SeatHold> => placeHold(seller, tour, { departureId, times: [] }, holdRequest(date, more));

/** Builds the sale of a booking without a date. */
const bookingOf = ({ tour }: Seats, externalRef: string | null) =>
  createBooking(database.db, sellerWithoutKey(tenant), tour, bookingRequest({ externalRef }));

const kindOf = (result: object) => (result instanceof Error ? result.name : 'sold');

async function lock({ tour }: Seats): Promise<Knex.Transaction> {
  const trx = await others!.transaction();
  await trx('departures').where({ tour_id: tour.id }).forUpdate();
  return trx;
}

/** Waits until `count` transactions wait for a lock. */
function untilWaiters(count: number): Promise<void> {
  return untilBackends("wait_event_type = 'Lock'", count);
}

/** Waits until `count` connections are in a state. @param state a condition for pg_stat_activity */
async function untilBackends(state: string, count: number): Promise<void> {
  const query = `select from pg_stat_activity where datname = current_database() and ${state}`;
  let found = 0;
  while (found < count) found = (await database.db.raw(query)).rows.length;
}

async function untilTrue(probe: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 8_000; !probe(); await sleep(1))
    if (Date.now() > deadline) throw new Error('it did not become true within 8 s');
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
