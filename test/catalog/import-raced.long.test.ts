import { importCatalog, writeImport } from '../../services/api/catalog-import/import-catalog';
import { inTransaction } from '../../services/platform/database/database';
import { useTestDatabase } from '../support/database';
import { untilTransactionWaits } from '../support/lock-wait';
import { givenTenant } from '../support/given';
import { compareFiles, departureEntry, importFiles, importTours, tourEntry, write } from './catalog-files';
import { departureOf, insertHold, insertLead, tourOf } from './catalog-rows';

const database = useTestDatabase();
const findDeparture = (slug: string, date = '2031-06-01') => departureOf(database.db, slug, date);
let tenantId: string;
beforeAll(async () => {
  tenantId = (await givenTenant(database.db, { slug: 'booker' })).id;
});

const none = { created: 0, updated: 0, unchanged: 0 };
const entry = (slug: string, ...departures: unknown[]) => tourEntry({ slug, departures });

describe('an import during which others write after its comparison', () => {
  it('an import refuses to remove seats that were taken after its comparison', async () => {
    await importTours(database.db, entry('raced', departureEntry()));
    const fewer = { 'f.json': [entry('raced', departureEntry({ seats_total: 2 }))] };
    await compareFiles(database.db, fewer, async (staged) => {
      expect(staged.report.errors).toEqual([]);
      await insertHold(database.db, tenantId, (await findDeparture('raced')).id, 5);
      await expect(write(database.db, staged)).rejects.toMatchObject({
        code: 'catalog_refused',
        report: { errors: [{ field: 'departures[0].seats_total' }] },
      });
    });
    expect((await findDeparture('raced')).seatsTotal).toBe(10);
  });

  it('an import keeps a cancellation that was made after its comparison', async () => {
    await importTours(database.db, entry('called-off', departureEntry()));
    const more = { 'f.json': [entry('called-off', departureEntry({ seats_total: 12 }))] };
    await compareFiles(database.db, more, async (staged) => {
      const { id } = await findDeparture('called-off');
      await database.db('departures').where({ id }).update({ status: 'cancelled' });
      await write(database.db, staged);
    });
    expect(await findDeparture('called-off')).toMatchObject({
      status: 'cancelled',
      seatsTotal: 12,
    });
  });

  it('an import cancels, not deletes, a departure booked after its comparison, and reports the booking', async () => {
    const second = departureEntry({ departure_date: '2031-07-01' });
    await importTours(database.db, entry('late', departureEntry(), second));
    const fewer = { 'f.json': [entry('late', departureEntry())] };
    const report = await compareFiles(
      database.db,
      fewer,
      async (staged) => {
        expect(staged.report.pruned).toMatchObject({ departures_deleted: 1, departures_cancelled: 0 });
        const departure = await findDeparture('late', '2031-07-01');
        await insertLead(database.db, tenantId, departure, 'BOOKER-5');
        return write(database.db, staged);
      },
      { prune: true },
    );
    expect(report).toMatchObject({
      departures: { ...none, unchanged: 1 },
      pruned: { departures_deleted: 0, departures_cancelled: 1 },
      bookings_to_tell: [{ tour: 'late', departure_date: '2031-07-01', booking_refs: ['BOOKER-5'] }],
    });
    expect((await findDeparture('late', '2031-07-01')).status).toBe('cancelled');
  });

  it('an import counts changes that another import wrote first as unchanged', async () => {
    const [one, two] = [departureEntry(), departureEntry({ departure_date: '2031-07-01' })];
    await importTours(database.db, entry('twice', one));
    const files = { 'f.json': [{ ...entry('twice', one, two), name: 'Renamed' }] };
    await compareFiles(database.db, files, async (staged) => {
      await importFiles(database.db, files);
      expect(await write(database.db, staged)).toEqual({
        tours: { ...none, unchanged: 1 },
        departures: { ...none, unchanged: 2 },
        errors: [],
      });
    });
    expect((await tourOf(database.db, 'twice')).revision).toBe(2);
  });

  it('an import fails when another import created one of its new tours first', async () => {
    const files = { 'f.json': [entry('contested', departureEntry())] };
    await compareFiles(database.db, files, async (staged) => {
      await importFiles(database.db, files);
      await expect(write(database.db, staged)).rejects.toMatchObject({ code: 'catalog_changed' });
    });
  });

  it('an import fails at once while another import runs', async () => {
    const catalog = [{ place: { file: 'f', index: 0 }, value: tourEntry({ slug: 'second-in-line' }) }];
    await inTransaction(database.db, async (first) => {
      await importCatalog(first, catalog, { prune: false });
      const second = inTransaction(database.db, (trx) => importCatalog(trx, catalog, { prune: false }));
      await expect(second).rejects.toMatchObject({ code: 'import_running' });
    });
  });

  it('an import waits for a booking that locks a departure of a renamed tour, without a deadlock', async () => {
    await importTours(database.db, entry('contended', departureEntry()));
    const departure = await findDeparture('contended');
    const value = { ...entry('contended', departureEntry({ seats_total: 12 })), name: 'Renamed' };
    await compareFiles(database.db, { 'f.json': [value] }, async (staged) => {
      let importing: Promise<unknown> | undefined;
      await inTransaction(database.db, async (booking) => {
        await booking('departures').where({ id: departure.id }).forUpdate().first();
        importing = database.db.transaction((trx) => writeImport(trx, staged));
        importing.catch(() => undefined);
        await untilTransactionWaits(database.db);
        await insertLead(booking, tenantId, departure, 'BOOKER-9');
      });
      await expect(importing).resolves.toMatchObject({ departures: { updated: 1 } });
    });
    expect(await tourOf(database.db, 'contended')).toMatchObject({ name: 'Renamed' });
  });

  it('an import fails when a departure stays locked, and writes nothing', async () => {
    await importTours(database.db, entry('stuck', departureEntry()));
    const { id } = await findDeparture('stuck');
    const more = { 'f.json': [entry('stuck', departureEntry({ seats_total: 12 }))] };
    await compareFiles(database.db, more, async (staged) => {
      await inTransaction(database.db, async (booking) => {
        await booking('departures').where({ id }).forUpdate().first();
        const importing = database.db.transaction(async (trx) => {
          await trx.raw("set local lock_timeout = '20ms'");
          await writeImport(trx, staged);
        });
        await expect(importing).rejects.toMatchObject({ code: 'catalog_busy' });
      });
    });
    expect((await findDeparture('stuck')).seatsTotal).toBe(10);
  });
});
