import { inTransaction } from '../../services/platform/database/database';
import { importCatalog } from '../../services/api/catalog-import/import-catalog';
import { useTestDatabase } from '../support/database';
import { givenTenant, givenTour, givenVisibilityRule } from '../support/given';
import { departureEntry, importFiles, importTours, tourEntry } from './catalog-files';
import { departureOf, tourOf } from './catalog-rows';

const database = useTestDatabase();

const none = { created: 0, updated: 0, unchanged: 0 };

describe('a catalog import', () => {
  it('a catalog import creates tours and departures with every field', async () => {
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
      start_time: '21:30',
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
    const report = await importTours(database.db, entry);
    expect(report).toEqual({
      tours: { ...none, created: 1 },
      departures: { ...none, created: 2 },
      errors: [],
    });
    expect(await tourOf(database.db, 'everything')).toMatchObject({
      name: 'Łódź by night',
      nameFolded: 'lodz by night',
      description: 'First\n\nSecond',
      basePriceMinor: 129000,
      currencyDigits: 2,
      images: [{ url: 'https://cdn.example/a.jpg', alt: 'A' }, { url: '/b.svg' }],
      tags: ['walk', 'night'],
      languages: ['en', 'pl'],
      startLocation: { name: 'Łódź', lat: 51.7592, lng: 19.456 },
      endLocation: { name: 'Łódź' },
      itinerary: [
        { day: 1, title: 'Walk', description: 'Far' },
        { day: 2, title: 'Rest' },
      ],
      cancellationPolicy: 'Free\nuntil the day before',
      startTime: '21:30',
      status: 'draft',
      revision: 1,
    });
    expect(await departureOf(database.db, 'everything', '2031-06-01')).toMatchObject({
      returnDate: '2031-06-07',
      pricesMinor: { adult: 129050, child: 0, single_supplement: 9999 },
      closesAt: new Date('2031-05-30T12:00:00Z'),
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

  it('a catalog import keeps every character of the given text', async () => {
    const odd = 'a\\b \\N \\. "c" {d,e} \t, NULL; 日本 🏔';
    const entry = tourEntry({
      slug: 'odd',
      name: odd.replace('\t', ''),
      description: `\\.\n${odd}\n\n\\`,
      tags: ['NULL', 'a,b', '"', '\\', '{}', ' x'.trim()],
      itinerary: [{ day: 1, title: 'A "B" \\ C', description: `${odd}\n2` }],
    });
    await importTours(database.db, entry);
    expect(await tourOf(database.db, 'odd')).toMatchObject({
      name: entry.name,
      description: entry.description,
      tags: entry.tags,
      itinerary: entry.itinerary,
    });
    expect((await importTours(database.db, entry)).tours.unchanged).toBe(1);
  });

  it('a catalog import joins thousands of departure lines with their tours in any order', async () => {
    const tours = Array.from({ length: 450 }, (_, i) => `bulky-${i}`);
    const head = 'tour_slug;departure_date;seats_total;prices.adult';
    const lines = ['2031-06-01', '2031-06-02', '2031-06-03'].flatMap((date) =>
      tours.map((slug) => `${slug};${date};10;990.5`),
    );
    const files = {
      'departures.csv': `\ufeff${head}\r\n${lines.join('\r\n')}\r\n`,
      'tours.jsonl': tours.map((slug) => `${JSON.stringify(tourEntry({ slug }))}\n`).join(''),
    };
    expect(await importFiles(database.db, files)).toEqual({
      tours: { ...none, created: 450 },
      departures: { ...none, created: 1350 },
      errors: [],
    });
    expect(await importFiles(database.db, files)).toEqual({
      tours: { ...none, unchanged: 450 },
      departures: { ...none, unchanged: 1350 },
      errors: [],
    });
  });

  it('a catalog import keeps fields that the file omits, and clears fields that are null', async () => {
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
    await importTours(database.db, full);
    const report = await importTours(
      database.db,
      tourEntry({ slug: 'patched', tags: null, departures: [departureEntry({ prices: { adult: 11 } })] }),
    );
    expect(report.tours).toEqual({ ...none, updated: 1 });
    expect(report.departures).toEqual({ ...none, updated: 1 });
    expect(await tourOf(database.db, 'patched')).toMatchObject({
      summary: 'Kept',
      tags: [],
      status: 'draft',
      revision: 2,
    });
    expect(await departureOf(database.db, 'patched', '2031-06-01')).toMatchObject({
      pricesMinor: { adult: 1100, child: 500 },
      returnDate: '2031-06-02',
    });
    expect(await departureOf(database.db, 'patched', '2031-08-01')).toBeDefined();
    await importTours(
      database.db,
      tourEntry({ slug: 'patched', departures: [departureEntry({ prices: { adult: 11, child: null } })] }),
    );
    expect((await departureOf(database.db, 'patched', '2031-06-01')).pricesMinor).toEqual({ adult: 1100 });
  });

  it('a catalog import detects each kind of change, and none in an equal entry', async () => {
    const departures = [departureEntry(), departureEntry({ departure_date: '2031-07-01' })];
    const same = tourEntry({
      slug: 'same',
      images: [{ alt: 'A "B"', url: '/a.svg' }],
      start_location: { name: 'Rome', lat: 41.9, lng: -0.0000001 },
      summary: null,
      departures,
    });
    await importTours(database.db, same);
    const updated = async (fields: Record<string, unknown>) => {
      const report = await importFiles(
        database.db,
        { 'tours.json': [{ ...same, ...fields }] },
        { dryRun: true },
      );
      return [report.tours.updated, report.departures.created, report.departures.updated];
    };
    const second = (fields: object) => ({ departures: [departures[0], { ...departures[1], ...fields }] });
    expect(await updated({})).toEqual([0, 0, 0]);
    expect(await updated({ departures: departures.toReversed() })).toEqual([0, 0, 0]);
    expect(await updated({ departures: [departures[0]] })).toEqual([0, 0, 0]);
    expect(await updated({ summary: 'New' })).toEqual([1, 0, 0]);
    expect(await updated({ base_price: 1290.01 })).toEqual([1, 0, 0]);
    expect(await updated({ images: [] })).toEqual([1, 0, 0]);
    expect(await updated({ tags: ['a'] })).toEqual([1, 0, 0]);
    expect(await updated(second({ seats_total: 11 }))).toEqual([0, 0, 1]);
    expect(await updated(second({ prices: { adult: 1290, child: 5 } }))).toEqual([0, 0, 1]);
    expect(await updated(second({ closes_at: '2031-06-30T12:00:00+02:00' }))).toEqual([0, 0, 1]);
    expect(await updated(second({ status: 'cancelled' }))).toEqual([0, 0, 1]);
    expect(await updated(second({ departure_date: '2031-07-02' }))).toEqual([0, 1, 0]);
  });

  it('a catalog import increments the revision only of tours that changed or whose departures changed', async () => {
    const tours = ['one', 'two', 'three'].map((word) =>
      tourEntry({ slug: `rev-${word}`, departures: [departureEntry()] }),
    );
    await importFiles(database.db, { 'tours.json': tours });
    const before = await tourOf(database.db, 'rev-three');
    await importTours(
      database.db,
      { ...tours[0], name: 'Renamed' },
      { ...tours[1], departures: [departureEntry({ seats_total: 9 })] },
      tours[2],
    );
    expect((await tourOf(database.db, 'rev-one')).revision).toBe(2);
    expect((await tourOf(database.db, 'rev-two')).revision).toBe(2);
    const after = await tourOf(database.db, 'rev-three');
    expect(after.revision).toBe(1);
    expect(after.updatedAt).toEqual(before.updatedAt);
  });

  it('a catalog import updates the name and the continent that visibility rules copy from a tour', async () => {
    const tour = await givenTour(database.db, { slug: 'followed', continent: 'europe' });
    const tenant = await givenTenant(database.db, { slug: 'follower' });
    await givenVisibilityRule(database.db, { tenant }, tour, true);
    await importTours(database.db, tourEntry({ slug: 'followed', name: 'Étna', continent: 'africa' }));
    const rule = await database.db('visibility_tour_rules').where({ tenant_id: tenant.id }).first();
    expect(rule).toMatchObject({ nameFolded: 'etna', continent: 'africa' });
  });

  it('a catalog import writes nothing when one entry has an issue', async () => {
    const report = await importTours(
      database.db,
      tourEntry({ slug: 'sound' }),
      tourEntry({ slug: 'broken', duration_days: 0 }),
    );
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
    'a catalog import counts no changes when an entry has an issue (%j)',
    async ({ dryRun }) => {
      await importTours(database.db, tourEntry({ slug: 'as-it-was' }));
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
            message:
              'must have at most 2 decimals: that is what EUR has; a point separates decimals, not thousands',
          },
        ],
        pruned: { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 },
      });
    },
  );

  it('a catalog import checks departure prices by the stored currency of the tour', async () => {
    await importTours(database.db, tourEntry({ slug: 'in-yen', currency: 'JPY' }));
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

  it('a catalog import writes nothing in a dry run, and reports what would change', async () => {
    const report = await importFiles(
      database.db,
      { 'tours.json': [tourEntry({ slug: 'dry' })] },
      { dryRun: true },
    );
    expect(report.tours).toEqual({ ...none, created: 1 });
    expect(await tourOf(database.db, 'dry')).toBeUndefined();
  });

  it('a catalog import refuses a time zone that only the runtime supports', async () => {
    const alone = await importTours(database.db, tourEntry({ slug: 'zoned', time_zone: 'europe/rome' }));
    expect(alone.errors).toMatchObject([{ field: 'time_zone', index: 0 }]);
    const { errors } = await importTours(database.db, tourEntry({ slug: 'Über', time_zone: 'europe/rome' }));
    expect(errors.map(({ field }) => field)).toEqual(['slug', 'time_zone']);
  });

  it("a catalog import imports hundreds of tours in the caller's transaction", async () => {
    const tours = Array.from({ length: 450 }, (_, i) =>
      tourEntry({
        slug: `bulk-${i}`,
        departures: [departureEntry(), departureEntry({ departure_date: '2031-06-02' })],
      }),
    );
    const catalog = tours.map((value, index) => ({ place: { file: 'seed', index }, value }));
    const report = await inTransaction(database.db, (trx) => importCatalog(trx, catalog, { prune: false }));
    expect(report).toEqual({
      tours: { ...none, created: 450 },
      departures: { ...none, created: 900 },
      errors: [],
    });
  });
});
