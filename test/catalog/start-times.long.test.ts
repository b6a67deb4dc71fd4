import type { ImportReport } from '../../services/api/catalog-import/import-report';
import { CatalogChangedError, refuseOverlap } from '../../services/api/catalog-import/import.errors';
import { exportCatalog } from '../../services/api/catalog-import/export-catalog';
import { useTestDatabase } from '../support/database';
import { givenTenant, unique } from '../support/given';
import { add } from '../webhook-queue/queue-fixture';
import { compareFiles, departureEntry, importFiles, tourEntry, write } from './catalog-files';
import { type DepartureRow, insertHold, insertLead, tourOf } from './catalog-rows';

const database = useTestDatabase();
let slug: string;
beforeEach(() => {
  slug = unique('tour');
});

const DATE = '2031-06-01';
const at = (start_time: string | undefined, fields: object = {}) => departureEntry({ start_time, ...fields });
const tour = (departures: object[] | undefined, fields: object = {}) => ({
  'tours.json': [tourEntry({ slug, departures, ...fields })],
});

/** Returns each departure of the tour as `date own-time seats status`, sorted by date and start time. */
async function stored(): Promise<string[]> {
  const rows = await rowsOf();
  return rows.map(({ departureDate, startTime, seatsTotal, status }) =>
    [departureDate, startTime ?? '-', seatsTotal, status].join(' '),
  );
}

async function rowsOf(): Promise<(DepartureRow & { startTime: string | null })[]> {
  const { id } = await tourOf(database.db, slug);
  return database
    .db('departures')
    .where({ tour_id: id })
    .orderByRaw('departure_date, start_time nulls first');
}

async function issuesOf(report: Promise<ImportReport>): Promise<string[]> {
  return (await report).errors.map(({ field, message }) => `${field} ${message}`);
}

function counts({ departures }: ImportReport): number[] {
  return [departures.created, departures.updated, departures.unchanged];
}

describe('a date with two departures in a file', () => {
  const both = [at('09:30'), at('14:30', { seats_total: 20 })];

  it('an import stores both departures with their times, and a second import leaves them unchanged', async () => {
    expect(counts(await importFiles(database.db, tour(both)))).toEqual([2, 0, 0]);
    expect(await stored()).toEqual([`${DATE} 09:30 10 scheduled`, `${DATE} 14:30 20 scheduled`]);
    expect(counts(await importFiles(database.db, tour(both, { summary: 'Read again' })))).toEqual([0, 0, 2]);
  });

  it('a row with a time changes only the departure at this time', async () => {
    await importFiles(database.db, tour(both));
    const report = await importFiles(database.db, tour([at('14:30', { seats_total: 21 })]), { dryRun: true });
    expect(report.changes).toEqual([
      {
        tour: slug,
        departures: [
          {
            departure_date: DATE,
            start_time: '14:30',
            change: 'updated',
            fields: [{ field: 'seats_total', before: 20, after: 21 }],
          },
        ],
      },
    ]);
    await importFiles(database.db, tour([at('14:30', { seats_total: 21 })]));
    expect(await stored()).toEqual([`${DATE} 09:30 10 scheduled`, `${DATE} 14:30 21 scheduled`]);
  });

  it('the start times can come from the column start_time of a CSV file and from JSON lines', async () => {
    const csv = [
      'tour_slug,departure_date,start_time,seats_total,prices.adult',
      `${slug},${DATE},09:30,10,1290`,
      `${slug},${DATE},14:30,20,1290`,
      `${slug},2031-06-02,,20,1290`,
    ].join('\n');
    const lines = { 'tours.jsonl': JSON.stringify(tourEntry({ slug })), 'departures.csv': csv };
    expect(counts(await importFiles(database.db, lines))).toEqual([3, 0, 0]);
    expect(await stored()).toEqual([
      `${DATE} 09:30 10 scheduled`,
      `${DATE} 14:30 20 scheduled`,
      '2031-06-02 - 20 scheduled',
    ]);
    const jsonLines = { 'tours.jsonl': JSON.stringify(tourEntry({ slug, departures: both })) };
    expect(counts(await importFiles(database.db, jsonLines))).toEqual([0, 0, 2]);
  });

  it('two rows with the same time are refused, even if one inherits its time from the tour', async () => {
    const again = importFiles(database.db, tour([at('09:30'), at('09:30')]));
    expect(await issuesOf(again)).toEqual([
      expect.stringMatching(
        /^departures\[1\]\.departure_date is the date of a second departure of the tour at 09:30; the first is at .*, departures\[0\]$/,
      ),
    ]);
    const inherited = importFiles(database.db, tour([at('09:30'), at(undefined)], { start_time: '09:30' }));
    expect(await issuesOf(inherited)).toEqual([expect.stringMatching(/^departures\[1\]\.departure_date/)]);
  });

  it('a row without a time is refused beside a row with a time', async () => {
    expect(await issuesOf(importFiles(database.db, tour([at('09:30'), at(undefined)])))).toEqual([
      `departures[1].start_time is required: the tour has several departures on ${DATE}`,
    ]);
  });

  it.each(['9:30', '24:00', 930, ''])(
    'an import reports one issue if the time of one row is %j',
    async (time) => {
      await importFiles(database.db, tour(both));
      const rows = tour([at('09:30'), departureEntry({ start_time: time })]);
      const issue = typeof time === 'number' ? 'must be a text' : 'must be a time of the day such as 09:30';
      expect(await issuesOf(importFiles(database.db, rows))).toEqual([`departures[1].start_time ${issue}`]);
      const line = `${slug},${DATE},${time === '' ? 'noon' : time},12,480`;
      const csv = {
        'departures.csv': `tour_slug,departure_date,start_time,seats_total,prices.adult\n${line}\n`,
      };
      expect(await issuesOf(importFiles(database.db, csv))).toEqual([
        'start_time must be a time of the day such as 09:30',
      ]);
    },
  );

  it('one row may have no time if the tour has a start time', async () => {
    const rows = tour([at(undefined), at('14:30')], { start_time: '09:30' });
    expect(counts(await importFiles(database.db, rows))).toEqual([2, 0, 0]);
    expect(counts(await importFiles(database.db, rows))).toEqual([0, 0, 2]);
    expect(await stored()).toEqual([`${DATE} - 10 scheduled`, `${DATE} 14:30 10 scheduled`]);
  });

  it('a seats_total below the held seats is refused only for the departure that has the hold', async () => {
    const tenantId = (await givenTenant(database.db)).id;
    await importFiles(database.db, tour(both));
    const [, afternoon] = await rowsOf();
    await insertHold(database.db, tenantId, afternoon!.id, 5);
    const fewer = [at('09:30', { seats_total: 2 }), at('14:30', { seats_total: 2 })];
    expect(await issuesOf(importFiles(database.db, tour(fewer)))).toEqual([
      `departures[1].seats_total must be at least 5: this many seats of ${slug} on ${DATE} 14:30 are held or booked`,
    ]);
  });
});

describe('a row without a time', () => {
  it('a row without a time changes the only departure of its date, even if it has a time', async () => {
    await importFiles(database.db, tour([at('09:30')]));
    expect(counts(await importFiles(database.db, tour([at(undefined, { seats_total: 8 })])))).toEqual([
      0, 1, 0,
    ]);
    expect(await stored()).toEqual([`${DATE} 09:30 8 scheduled`]);
  });

  it('a row without a time is refused if the date has several departures, and the issue names their times', async () => {
    await importFiles(database.db, tour([at('09:30'), at('14:30')]));
    expect(await issuesOf(importFiles(database.db, tour([at(undefined)])))).toEqual([
      `departures[0].start_time is required: ${slug} has several departures on ${DATE}, at 09:30, 14:30`,
    ]);
  });

  it('a new start time of a tour is not copied to a departure without a time', async () => {
    await importFiles(database.db, tour([at(undefined)]));
    const report = await importFiles(database.db, tour([at(undefined)], { start_time: '08:00' }));
    expect(counts(report)).toEqual([0, 0, 1]);
    expect(await stored()).toEqual([`${DATE} - 10 scheduled`]);
  });
});

describe('a row with a time', () => {
  it('a row with a time never changes a departure without a time', async () => {
    await importFiles(database.db, tour([at(undefined)]));
    expect(await issuesOf(importFiles(database.db, tour([at('09:30', { seats_total: 4 })])))).toEqual([
      `departures[0].start_time names a time, but the departure of ${slug} on ${DATE} has none: tourctl departure set-time ${slug} ${DATE} 09:30 gives it one`,
    ]);
  });

  it('a row with the start time of its tour changes the departure that inherits this time', async () => {
    await importFiles(database.db, tour([at(undefined)], { start_time: '09:30' }));
    expect(counts(await importFiles(database.db, tour([at('09:30', { seats_total: 4 })])))).toEqual([
      0, 1, 0,
    ]);
    expect(await stored()).toEqual([`${DATE} - 4 scheduled`]);
  });

  it('a row with the old start time of its tour adds a departure if the file changes that time', async () => {
    await importFiles(database.db, tour([at(undefined)], { start_time: '09:30' }));
    const moved = tour([at('09:30', { seats_total: 4 })], { start_time: '11:00' });
    expect(counts(await importFiles(database.db, moved))).toEqual([1, 0, 0]);
    expect(await stored()).toEqual([`${DATE} - 10 scheduled`, `${DATE} 09:30 4 scheduled`]);
  });
});

describe('a start time of a tour that changes', () => {
  it('a tour cannot change its start time if departures of a date would no longer have distinct times', async () => {
    await importFiles(database.db, tour([at(undefined), at('14:30')], { start_time: '09:30' }));
    expect(await issuesOf(importFiles(database.db, tour(undefined, { start_time: '14:30' })))).toEqual([
      `start_time changes, so two departures begin at ${DATE} 14:30`,
    ]);
    expect(await issuesOf(importFiles(database.db, tour(undefined, { start_time: null })))).toEqual([
      `start_time is removed, so a departure on ${DATE} has no time, but the tour has several on that date`,
    ]);
    const free = await importFiles(database.db, tour(undefined, { start_time: '10:00' }));
    expect(free.tours.updated).toBe(1);
  });

  it('a tour can take the start time of a departure that --prune deletes', async () => {
    await importFiles(database.db, tour([at(undefined), at('14:30')], { start_time: '09:30' }));
    const report = await importFiles(database.db, tour([at('12:00')], { start_time: '14:30' }), {
      prune: true,
    });
    expect(report.pruned).toMatchObject({ departures_deleted: 2 });
    expect(await stored()).toEqual([`${DATE} 12:00 10 scheduled`]);
  });

  it('a changed start time of a tour sends an event for each booked departure that inherits it', async () => {
    const tenantId = (await givenTenant(database.db)).id;
    await add(database.db, tenantId, 'https://acme.example/', ['departure.updated']);
    const rows = [at(undefined), at('14:30'), at(undefined, { departure_date: '2031-06-02' })];
    await importFiles(database.db, tour(rows, { start_time: '09:30' }));
    for (const row of await rowsOf()) await insertLead(database.db, tenantId, row, unique('REF'));
    const changed = [rows[0]!, rows[1]!, at(undefined, { departure_date: '2031-06-02', seats_total: 11 })];
    await importFiles(database.db, tour(changed, { start_time: '10:00' }));
    const { rows: events } = await database.db.raw(
      `select body::json ->> 'departure_date' as date, body::json ->> 'departure_time' as time, body::json -> 'changed' as changed
       from webhook_events where tenant_id = ? order by 1`,
      [tenantId],
    );
    expect(events).toEqual([
      { date: DATE, time: '10:00', changed: ['start_time'] },
      { date: '2031-06-02', time: '10:00', changed: ['start_time', 'seats_total'] },
    ]);
  });
});

describe('a pruning import of departures with times', () => {
  it('a pruning import removes departures whose date and time the file lacks, and reports them with their times', async () => {
    const tenantId = (await givenTenant(database.db)).id;
    await importFiles(database.db, tour([at('09:30'), at('12:00'), at('14:30')]));
    const [morning] = await rowsOf();
    const reference = unique('REF');
    await insertLead(database.db, tenantId, morning!, reference);
    const fewer = tour([at('14:30')]);
    await compareFiles(
      database.db,
      fewer,
      async ({ removals }) => {
        expect(removals.named.filter((name) => name.includes(slug))).toEqual([
          `cancel ${slug} ${DATE} 09:30`,
          `delete ${slug} ${DATE} 12:00`,
        ]);
        return Promise.resolve();
      },
      { prune: true, dryRun: true },
    );
    const report = await importFiles(database.db, fewer, { prune: true });
    expect(report.pruned).toMatchObject({ departures_deleted: 1, departures_cancelled: 1 });
    expect(report.bookings_to_tell).toEqual([
      { tour: slug, departure_date: DATE, start_time: '09:30', booking_refs: [reference] },
    ]);
    expect(await stored()).toEqual([`${DATE} 09:30 10 cancelled`, `${DATE} 14:30 10 scheduled`]);
  });

  it('a pruning import keeps a departure whose time changes between its comparison and its writing', async () => {
    await importFiles(database.db, tour([at('09:30'), at('14:30')]));
    await compareFiles(
      database.db,
      tour([at('14:30')]),
      async (compared) => {
        await database.db('departures').where({ start_time: '09:30' }).update({ start_time: '10:00' });
        await write(database.db, compared);
      },
      { prune: true },
    );
    expect(await stored()).toEqual([`${DATE} 10:00 10 scheduled`, `${DATE} 14:30 10 scheduled`]);
  });
});

describe('a local time that clocks skip', () => {
  const berlin = { time_zone: 'Europe/Berlin' };
  const spring = (start_time?: string) => at(start_time, { departure_date: '2027-03-28' });

  it('an import refuses a start time that clocks skip, for a departure or for its tour', async () => {
    const own = importFiles(database.db, tour([spring('02:30'), spring('03:00')], berlin));
    expect(await issuesOf(own)).toEqual([
      'departures[0].start_time names 2027-03-28 02:30, which clocks in Europe/Berlin skip',
    ]);
    const inherited = importFiles(
      database.db,
      tour([spring(), at(undefined)], { ...berlin, start_time: '02:30' }),
    );
    expect(await issuesOf(inherited)).toEqual([
      'departures[0].departure_date names 2027-03-28 02:30, which clocks in Europe/Berlin skip',
    ]);
  });

  it('an import refuses a change of a tour if clocks would skip the start of a stored departure', async () => {
    await importFiles(database.db, tour([spring(), at('02:30')], { ...berlin, start_time: '09:00' }));
    const time = importFiles(database.db, tour(undefined, { ...berlin, start_time: '02:00' }));
    expect(await issuesOf(time)).toEqual([
      'start_time changes, so a departure begins at 2027-03-28 02:00, which clocks in Europe/Berlin skip',
    ]);
    await importFiles(database.db, tour(undefined, { time_zone: 'UTC', start_time: '02:00' }));
    const zone = importFiles(database.db, tour(undefined, berlin));
    expect(await issuesOf(zone)).toEqual([
      'time_zone changes, so a departure begins at 2027-03-28 02:00, which clocks in Europe/Berlin skip',
    ]);
  });

  it('an import reports an unknown time zone, and no issue of the start times in it', async () => {
    const unknown = importFiles(database.db, tour([spring('02:30')], { time_zone: 'Europe/Nowhere' }));
    expect(await issuesOf(unknown)).toEqual([expect.stringMatching(/^time_zone must be an IANA/)]);
  });

  it('a time that clocks show twice is accepted', async () => {
    const autumn = at('02:30', { departure_date: '2027-10-31' });
    expect(counts(await importFiles(database.db, tour([autumn], berlin)))).toEqual([1, 0, 0]);
  });
});

describe('an export of departures with times', () => {
  it('importing an export of departures with and without their own start times changes nothing', async () => {
    const rows = [at('14:30'), at(undefined), at('07:00', { departure_date: '2031-05-01' })];
    await importFiles(database.db, tour(rows, { start_time: '09:30' }));
    let entry: Record<string, unknown> = {};
    for await (const found of exportCatalog(database.db)) if (found.slug === slug) entry = found;
    expect((entry.departures as Record<string, unknown>[]).map(({ start_time }) => start_time)).toEqual([
      '07:00',
      null,
      '14:30',
    ]);
    expect(counts(await importFiles(database.db, { 'tours.json': [entry] }))).toEqual([0, 0, 3]);
  });
});

describe('a refusal of the database during an import', () => {
  it('a second departure of a date is refused while an instance of an earlier release runs', async () => {
    await database.db.raw(
      `insert into api_instances (id, polled_at, seen_version, poll) values (gen_random_uuid(), clock_timestamp(), 0, 0)`,
    );
    const refused = importFiles(database.db, tour([at('09:30'), at('14:30')]));
    await expect(refused).rejects.toMatchObject({
      code: 'earlier_release_runs',
      message: expect.stringContaining('An instance of an earlier release still runs'),
    });
    await database.db('api_instances').delete();
    expect(counts(await importFiles(database.db, tour([at('09:30'), at('14:30')])))).toEqual([2, 0, 0]);
  });

  it.each(['departures_told_apart', 'departures_one_per_start'])(
    'a violation of %s becomes CatalogChangedError, which asks to run the import again',
    (constraint) => {
      expect(() => refuseOverlap({ constraint })).toThrow(CatalogChangedError);
    },
  );
});

describe('a new departure that others add before the import is written', () => {
  it('the import changes the departure that another transaction added after its comparison', async () => {
    await importFiles(database.db, tour([at('09:30')]));
    await compareFiles(database.db, tour([at('09:30'), at('14:30')]), async (compared) => {
      const { id } = await tourOf(database.db, slug);
      await database.db('departures').insert({
        tour_id: id,
        departure_date: DATE,
        start_time: '14:30',
        seats_total: 3,
        prices_minor: { adult: 1 },
      });
      const report = await write(database.db, compared);
      expect(counts(report)).toEqual([0, 1, 1]);
    });
  });
});
