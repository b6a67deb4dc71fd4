import { prepareBooking } from '../../services/api/bookings/create-booking';
import { DepartureBusyError } from '../../services/api/departures/departure.errors';
import { prepareHold } from '../../services/api/holds/place-hold';
import type { SeatHold } from '../../services/api/holds/seat-hold';
import { type Sale, type Sold } from '../../services/api/sales/sale';
import { SaleQueue } from '../../services/api/sales/sale-queue';
import type { Tenant } from '../../services/api/tenants/tenant';
import { type Db, openDatabase, type Trx } from '../../services/platform/database';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { CUSTOMER, givenSeats, type Seats, seatsTaken } from '../support/website';

/** More than the departures that transactions of the queue wait for. */
const LOCKED = 8;

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
  let queue: SaleQueue;
  beforeEach(() => void (queue = new SaleQueue(writes!, groupCommit)));

  it('sells seats of a free departure, and of one that becomes free, while more departures are locked than it waits for', async () => {
    const departures = await Promise.all(Array.from({ length: LOCKED }, () => givenSeats(database.db)));
    const locks: Trx[] = [];
    for (const departure of departures) locks.push(await lock(departure));
    const results = departures.map((departure) => queue.sell(holdOf(departure)).then(kindOf, kindOf));
    await untilWaiters(6);

    expect(await millisecondsOf(async () => queue.sell(holdOf(await givenSeats(database.db))))).toBeLessThan(
      1_000,
    );
    const last = LOCKED - 1;
    await locks[last]!.rollback();
    expect(await millisecondsOf(() => results[last]!)).toBeLessThan(1_000);
    expect(await results[last]).toBe('sold');
    expect(await Promise.all(results.slice(0, last))).toEqual(Array(last).fill('DepartureBusyError'));
    await Promise.all(locks.slice(0, last).map((trx) => trx.rollback()));
  });

  it('fails only the sale that the database cannot store', async () => {
    const departure = await givenSeats(database.db, { seats: 100 });
    const sales: Sale[] = Array.from({ length: 40 }, () => holdOf(departure));
    // PostgreSQL stores no NUL character; the API refuses it before.
    sales[17] = { ...holdOf(departure), customer: { name: '\0', phone: null, email: null } };
    const results = await Promise.all(sales.map((sale) => queue.sell(sale).then(kindOf, kindOf)));
    expect(results.filter((kind) => kind === 'sold')).toHaveLength(39);
    expect(results[17]).not.toBe('sold');
    expect(await seatsTaken(database.db, departure)).toBe(39);
  });

  it('lets bookings that name a hold by its reference alone wait with their departure', async () => {
    const { db } = database;
    const departure = await givenSeats(db);
    await queue.sell({ ...holdOf(departure), externalRef: 'cart' });
    const bookings = await Promise.all(Array.from({ length: 8 }, () => bookingOf(departure, 'cart')));
    const locked = await lock(departure);
    const results = bookings.map((sale) => queue.sell(sale).then(kindOf, kindOf));
    await untilWaiters(1);

    const other = await givenSeats(db);
    const begun = performance.now();
    expect(kindOf(await queue.sell(await bookingOf(other, null)))).toBe('sold');
    expect(performance.now() - begun).toBeLessThan(1_000);
    await locked.rollback();
    const kinds = await Promise.all(results);
    expect(kinds.filter((kind) => kind === 'sold')).toHaveLength(1);
    expect(await seatsTaken(db, departure)).toBe(1);
  });

  it('refuses a sale after two seconds at a departure that stays locked', async () => {
    const departure = await givenSeats(database.db);
    const locked = await lock(departure);
    const milliseconds = await millisecondsOf(() =>
      expect(queue.sell(holdOf(departure))).rejects.toThrow(DepartureBusyError),
    );
    expect(milliseconds).toBeGreaterThan(1_900);
    expect(milliseconds).toBeLessThan(4_000);
    await locked.rollback();
  });

  it('sells each seat once, in order of arrival, and answers each sale', async () => {
    const departure = await givenSeats(database.db, { seats: 30 });
    const results = await Promise.all(
      Array.from({ length: 50 }, () =>
        queue.sell(holdOf(departure)).then(
          (sold) => (sold as SeatHold).seatsAvailable,
          (error: Error) => error.name,
        ),
      ),
    );
    expect(results.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, n) => 29 - n));
    expect(results.slice(30)).toEqual(Array(20).fill('InsufficientSeatsError'));
  });
});

const holdOf = ({ tour, date }: Seats) =>
  prepareHold(tenant, tour, {
    ...{ departureDate: date, quantity: 1, holdMinutes: undefined, externalRef: null, by: null },
    customer: { name: null, phone: null, email: null },
  });

/** A booking without a date. */
const bookingOf = ({ tour }: Seats, externalRef: string | null) =>
  prepareBooking(database.db, tenant, tour, {
    ...{ departureDate: null, adults: 1, customer: CUSTOMER, paymentMethod: null, holdId: null },
    ...{ expectedTotal: null, externalRef, notes: null, by: null },
  });

const kindOf = (result: Sold | object) => (result instanceof Error ? result.name : 'sold');

async function lock({ tour }: Seats): Promise<Trx> {
  const trx = await others!.transaction();
  await trx('departures').where({ tour_id: tour.id }).forUpdate();
  return trx;
}

/** Waits until so many transactions wait for a lock. */
async function untilWaiters(count: number): Promise<void> {
  for (;;) {
    const { rows } = await database.db.raw(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows[0].n >= count) return;
  }
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
