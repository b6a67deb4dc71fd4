import { importCatalog, writeImport } from '../../services/api/catalog-import/import-catalog';
import { inTransaction, type Trx } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { givenTenant, unique } from '../support/given';
import { untilTransactionWaits } from '../support/lock-wait';
import { add } from '../webhook-queue/queue-fixture';
import { compareFiles, departureEntry, importFiles, tourEntry } from './catalog-files';
import { departureOf, insertLead, tourOf } from './catalog-rows';

const database = useTestDatabase();
let slug: string;
let tenantId: string;

beforeEach(async () => {
  slug = unique('tour');
  tenantId = (await givenTenant(database.db)).id;
});
afterEach(async () => {
  await database.db('webhook_endpoints').update({ status: 'removed' });
});

const ask = () =>
  add(database.db, tenantId, 'https://acme.example/', ['departure.cancelled', 'departure.updated']);
const files = (...departures: object[]) => ({ 'tours.json': [tourEntry({ slug, departures })] });
const on = (departure_date: string, fields: object = {}) => departureEntry({ departure_date, ...fields });

/** Inserts a booking on the departure. Returns its reference. */
async function book(date: string, owner = tenantId, db = database.db): Promise<string> {
  const bookingRef = unique('REF');
  await insertLead(db, owner, await departureOf(db, slug, date), bookingRef);
  return bookingRef;
}

/** Returns the bodies of the tenant's events by departure date. */
async function events(owner = tenantId): Promise<Record<string, unknown>[]> {
  const { rows } = await database.db.raw(
    `select body::json as body from webhook_events where tenant_id = ? order by body::json ->> 'departure_date'`,
    [owner],
  );
  return rows.map(({ body }: { body: Record<string, unknown> }) => body);
}

const [MAY, JUNE, JULY, AUGUST] = ['2031-05-01', '2031-06-01', '2031-07-01', '2031-08-01'] as const;

describe('an import that changes sold departures', () => {
  it('an import creates one event for each departure and tenant, with the names of all changed fields', async () => {
    await ask();
    await importFiles(database.db, files(on(MAY), on(JUNE), on(JULY), on(AUGUST)));
    const [may, june] = [await book(MAY), await book(JUNE)];
    await book(JULY);
    const report = await importFiles(
      database.db,
      files(
        on(MAY, { status: 'cancelled', seats_total: 8 }),
        on(JUNE, {
          seats_total: 8,
          prices: { adult: 1400, child: 900 },
          return_date: '2031-06-08',
          closes_at: '2031-05-20T10:00:00Z',
        }),
        on(JULY),
        on(AUGUST, { seats_total: 8 }),
      ),
    );
    expect(report.departures).toMatchObject({ updated: 3 });
    const tour = { id: (await tourOf(database.db, slug)).id, slug };
    const updatedAt = async (departure_date: string) => {
      const row = await database
        .db('departures')
        .where({ tour_id: tour.id, departure_date })
        .first('updated_at');
      return row.updatedAt.toISOString();
    };
    expect(await events()).toEqual([
      {
        event_type: 'departure.cancelled',
        tour,
        departure_date: MAY,
        departure_time: null,
        booking_refs: [may],
        bookings_total: 1,
        updated_at: await updatedAt(MAY),
      },
      {
        event_type: 'departure.updated',
        tour,
        departure_date: JUNE,
        departure_time: null,
        changed: ['seats_total', 'prices', 'return_date', 'closes_at'],
        booking_refs: [june],
        bookings_total: 1,
        updated_at: await updatedAt(JUNE),
      },
    ]);
  });

  it('an import names closes_at for another cut-off of a departure or its tour', async () => {
    await ask();
    const put = (cutoff: string | null, ...departures: object[]) =>
      importFiles(database.db, { 'tours.json': [tourEntry({ slug, booking_cutoff: cutoff, departures })] });
    const all = [on(MAY), on(JUNE, { closes_before: '2h' }), on(JULY, { closes_at: '2031-06-01T00:00:00Z' })];
    await put(null, ...all);
    for (const date of [MAY, JUNE, JULY]) await book(date);
    const named = async () => {
      const found = (await events()).map(({ departure_date: date, changed }) => [date, changed]);
      await database.db('webhook_events').delete();
      return found;
    };
    await put('3d', ...all);
    expect(await named()).toEqual([[MAY, ['closes_at']]]);
    await put('3d', all[0]!, on(JUNE, { closes_before: '3h' }), on(JULY, { closes_before: '3h' }));
    expect(await named()).toEqual([
      [JUNE, ['closes_at']],
      [JULY, ['closes_at']],
    ]);
    await put('3d', ...all.slice(0, 1), on(JUNE, { closes_before: '3h' }), on(JULY, { closes_before: '3h' }));
    expect(await named()).toEqual([]);
  });

  it('an import names closes_at for another time zone of the tour, unless a departure closes at an instant of its own', async () => {
    await ask();
    const all = [on(MAY), on(JUNE, { closes_before: '2h' }), on(JULY, { closes_at: '2031-06-01T00:00:00Z' })];
    const put = (zone: string) =>
      importFiles(database.db, { 'tours.json': [tourEntry({ slug, time_zone: zone, departures: all })] });
    await put('Europe/Berlin');
    for (const date of [MAY, JUNE, JULY]) await book(date);
    await put('America/New_York');
    expect(await events()).toMatchObject([
      { departure_date: MAY, changed: ['closes_at'] },
      { departure_date: JUNE, changed: ['closes_at'] },
    ]);
  });

  it('an import creates departure.updated when it reopens a cancelled departure', async () => {
    await importFiles(database.db, files(on(MAY, { status: 'cancelled' })));
    await book(MAY);
    await ask();
    await importFiles(database.db, files(on(MAY, { status: 'scheduled', seats_total: 8 })));
    expect(await events()).toMatchObject([
      { event_type: 'departure.updated', changed: ['seats_total', 'status'] },
    ]);
  });

  it('an import creates departure.cancelled for a departure that --prune cancels', async () => {
    await ask();
    await importFiles(database.db, files(on(MAY), on(JUNE)));
    const ref = await book(MAY);
    await importFiles(database.db, files(on(JUNE)), { prune: true });
    expect(await events()).toMatchObject([{ event_type: 'departure.cancelled', booking_refs: [ref] }]);
  });

  it('an import sends each subscribed tenant an event that names only its own bookings', async () => {
    const [other, silent] = [await givenTenant(database.db), await givenTenant(database.db)];
    await ask();
    await add(database.db, other.id, 'https://other.example/', ['departure.cancelled']);
    await add(database.db, silent.id, 'https://silent.example/');
    await importFiles(database.db, files(on(MAY), on(JUNE)));
    const own = await book(MAY);
    const foreign = await book(MAY, other.id);
    await book(MAY, silent.id);
    await book(JUNE, other.id);
    await importFiles(database.db, files(on(MAY, { status: 'cancelled' }), on(JUNE, { seats_total: 8 })));
    expect(await events()).toMatchObject([{ booking_refs: [own] }]);
    expect(await events(other.id)).toMatchObject([{ booking_refs: [foreign] }]);
    expect(await events(silent.id)).toEqual([]);
  });

  it('an import creates no event when it is refused, rolled back or a dry run', async () => {
    await ask();
    await importFiles(database.db, files(on(MAY), on(JUNE)));
    await book(MAY);
    const cancelling = files(on(MAY, { status: 'cancelled' }), on(JUNE));
    const refused = await importFiles(database.db, files(on(MAY, { status: 'cancelled', seats_total: 1 })));
    expect(refused.errors).toHaveLength(1);
    await importFiles(database.db, cancelling, { dryRun: true });
    const undone = new Error('undone');
    const rolledBack = compareFiles(database.db, cancelling, (staged) =>
      inTransaction(database.db, async (trx) => {
        await writeImport(trx, staged);
        throw undone;
      }),
    );
    await expect(rolledBack).rejects.toBe(undone);
    expect(await events()).toEqual([]);
  });

  it('an import of records in a transaction creates events like an import of files', async () => {
    await ask();
    await importFiles(database.db, files(on(MAY)));
    await book(MAY);
    const value = tourEntry({ slug, departures: [on(MAY, { seats_total: 8 })] });
    await inTransaction(database.db, (trx) =>
      importCatalog(trx, [{ place: { file: 'f', index: 0 }, value }], { prune: false }),
    );
    expect(await events()).toMatchObject([{ changed: ['seats_total'] }]);
  });

  it('an import names a booking that commits while the import waits for the lock', async () => {
    await ask();
    await importFiles(database.db, files(on(MAY)));
    const { id } = await departureOf(database.db, slug, MAY);
    let importing: Promise<unknown> | undefined;
    let ref: string | undefined;
    await compareFiles(database.db, files(on(MAY, { status: 'cancelled' })), async (staged) => {
      await inTransaction(database.db, async (booking) => {
        await booking('departures').where({ id }).forUpdate().first();
        importing = inTransaction(database.db, (trx) => writeImport(trx, staged));
        importing.catch(() => undefined);
        await untilTransactionWaits(database.db);
        ref = await book(MAY, tenantId, booking);
      });
      await importing;
    });
    expect(await events()).toMatchObject([{ event_type: 'departure.cancelled', booking_refs: [ref] }]);
  });
});

describe('an import of 2,500 sold departures', () => {
  const COUNT = 2_500;
  const dates = Array.from({ length: COUNT }, (_, n) =>
    new Date(Date.UTC(2031, 0, 1 + n)).toISOString().slice(0, 10),
  );
  const all = (fields: object = {}) => files(...dates.map((date) => on(date, fields)));

  /** Returns the statements of the import's transaction about webhooks. */
  async function statements(contents: Record<string, unknown>): Promise<string[]> {
    const seen: string[] = [];
    await compareFiles(database.db, contents, (staged) =>
      inTransaction(database.db, async (trx: Trx) => {
        trx.on('query', ({ sql }: { sql: string }) => seen.push(sql));
        await writeImport(trx, staged);
      }),
    );
    return seen.filter((sql) => /webhook_|json_to_recordset/.test(sql));
  }

  it('an import of 2,500 sold departures runs few additional statements, even with a subscribed endpoint', async () => {
    await importFiles(database.db, all());
    for (const date of dates.slice(0, 3)) await book(date);
    await database.db.raw(
      `insert into seat_holds (tenant_id, departure_id, seats, party, hold_minutes, expires_at, prices_minor, currency,
         currency_digits, price_breakdown)
       select ?, d.id, 1, '{"adult": 1}', 15, now() + interval '15 minutes', '{"adult": 1}', 'EUR', 2, '{}' from departures d join tours t on t.id = d.tour_id
       where t.slug = ?`,
      [tenantId, slug],
    );
    expect(await statements(all({ seats_total: 8 }))).toHaveLength(1);
    await ask();
    expect(await statements(all({ seats_total: 9 }))).toHaveLength(1 + 2 * Math.ceil(COUNT / 1_000));
    const found = await events();
    expect(found).toHaveLength(COUNT);
    expect(found.map(({ bookings_total: total }) => total)).toEqual([1, 1, 1, ...Array(COUNT - 3).fill(0)]);
    const { rows } = await database.db.raw(
      'select count(*)::integer as count from webhook_deliveries where tenant_id = ?',
      [tenantId],
    );
    expect(rows[0].count).toBe(COUNT);
  });
});
