import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { departureEntry, importFiles, importTours, tourEntry } from './catalog-files';
import { departureOf, insertHold, insertLead, tourOf } from './catalog-rows';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const DATES = ['2031-06-01', '2031-06-02', '2031-06-03', '2031-06-04'];
const none = { created: 0, updated: 0, unchanged: 0 };

function prune(contents: Record<string, unknown>) {
  return importFiles(database.db, contents, { prune: true });
}

describe('a pruning import', () => {
  it('a pruning import archives tours that the files lack, and publishes them again when they return', async () => {
    const [kept, lost] = [tourEntry({ slug: 'kept' }), tourEntry({ slug: 'lost' })];
    await importTours(database.db, kept, lost);
    expect(await prune({ 'tours.json': [kept] })).toEqual({
      tours: { ...none, unchanged: 1 },
      departures: none,
      errors: [],
      pruned: { tours_archived: 1, departures_deleted: 0, departures_cancelled: 0 },
    });
    expect(await tourOf(database.db, 'lost')).toMatchObject({ status: 'archived', revision: 2 });
    expect((await prune({ 'tours.json': [kept] })).pruned!.tours_archived).toBe(0);
    expect((await prune({ 'tours.json': [kept, lost] })).tours).toEqual({
      ...none,
      updated: 1,
      unchanged: 1,
    });
    expect(await tourOf(database.db, 'lost')).toMatchObject({ status: 'published', revision: 3 });
  });

  it('a pruning import deletes missing departures, and cancels those with holds or bookings', async () => {
    const departures = [...DATES, '2020-01-01', '2020-02-02'].map((date) =>
      departureEntry({ departure_date: date }),
    );
    await importTours(database.db, tourEntry({ slug: 'alps', departures }));
    const tenantId = (await givenTenant(database.db, { slug: 'acme' })).id;
    const departure = (date: string) => departureOf(database.db, 'alps', date);
    await insertLead(database.db, tenantId, await departure('2031-06-02'), 'ACME-1');
    await insertLead(database.db, tenantId, await departure('2031-06-02'), 'ACME-2', { status: 'cancelled' });
    await insertHold(database.db, tenantId, (await departureOf(database.db, 'alps', '2031-06-03')).id, 1, {
      status: 'released',
    });
    await insertLead(database.db, tenantId, await departure('2020-02-02'), 'ACME-3', { status: 'confirmed' });

    const report = await prune({
      'tours.json': [tourEntry({ slug: 'alps', departures: [departureEntry()] })],
    });
    expect(report.pruned).toEqual({ tours_archived: 0, departures_deleted: 2, departures_cancelled: 2 });
    expect(report.bookings_to_tell).toEqual([
      { tour: 'alps', departure_date: '2031-06-02', start_time: null, booking_refs: ['ACME-1'] },
    ]);
    const left = await database.db('departures').select('departure_date', 'status').orderBy('departure_date');
    expect(left.map((row) => `${row.departureDate} ${row.status}`)).toEqual([
      '2020-02-02 scheduled',
      '2031-06-01 scheduled',
      '2031-06-02 cancelled',
      '2031-06-03 cancelled',
    ]);
    expect((await tourOf(database.db, 'alps')).revision).toBe(2);
  });

  it('a pruning import keeps the departures of a tour whose entry has no departure list', async () => {
    await importTours(database.db, tourEntry({ slug: 'alps', departures: [departureEntry()] }));
    await prune({ 'tours.json': [tourEntry({ slug: 'alps' })] });
    expect(await departureOf(database.db, 'alps', '2031-06-01')).toBeDefined();
  });

  it('a pruning import prunes the departures of the tours in a file of departures, and archives no tour', async () => {
    const departures = DATES.map((date) => departureEntry({ departure_date: date }));
    await importTours(
      database.db,
      tourEntry({ slug: 'alps', departures }),
      tourEntry({ slug: 'andes', departures }),
    );
    const csv =
      'tour_slug;departure_date;seats_total;prices.adult\nalps;2031-06-01;10;1290\nalps;2031-07-01;5;990.50\n';
    const report = await prune({ 'departures.csv': csv });
    expect(report).toEqual({
      tours: none,
      departures: { created: 1, updated: 0, unchanged: 1 },
      errors: [],
      pruned: { tours_archived: 0, departures_deleted: 3, departures_cancelled: 0 },
    });
    expect(await tourOf(database.db, 'andes')).toMatchObject({ status: 'published', revision: 1 });
  });
});

describe('a file of departures without tours', () => {
  it("an import of departures without tours refuses prices with more decimals than the tour's currency has, and unknown tours", async () => {
    await importTours(database.db, tourEntry({ slug: 'fuji', currency: 'JPY', base_price: 90000 }));
    const report = await importFiles(database.db, {
      'departures.csv':
        'tour_slug,departure_date,seats_total,prices.adult\nfuji,2031-06-01,10,90000.5\nnowhere,2031-06-01,10,1',
    });
    expect(report.errors).toEqual([
      {
        file: 'departures.csv',
        line: 2,
        field: 'prices.adult',
        message:
          'must have at most 0 decimals: that is what JPY has; a point separates decimals, not thousands',
      },
      {
        file: 'departures.csv',
        line: 3,
        field: 'tour_slug',
        message: 'names no tour: there is none with the slug nowhere',
      },
    ]);
  });
});
