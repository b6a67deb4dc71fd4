import { CUTOFF_RULE } from '../../services/api/catalog/cutoff';
import { useTestDatabase } from '../support/database';
import { departureEntry, importFiles, importTours, tourEntry } from './catalog-files';
import { departureOf, tourOf } from './catalog-rows';

const database = useTestDatabase();

const SLUG = 'closing';
const DATE = '2031-06-01';
const HEAD = 'slug,name,continent,country,duration_days,currency,base_price';
const ROW = `${SLUG},Closing,europe,PT,1,EUR,40`;
const tour = (fields: object = {}) => tourEntry({ slug: SLUG, ...fields });
const withDeparture = (fields: object) =>
  tour({ departures: [departureEntry({ departure_date: DATE, ...fields })] });
const tiers = (...pairs: [unknown, unknown][]) => ({
  tiers: pairs.map(([until, refund_percent]) => ({ until, refund_percent })),
});
const PERCENT = 'must be a whole number from 0 to 100';

describe('the faults of closing times and cancellation in a file', () => {
  it.each<[string, object, string, string]>([
    ['a cut-off in words', { booking_cutoff: 'two days' }, 'booking_cutoff', CUTOFF_RULE],
    ['a cut-off in weeks', { booking_cutoff: '1w' }, 'booking_cutoff', CUTOFF_RULE],
    ['a cut-off with a fraction', { booking_cutoff: '1.5h' }, 'booking_cutoff', CUTOFF_RULE],
    ['a negative cut-off', { booking_cutoff: '-1d' }, 'booking_cutoff', CUTOFF_RULE],
    ['a cut-off of 366 days', { booking_cutoff: '366d' }, 'booking_cutoff', CUTOFF_RULE],
    ['a cut-off that is a number', { booking_cutoff: 36 }, 'booking_cutoff', CUTOFF_RULE],
    ['a policy that is a text', { cancellation: 'free' }, 'cancellation', 'must be an object'],
    ['a policy without tiers', { cancellation: {} }, 'cancellation.tiers', 'is required'],
    [
      'tiers that are no list',
      { cancellation: { tiers: { until: '3d' } } },
      'cancellation.tiers',
      'must be a list',
    ],
    [
      'an unknown key of the policy',
      { cancellation: { tiers: [], fee: 5 } },
      'cancellation.fee',
      'is not known here; known are tiers',
    ],
    [
      'an unknown key of a tier',
      { cancellation: { tiers: [{ until: '3d', refund_percent: 100, percent: 1 }] } },
      'cancellation.tiers[0].percent',
      'is not known here; known are until, refund_percent',
    ],
    [
      'a tier without until',
      { cancellation: { tiers: [{ refund_percent: 1 }] } },
      'cancellation.tiers[0].until',
      'is required',
    ],
    [
      'a tier without a percent',
      { cancellation: { tiers: [{ until: '3d' }] } },
      'cancellation.tiers[0].refund_percent',
      'is required',
    ],
    [
      'a wrong until',
      { cancellation: tiers(['30d', 100], ['soon', 50]) },
      'cancellation.tiers[1].until',
      CUTOFF_RULE,
    ],
    [
      'an until that does not fall',
      { cancellation: tiers(['7d', 100], ['30d', 50]) },
      'cancellation.tiers[1].until',
      'must be shorter than 7d of the tier before',
    ],
    [
      'an until that is equal in another unit',
      { cancellation: tiers(['2d', 100], ['48h', 50]) },
      'cancellation.tiers[1].until',
      'must be shorter than 2d of the tier before',
    ],
    [
      'a percent over 100',
      { cancellation: tiers(['3d', 101]) },
      'cancellation.tiers[0].refund_percent',
      PERCENT,
    ],
    [
      'a negative percent',
      { cancellation: tiers(['3d', -1]) },
      'cancellation.tiers[0].refund_percent',
      PERCENT,
    ],
    [
      'a percent with a fraction',
      { cancellation: tiers(['3d', 33.3]) },
      'cancellation.tiers[0].refund_percent',
      PERCENT,
    ],
    [
      'a percent as text',
      { cancellation: tiers(['3d', '50']) },
      'cancellation.tiers[0].refund_percent',
      PERCENT,
    ],
    [
      'a percent that does not fall',
      { cancellation: tiers(['30d', 50], ['7d', 50]) },
      'cancellation.tiers[1].refund_percent',
      'must be below the 50 of the tier before',
    ],
    [
      'nine tiers',
      {
        cancellation: tiers(...Array.from({ length: 9 }, (_, n): [string, number] => [`${90 - n}d`, 90 - n])),
      },
      'cancellation.tiers',
      'must have at most 8 entries',
    ],
    [
      'a wrong closes_before',
      { departures: [departureEntry({ closes_before: '3 days' })] },
      'departures[0].closes_before',
      CUTOFF_RULE,
    ],
    [
      'both closing times of a departure',
      { departures: [departureEntry({ closes_before: '3d', closes_at: '2031-05-30T12:00:00Z' })] },
      'departures[0].closes_before',
      'must not be given together with closes_at: one of them alone decides',
    ],
    [
      'both closing times of a schedule',
      {
        schedules: [
          {
            every: 'daily',
            from: DATE,
            to: DATE,
            seats_total: 1,
            prices: { adult: 1 },
            closes_before: '3d',
            closes_at: '2031-05-30T12:00:00Z',
          },
        ],
      },
      'schedules[0].closes_before',
      'must not be given together with closes_at: one of them alone decides',
    ],
  ])(
    '%s is one issue with its field and what is right, and nothing is written',
    async (_, fields, field, message) => {
      const { errors } = await importTours(database.db, tourEntry({ slug: 'other' }), tour(fields));
      expect(errors).toEqual([{ file: 'tours.json', index: 1, field, message }]);
      expect(await tourOf(database.db, 'other')).toBeUndefined();
    },
  );

  it('a fault in a CSV file names its line', async () => {
    const { errors } = await importFiles(database.db, {
      'tours.csv': `${HEAD},booking_cutoff,cancellation\n${ROW},soon,"{""tiers"": [{""until"": ""3d"", ""refund_percent"": 200}]}"\n`,
      'departures.csv': `tour_slug,departure_date,seats_total,prices.adult,closes_before\n${SLUG},${DATE},5,40,1w\n`,
    });
    expect(errors).toEqual([
      { file: 'tours.csv', line: 2, field: 'cancellation.tiers[0].refund_percent', message: PERCENT },
      { file: 'tours.csv', line: 2, field: 'booking_cutoff', message: CUTOFF_RULE },
      { file: 'departures.csv', line: 2, field: 'closes_before', message: CUTOFF_RULE },
    ]);
  });
});

describe('a cell of JSON in a CSV file', () => {
  it.each([
    ['without its last brace', '{""tiers"": [{""until"": ""3d"", ""refund_percent"": 50}]'],
    ['with the quotes of a text editor', '{“tiers”: []}'],
    ['with a key twice', '{""tiers"": [{""until"": ""3d"", ""refund_percent"": 50, ""refund_percent"": 5}]}'],
  ])('%s is one issue that says what is right', async (_, cell) => {
    const { errors } = await importFiles(database.db, {
      'tours.csv': `${HEAD},cancellation\n${ROW},"${cell}"\n`,
    });
    const message = 'must be valid JSON, with each key once';
    expect(errors).toEqual([{ file: 'tours.csv', line: 2, field: 'cancellation', message }]);
  });
});

describe('closing times and cancellation of a file', () => {
  beforeEach(async () => {
    await database.db('departures').delete();
    await database.db('tours').delete();
  });
  const stored = () => tourOf(database.db, SLUG);
  const storedDeparture = async () => {
    const { closesAt, closesBefore } = await departureOf(database.db, SLUG, DATE);
    return [closesAt?.toISOString() ?? null, closesBefore];
  };

  it('they are stored as written, an omitted one stays, and null clears it', async () => {
    const policy = tiers(['30d', 100], ['48h', 50], ['0', 10]);
    await importTours(database.db, tour({ booking_cutoff: '36h', cancellation: policy }));
    expect(await stored()).toMatchObject({
      bookingCutoff: '36h',
      cancellation: tiers(['30d', 100], ['48h', 50], ['0m', 10]),
    });
    expect((await importTours(database.db, tour())).tours).toMatchObject({ unchanged: 1 });
    expect(
      (await importTours(database.db, tour({ booking_cutoff: 0, cancellation: { tiers: [] } }))).tours
        .updated,
    ).toBe(1);
    expect(await stored()).toMatchObject({ bookingCutoff: '0m', cancellation: { tiers: [] } });
    await importTours(database.db, tour({ booking_cutoff: null, cancellation: null }));
    expect(await stored()).toMatchObject({ bookingCutoff: null, cancellation: null });
  });

  it('closes_at and closes_before of a departure replace each other', async () => {
    const at = '2031-05-30T12:00:00.000Z';
    const put = async (fields: object) => {
      const { errors } = await importTours(database.db, withDeparture(fields));
      return errors.length > 0 ? errors : storedDeparture();
    };
    expect(await put({ closes_before: '36h' })).toEqual([null, '36h']);
    expect(await put({})).toEqual([null, '36h']);
    expect(await put({ closes_at: at })).toEqual([at, null]);
    expect(await put({ closes_before: '2h', closes_at: null })).toEqual([null, '2h']);
    expect(await put({ closes_at: at })).toEqual([at, null]);
    expect(await put({ closes_before: null })).toEqual([at, null]);
    expect(await put({ closes_before: '0', closes_at: null })).toEqual([null, '0m']);
    expect(await put({ closes_before: null })).toEqual([null, null]);
  });

  it('a schedule gives its cut-off to the departures that it adds', async () => {
    const schedule = {
      every: 'daily',
      from: DATE,
      to: DATE,
      seats_total: 3,
      prices: { adult: 1 },
      closes_before: '2h',
    };
    await importTours(database.db, tour({ schedules: [schedule] }));
    expect(await storedDeparture()).toEqual([null, '2h']);
    await importTours(database.db, tour({ schedules: [{ ...schedule, closes_before: '9h' }] }));
    expect(await storedDeparture()).toEqual([null, '2h']);
  });

  it('CSV files have them as text and as JSON text, where null clears the cancellation', async () => {
    const put = (cutoff: string, cancellation: string) =>
      importFiles(database.db, {
        'tours.csv': `${HEAD},booking_cutoff,cancellation\n${ROW},${cutoff},"${cancellation.replaceAll('"', '""')}"\n`,
        'departures.csv': `tour_slug,departure_date,seats_total,prices.adult,closes_before\n${SLUG},${DATE},5,40,90m\n`,
      });
    expect((await put('3d', JSON.stringify(tiers(['7d', 100])))).errors).toEqual([]);
    expect(await stored()).toMatchObject({ bookingCutoff: '3d', cancellation: tiers(['7d', 100]) });
    expect(await storedDeparture()).toEqual([null, '90m']);
    await put('', '');
    expect(await stored()).toMatchObject({ bookingCutoff: '3d', cancellation: tiers(['7d', 100]) });
    await put('0', 'null');
    expect(await stored()).toMatchObject({ bookingCutoff: '0m', cancellation: null });
  });

  it('a new cut-off of a tour is a change of its departures: the tour is listed as changed, and next dates are computed again', async () => {
    const { db } = database;
    await importTours(db, withDeparture({}));
    await db('next_departures_due').delete();
    const changes = () => db('tour_changes').pluck('change_id');
    const updatedAt = async () => (await departureOf(db, SLUG, DATE)).updatedAt;
    const [changesBefore, before] = [await changes(), await updatedAt()];
    await importTours(db, withDeparture({}), tourEntry({ slug: 'beside' }));
    expect(await updatedAt()).toEqual(before);
    await importTours(db, tour({ booking_cutoff: '3d' }));
    expect((await updatedAt()).getTime()).toBeGreaterThan(before.getTime());
    expect(await changes()).not.toEqual(changesBefore);
    expect(await db('next_departures_due').pluck('tour_id')).toContain((await stored()).id);
  });
});
