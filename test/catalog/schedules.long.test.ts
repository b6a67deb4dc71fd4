import type { ImportReport } from '../../services/api/catalog-import/import-report';
import { useTestDatabase } from '../support/database';
import { unique } from '../support/given';
import { departureEntry, importFiles, tourEntry } from './catalog-files';
import { tourOf } from './catalog-rows';

const database = useTestDatabase();
let slug: string;
beforeEach(() => {
  slug = unique('tour');
});

/** Describes 2031-06-07, 08, 14 and 15 at 09:30 and 14:30. */
const weekends = (fields: object = {}) => ({
  every: 'sat,sun',
  from: '2031-06-07',
  to: '2031-06-15',
  start_times: ['09:30', '14:30'],
  seats_total: 12,
  prices: { adult: 49.5 },
  ...fields,
});
const files = (schedules: object[], fields: object = {}) => ({
  'tours.json': [tourEntry({ slug, schedules, ...fields })],
});

/** Returns each departure of the tour as `date own-time seats`, sorted by date and start time. */
async function stored(): Promise<string[]> {
  const { id } = await tourOf(database.db, slug);
  const rows = await database
    .db('departures')
    .where({ tour_id: id })
    .orderByRaw('departure_date, start_time');
  return rows.map(
    ({ departureDate, startTime, seatsTotal }) => `${departureDate} ${startTime ?? '-'} ${seatsTotal}`,
  );
}

function counts({ departures }: ImportReport): number[] {
  return [departures.created, departures.updated, departures.unchanged];
}

async function issuesOf(contents: Record<string, unknown>): Promise<string[]> {
  const { errors } = await importFiles(database.db, contents);
  return errors.map(({ field, message }) => `${field} ${message}`);
}

describe('schedules of a tour in a catalog file', () => {
  it('an import adds the departures of a schedule, from JSON and from JSON lines', async () => {
    expect(counts(await importFiles(database.db, files([weekends({ except: ['2031-06-08'] })])))).toEqual([
      6, 0, 0,
    ]);
    expect(await stored()).toEqual([
      '2031-06-07 09:30 12',
      '2031-06-07 14:30 12',
      '2031-06-14 09:30 12',
      '2031-06-14 14:30 12',
      '2031-06-15 09:30 12',
      '2031-06-15 14:30 12',
    ]);
    const lines = { 'tours.jsonl': JSON.stringify(tourEntry({ slug, schedules: [weekends()] })) };
    expect(counts(await importFiles(database.db, lines))).toEqual([2, 0, 6]);
  });

  it('a schedule leaves existing departures unchanged, even cancelled ones', async () => {
    await importFiles(database.db, files([weekends()]));
    const { id } = await tourOf(database.db, slug);
    const morning = { tour_id: id, start_time: '09:30' };
    await database.db('departures').where(morning).update({ status: 'cancelled' });
    const other = weekends({ seats_total: 99, prices: { adult: 1 }, to: '2031-06-21' });
    expect(counts(await importFiles(database.db, files([other])))).toEqual([2, 0, 8]);
    expect((await stored()).filter((line) => line.endsWith(' 99'))).toEqual([
      '2031-06-21 09:30 99',
      '2031-06-21 14:30 99',
    ]);
    const cancelled = await database.db('departures').where({ status: 'cancelled', ...morning });
    expect(cancelled).toHaveLength(4);
  });

  it('a departure of the tour overrides a schedule, and an earlier schedule overrides a later one', async () => {
    const departures = [
      departureEntry({ departure_date: '2031-06-07', start_time: '09:30', seats_total: 3 }),
    ];
    const saturday = weekends({ every: 'sat', to: '2031-06-07', seats_total: 5 });
    const report = await importFiles(
      database.db,
      files([saturday, weekends({ to: '2031-06-08' })], { departures }),
    );
    expect(counts(report)).toEqual([4, 0, 0]);
    expect(await stored()).toEqual([
      '2031-06-07 09:30 3',
      '2031-06-07 14:30 5',
      '2031-06-08 09:30 12',
      '2031-06-08 14:30 12',
    ]);
  });

  it('a schedule without start times adds departures that use the start time of the tour', async () => {
    await importFiles(database.db, files([weekends({ start_times: ['14:30'] })], { start_time: '09:30' }));
    const report = await importFiles(database.db, files([weekends({ start_times: undefined })]));
    expect(counts(report)).toEqual([4, 0, 0]);
    expect((await stored()).slice(0, 2)).toEqual(['2031-06-07 14:30 12', '2031-06-07 - 12']);
    expect(counts(await importFiles(database.db, files([weekends()])))).toEqual([0, 0, 8]);
  });

  it('a pruning import keeps the departures that a schedule describes, and deletes the others', async () => {
    await importFiles(database.db, files([weekends(), weekends({ every: 'mon', start_times: ['08:00'] })]));
    const report = await importFiles(database.db, files([weekends()], { departures: [] }), { prune: true });
    expect(report.pruned).toMatchObject({ departures_deleted: 1 });
    expect(await stored()).toHaveLength(8);
    const again = await importFiles(database.db, files([weekends()], { departures: [] }), { prune: true });
    expect([counts(again), again.pruned!.departures_deleted]).toEqual([[0, 0, 8], 0]);
  });

  it('an unchanged file adds the departures of its schedule again after they were deleted', async () => {
    await importFiles(database.db, files([weekends()]));
    await database.db('departures').where({ departure_date: '2031-06-07' }).delete();
    expect(counts(await importFiles(database.db, files([weekends()])))).toEqual([2, 0, 6]);
  });

  it.each([
    [{ every: 'caturday' }, 'schedules[1].every must be daily'],
    [{ every: 7 }, 'schedules[1].every must be daily'],
    [{ from: '2031-02-30' }, 'schedules[1].from must be a calendar date'],
    [{ to: undefined }, 'schedules[1].to is required'],
    [{ start_times: ['9:30'] }, 'schedules[1].start_times[0] must be a time of the day'],
    [{ start_times: ['09:30', '09:30'] }, 'schedules[1].start_times must not name 09:30 twice'],
    [{ except: ['2031-06-09'] }, 'schedules[1].except names 2031-06-09'],
    [{ seats_total: 0 }, 'schedules[1].seats_total must be a whole number'],
    [{ prices: { adult: 9.999 } }, 'schedules[1].prices.adult must have at most 2 decimals'],
    [{ prices: {} }, 'schedules[1].prices.adult is required'],
    [{ seats: 4 }, 'schedules[1].seats is not known here'],
  ])('the issue of a schedule names its index and its field: %j', async (fields, issue) => {
    const valid = weekends({ every: 'mon', start_times: ['08:00'] });
    expect(await issuesOf(files([valid, weekends(fields)]))).toEqual([expect.stringContaining(issue)]);
  });

  it('a schedule is refused if one of two departures of a date would have no time', async () => {
    await importFiles(
      database.db,
      files([], { departures: [departureEntry({ departure_date: '2031-06-07' })] }),
    );
    const saturday = weekends({ every: 'sat', to: '2031-06-07', start_times: ['09:30'] });
    expect(await issuesOf(files([saturday]))).toEqual([
      `schedules[0].start_times names a time, but the departure of ${slug} on 2031-06-07 has none: tourctl departure set-time ${slug} 2031-06-07 09:30 gives it one`,
    ]);
    slug = unique('tour');
    await importFiles(database.db, files([saturday]));
    expect(await issuesOf(files([{ ...saturday, start_times: undefined }]))).toEqual([
      `schedules[0].start_times is required: ${slug} has a departure on 2031-06-07 at 09:30`,
    ]);
  });

  it('a schedule with a start time that clocks skip is refused, and the issue names the date', async () => {
    const nights = weekends({ every: 'daily', from: '2027-03-27', to: '2027-03-29', start_times: ['02:30'] });
    expect(await issuesOf(files([nights], { time_zone: 'Europe/Berlin' }))).toEqual([
      'schedules[0].start_times names 2027-03-28 02:30, which clocks in Europe/Berlin skip',
    ]);
  });
});
