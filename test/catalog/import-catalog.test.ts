import { type Db, inTransaction } from '../../services/platform/database';
import { checkCatalog } from '../../services/api/catalog/files/check-catalog';
import { importCatalog } from '../../services/api/catalog/files/import-catalog';
import { planImport } from '../../services/api/catalog/files/plan-import';
import { writeImport } from '../../services/api/catalog/files/write-import';
import { relockDeparture } from '../../services/api/departures/reserve-seats';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { departureEntry, importFiles, tourEntry } from './catalog-files';
import { departureOf, insertHold, insertLead, insertTenant, tourOf } from './catalog-rows';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const none = { created: 0, updated: 0, unchanged: 0 };

describe('importing a catalog', () => {
  it('creates tours and departures with every field', async () => {
    const entry = tourEntry({
      slug: 'everything',
      name: 'Łódź\r\n  by night',
      summary: 'One line',
      description: 'First\r\n\r\nSecond',
      image_url: '/covers/everything.svg',
      images: [{ url: 'https://cdn.example/a.jpg', alt: 'A' }, { url: '/b.svg' }],
      tags: ['walk', 'night'],
      status: 'draft',
      group_size_max: 12,
      languages: ['en', 'pl'],
      start_location: { name: 'Łódź', lat: 51.7592, lng: 19.456 },
      end_location: { name: 'Łódź' },
      itinerary: [
        { day: 1, title: 'Walk', description: 'Far' },
        { day: 2, title: 'Rest' },
      ],
      inclusions: ['Guide'],
      exclusions: ['Dinner'],
      cancellation_policy: 'Free\nuntil the day before',
      departures: [
        departureEntry({
          return_date: '2031-06-07',
          prices: { adult: 1290.5, child: 0, single_supplement: 99.99 },
          closes_at: '2031-05-30T14:00:00+02:00',
          status: 'cancelled',
        }),
        departureEntry({ departure_date: '2031-07-01' }),
      ],
    });
    const report = await importFiles(database.db, { 'tours.json': [entry] });
    expect(report).toEqual({
      tours: { ...none, created: 1 },
      departures: { ...none, created: 2 },
      errors: [],
    });
    expect(await tourOf(database.db, 'everything')).toMatchObject({
      name: 'Łódź by night',
      name_folded: 'lodz by night',
      description: 'First\n\nSecond',
      base_price_minor: 129000,
      currency_digits: 2,
      images: [{ url: 'https://cdn.example/a.jpg', alt: 'A' }, { url: '/b.svg' }],
      tags: ['walk', 'night'],
      languages: ['en', 'pl'],
      start_location: { name: 'Łódź', lat: 51.7592, lng: 19.456 },
      end_location: { name: 'Łódź' },
      itinerary: [
        { day: 1, title: 'Walk', description: 'Far' },
        { day: 2, title: 'Rest' },
      ],
      cancellation_policy: 'Free\nuntil the day before',
      status: 'draft',
      revision: 1,
    });
    expect(await departureOf(database.db, 'everything', '2031-06-01')).toMatchObject({
      return_date: '2031-06-07',
      prices_minor: { adult: 129050, child: 0, single_supplement: 9999 },
      closes_at: new Date('2031-05-30T12:00:00Z'),
      status: 'cancelled',
    });
    const again = await importFiles(database.db, { 'tours.json': { tours: [entry] } });
    expect(again).toEqual({
      tours: { ...none, unchanged: 1 },
      departures: { ...none, unchanged: 2 },
      errors: [],
    });
    expect((await tourOf(database.db, 'everything')).revision).toBe(1);
  });

  it('leaves alone what the file leaves out, and empties what is null in it', async () => {
    const full = tourEntry({
      slug: 'patched',
      summary: 'Kept',
      tags: ['a'],
      status: 'draft',
      departures: [
        departureEntry({ prices: { adult: 10, child: 5 }, return_date: '2031-06-02' }),
        departureEntry({ departure_date: '2031-08-01' }),
      ],
    });
    await importFiles(database.db, { 'tours.json': [full] });
    const report = await importFiles(database.db, {
      'tours.json': [
        tourEntry({ slug: 'patched', tags: null, departures: [departureEntry({ prices: { adult: 11 } })] }),
      ],
    });
    expect(report.tours).toEqual({ ...none, updated: 1 });
    expect(report.departures).toEqual({ ...none, updated: 1 });
    expect(await tourOf(database.db, 'patched')).toMatchObject({
      summary: 'Kept',
      tags: [],
      status: 'draft',
      revision: 2,
    });
    expect(await departureOf(database.db, 'patched', '2031-06-01')).toMatchObject({
      prices_minor: { adult: 1100, child: 500 },
      return_date: '2031-06-02',
    });
    expect(await departureOf(database.db, 'patched', '2031-08-01')).toBeDefined();
    await importFiles(database.db, {
      'tours.json': [
        tourEntry({ slug: 'patched', departures: [departureEntry({ prices: { adult: 11, child: null } })] }),
      ],
    });
    expect((await departureOf(database.db, 'patched', '2031-06-01')).prices_minor).toEqual({ adult: 1100 });
  });

  it('bumps the revision of exactly the tours that changed, themselves or in their departures', async () => {
    const tours = ['one', 'two', 'three'].map((word) =>
      tourEntry({ slug: `rev-${word}`, departures: [departureEntry()] }),
    );
    await importFiles(database.db, { 'tours.json': tours });
    const before = await tourOf(database.db, 'rev-three');
    await importFiles(database.db, {
      'tours.json': [
        { ...tours[0], name: 'Renamed' },
        { ...tours[1], departures: [departureEntry({ seats_total: 9 })] },
        tours[2],
      ],
    });
    expect((await tourOf(database.db, 'rev-one')).revision).toBe(2);
    expect((await tourOf(database.db, 'rev-two')).revision).toBe(2);
    const after = await tourOf(database.db, 'rev-three');
    expect(after.revision).toBe(1);
    expect(after.updated_at).toEqual(before.updated_at);
  });

  it('renames a tour together with the sort key that visibility rules copy', async () => {
    await importFiles(database.db, { 'tours.json': [tourEntry({ slug: 'followed' })] });
    const tenantId = await insertTenant(database.db, 'follower');
    const tour = await tourOf(database.db, 'followed');
    await database.db('visibility_tour_rules').insert({
      tenant_id: tenantId,
      tour_id: tour.id,
      visible: true,
      continent: tour.continent,
      name_folded: tour.name_folded,
    });
    await importFiles(database.db, {
      'tours.json': [tourEntry({ slug: 'followed', name: 'Étna', continent: 'africa' })],
    });
    const rule = await database.db('visibility_tour_rules').where({ tenant_id: tenantId }).first();
    expect(rule).toMatchObject({ name_folded: 'etna', continent: 'africa' });
  });

  it('writes nothing at all when one entry is at fault', async () => {
    const report = await importFiles(database.db, {
      'tours.json': [tourEntry({ slug: 'sound' }), tourEntry({ slug: 'broken', duration_days: 0 })],
    });
    expect(report.errors).toEqual([
      {
        file: 'tours.json',
        index: 1,
        field: 'duration_days',
        message: 'must be a whole number from 1 to 366',
      },
    ]);
    expect(await tourOf(database.db, 'sound')).toBeUndefined();
  });

  it.each([{ dryRun: false }, { dryRun: true }])(
    'counts no changes beside a fault (%j)',
    async ({ dryRun }) => {
      await importFiles(database.db, { 'tours.json': [tourEntry({ slug: 'as-it-was' })] });
      const report = await importFiles(
        database.db,
        {
          'tours.json': [
            tourEntry({ slug: 'as-it-was', departures: [departureEntry()] }),
            tourEntry({ slug: 'sound', departures: [departureEntry()] }),
            tourEntry({ slug: 'broken', base_price: 9.999 }),
          ],
        },
        { dryRun, prune: true },
      );
      expect(report).toEqual({
        tours: none,
        departures: none,
        errors: [
          {
            file: 'tours.json',
            index: 2,
            field: 'base_price',
            message: 'must have at most 2 decimals: that is what EUR has',
          },
        ],
        pruned: { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 },
      });
    },
  );

  it('judges the amounts of departures alone by the currency that is stored, also beside other faults', async () => {
    await importFiles(database.db, { 'tours.json': [tourEntry({ slug: 'in-yen', currency: 'JPY' })] });
    const { errors } = await importFiles(database.db, {
      'departures.csv': [
        'tour_slug,departure_date,seats_total,prices.adult',
        'in-yen,2031-06-01,ten,990.5',
        'in-yen,2031-06-02,10,990.5',
        'nowhere,2031-06-02,ten,990.5',
      ].join('\n'),
    });
    expect(errors.map(({ line, field }) => [line, field])).toEqual([
      [2, 'seats_total'],
      [2, 'prices.adult'],
      [3, 'prices.adult'],
      [4, 'seats_total'],
      [4, 'tour_slug'],
    ]);
  });

  it('writes nothing in a dry run, and says what it would do', async () => {
    const report = await importFiles(
      database.db,
      { 'tours.json': [tourEntry({ slug: 'dry' })] },
      { dryRun: true },
    );
    expect(report.tours).toEqual({ ...none, created: 1 });
    expect(await tourOf(database.db, 'dry')).toBeUndefined();
  });

  it('refuses a zone that the runtime knows and the database does not', async () => {
    const plan = await planImport(
      database.db,
      checkCatalog([
        {
          place: { file: 'a', index: 0, field: '' },
          value: tourEntry({ slug: 'zoned', time_zone: 'europe/rome' }),
        },
      ]),
      { prune: false },
    );
    expect(plan.faults).toMatchObject([{ field: 'time_zone', index: 0 }]);
    const { errors } = await importFiles(database.db, {
      'tours.json': [tourEntry({ slug: 'Über', time_zone: 'europe/rome' })],
    });
    expect(errors.map(({ field }) => field)).toEqual(['slug', 'time_zone']);
  });

  it('imports hundreds of tours in the transaction of its caller', async () => {
    const tours = Array.from({ length: 450 }, (_, i) =>
      tourEntry({
        slug: `bulk-${i}`,
        departures: [departureEntry(), departureEntry({ departure_date: '2031-06-02' })],
      }),
    );
    const catalog = checkCatalog(
      tours.map((value, index) => ({ place: { file: 'seed', index, field: '' }, value })),
    );
    const report = await inTransaction(database.db, (trx) => importCatalog(trx, catalog, { prune: false }));
    expect(report).toEqual({
      tours: { ...none, created: 450 },
      departures: { ...none, created: 900 },
      errors: [],
    });
  });
});

describe('an import that meets holds and bookings', () => {
  let tenantId: string;
  beforeAll(async () => {
    tenantId = await insertTenant(database.db, 'booker');
  });

  const entry = (slug: string, ...departures: unknown[]) => tourEntry({ slug, departures });

  it('refuses fewer seats than are taken, naming the departure', async () => {
    const sold = departureEntry({ departure_date: '2031-09-01' });
    await importFiles(database.db, { 'tours.json': [entry('sold', departureEntry(), sold)] });
    const departure = await departureOf(database.db, 'sold', '2031-09-01');
    await insertHold(database.db, tenantId, departure.id, 3);
    await insertLead(database.db, tenantId, departure, 'BOOKER-1', { adults: 4 });
    const fewer = {
      'tours.json': [entry('sold', { ...departureEntry(), seats_total: 1 }, { ...sold, seats_total: 6 })],
    };
    const report = await importFiles(database.db, fewer);
    expect(report.errors).toEqual([
      {
        file: 'tours.json',
        index: 0,
        field: 'departures[1].seats_total',
        message: 'must be at least 7: so many seats of sold on 2031-09-01 are held or booked',
      },
    ]);
    const enough = await importFiles(database.db, {
      'tours.json': [entry('sold', { ...sold, seats_total: 7 })],
    });
    expect(enough.departures.updated).toBe(1);
  });

  it('names what holds and bookings forbid also beside other faults', async () => {
    const both = [departureEntry(), departureEntry({ departure_date: '2031-09-01' })];
    await importFiles(database.db, { 'tours.json': [entry('faulty-and-sold', ...both)] });
    const departure = await departureOf(database.db, 'faulty-and-sold', '2031-06-01');
    await insertHold(database.db, tenantId, departure.id, 3);
    const { errors } = await importFiles(database.db, {
      'tours.json': [
        {
          ...entry('faulty-and-sold', departureEntry({ seats_total: 2, closes_at: 'noon' })),
          name: 7,
          currency: 'USD',
        },
      ],
    });
    expect(errors.map(({ field }) => field)).toEqual([
      'name',
      'departures[0].closes_at',
      'currency',
      'departures[0].seats_total',
    ]);
  });

  it('writes down which holds and leads of a departure are over when it lowers the seats', async () => {
    const others = departureEntry({ departure_date: '2031-09-01' });
    await importFiles(database.db, { 'tours.json': [entry('lapsed', departureEntry(), others)] });
    const departure = await departureOf(database.db, 'lapsed', '2031-06-01');
    const other = await departureOf(database.db, 'lapsed', '2031-09-01');
    const over = { expires_at: database.db.raw("now() - interval '1 minute'") };
    const endedId = await insertHold(database.db, tenantId, departure.id, 8, over);
    const liveId = await insertHold(database.db, tenantId, departure.id, 1);
    const untouchedId = await insertHold(database.db, tenantId, other.id, 8, over);
    const leadId = await insertLead(database.db, tenantId, departure, 'BOOKER-L', {
      payment_due_at: database.db.raw("now() - interval '1 minute'"),
    });
    await importFiles(database.db, {
      'tours.json': [entry('lapsed', departureEntry({ seats_total: 2 }), others)],
    });
    const holds = await database
      .db('seat_holds')
      .select('id', 'status')
      .whereIn('departure_id', [departure.id, other.id]);
    expect(Object.fromEntries(holds.map(({ id, status }) => [id, status]))).toEqual({
      [endedId]: 'expired',
      [liveId]: 'active',
      [untouchedId]: 'active',
    });
    expect(await database.db('booking_leads').where({ id: leadId }).first('status')).toEqual({
      status: 'expired',
    });
  });

  it('refuses seats that were taken after it compared', async () => {
    await importFiles(database.db, { 'tours.json': [entry('raced', departureEntry())] });
    const value = entry('raced', departureEntry({ seats_total: 2 }));
    const catalog = checkCatalog([{ place: { file: 'f', index: 0, field: '' }, value }]);
    const plan = await planImport(database.db, catalog, { prune: false });
    expect(plan.faults).toEqual([]);
    await insertHold(database.db, tenantId, (await departureOf(database.db, 'raced', '2031-06-01')).id, 5);
    const writing = inTransaction(database.db, (trx) => writeImport(trx, plan, [], relockDeparture));
    await expect(writing).rejects.toMatchObject({
      code: 'catalog_refused',
      report: { errors: [{ field: 'departures[0].seats_total' }] },
    });
    expect((await departureOf(database.db, 'raced', '2031-06-01')).seats_total).toBe(10);
  });

  it('keeps a cancellation that came after it compared and that the file does not speak of', async () => {
    await importFiles(database.db, { 'tours.json': [entry('called-off', departureEntry())] });
    const value = entry('called-off', departureEntry({ seats_total: 12 }));
    const plan = await planImport(
      database.db,
      checkCatalog([{ place: { file: 'f', index: 0, field: '' }, value }]),
      { prune: false },
    );
    const { id } = await departureOf(database.db, 'called-off', '2031-06-01');
    await database.db('departures').where({ id }).update({ status: 'cancelled' });
    await inTransaction(database.db, (trx) => writeImport(trx, plan, [], relockDeparture));
    expect(await departureOf(database.db, 'called-off', '2031-06-01')).toMatchObject({
      status: 'cancelled',
      seats_total: 12,
    });
  });

  it('tells whose bookings a cancelled departure has', async () => {
    await importFiles(database.db, { 'tours.json': [entry('stormy', departureEntry())] });
    await insertLead(
      database.db,
      tenantId,
      await departureOf(database.db, 'stormy', '2031-06-01'),
      'BOOKER-2',
    );
    const report = await importFiles(database.db, {
      'tours.json': [entry('stormy', departureEntry({ status: 'cancelled' }))],
    });
    expect(report.bookings_to_tell).toEqual([
      { tour: 'stormy', departure_date: '2031-06-01', booking_refs: ['BOOKER-2'] },
    ]);
  });

  it('changes a currency only when nobody was promised a price in the old one and every departure is priced anew', async () => {
    await importFiles(database.db, {
      'tours.json': [entry('dear', departureEntry(), departureEntry({ departure_date: '2031-07-01' }))],
    });
    const inYen = (...departures: unknown[]) => ({
      'tours.json': [tourEntry({ slug: 'dear', currency: 'JPY', base_price: 150000, departures })],
    });
    const unpriced = await importFiles(database.db, inYen(departureEntry()));
    expect(unpriced.errors).toMatchObject([
      { field: 'currency', message: expect.stringContaining('2031-07-01') },
    ]);
    const all = inYen(
      departureEntry(),
      departureEntry({ departure_date: '2031-07-01', prices: { adult: 990 } }),
    );
    const departure = await departureOf(database.db, 'dear', '2031-06-01');
    const holdId = await insertHold(database.db, tenantId, departure.id, 1);
    const held = await importFiles(database.db, all);
    expect(held.errors).toMatchObject([
      { field: 'currency', message: expect.stringContaining('must stay EUR') },
    ]);
    await database.db('seat_holds').where({ id: holdId }).update({ status: 'released' });
    expect((await importFiles(database.db, all)).errors).toEqual([]);
    expect(await tourOf(database.db, 'dear')).toMatchObject({
      currency: 'JPY',
      currency_digits: 0,
      base_price_minor: 150000,
    });
    expect((await departureOf(database.db, 'dear', '2031-06-01')).prices_minor).toEqual({ adult: 1290 });
  });

  it('waits for no other import', async () => {
    const catalog = checkCatalog([
      { place: { file: 'f', index: 0, field: '' }, value: tourEntry({ slug: 'second-in-line' }) },
    ]);
    await inTransaction(database.db, async (first) => {
      await importCatalog(first, catalog, { prune: false });
      const second = inTransaction(database.db, (trx) => importCatalog(trx, catalog, { prune: false }));
      await expect(second).rejects.toMatchObject({ code: 'import_running' });
    });
  });

  it('waits for a booking that holds the departure of a tour it renames, and no deadlock comes of it', async () => {
    await importFiles(database.db, { 'tours.json': [entry('contended', departureEntry())] });
    const departure = await departureOf(database.db, 'contended', '2031-06-01');
    const value = { ...entry('contended', departureEntry({ seats_total: 12 })), name: 'Renamed' };
    const plan = await planImport(
      database.db,
      checkCatalog([{ place: { file: 'f', index: 0, field: '' }, value }]),
      { prune: false },
    );
    let importing: Promise<unknown> | undefined;
    await inTransaction(database.db, async (booking) => {
      await booking('departures').where({ id: departure.id }).forUpdate().first();
      importing = database.db.transaction((trx) => writeImport(trx, plan, [], relockDeparture));
      importing.catch(() => undefined);
      await untilSomebodyWaits(database.db);
      await insertLead(booking, tenantId, departure, 'BOOKER-9');
    });
    await expect(importing).resolves.toMatchObject({ departures: { updated: 1 } });
    expect(await tourOf(database.db, 'contended')).toMatchObject({ name: 'Renamed' });
  });

  it('gives up where a departure stays locked, and writes nothing', async () => {
    await importFiles(database.db, { 'tours.json': [entry('stuck', departureEntry())] });
    const { id } = await departureOf(database.db, 'stuck', '2031-06-01');
    const value = entry('stuck', departureEntry({ seats_total: 12 }));
    const plan = await planImport(
      database.db,
      checkCatalog([{ place: { file: 'f', index: 0, field: '' }, value }]),
      { prune: false },
    );
    await inTransaction(database.db, async (booking) => {
      await booking('departures').where({ id }).forUpdate().first();
      const importing = database.db.transaction(async (trx) => {
        await trx.raw("set local lock_timeout = '20ms'");
        await writeImport(trx, plan, [], relockDeparture);
      });
      await expect(importing).rejects.toMatchObject({ code: 'catalog_busy' });
    });
  });
});

async function untilSomebodyWaits(db: Db): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await db.raw(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
