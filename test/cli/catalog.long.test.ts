import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CSV_COLUMN_HELP } from '../../cli/commands/catalog/import';
import { departureEntry, tourEntry, writeFiles } from '../catalog/catalog-files';
import { departureOf, insertLead, tourOf } from '../catalog/catalog-rows';
import { givenTenant } from '../support/given';
import { useTemporaryFolder } from '../support/temporary-folder';
import { runOnce } from './run-once';
import { expectPages, openTestTerminal, useTestTerminal } from './terminal';

const terminal = useTestTerminal();

const none = { created: 0, updated: 0, unchanged: 0 };

async function importing(contents: Record<string, unknown>, ...flags: string[]) {
  return terminal.tourctl(['catalog', 'import', ...writeFiles(contents), '--json', ...flags]);
}

async function audits() {
  const json = await terminal.json('audit list --limit 1000');
  return json.items.filter((entry: { action: string }) => entry.action === 'catalog.import');
}

describe('tourctl catalog import', () => {
  it('tourctl catalog import answers with the numbers of changes, and leaves one audit row', async () => {
    const entry = tourEntry({ slug: 'first', departures: [departureEntry()] });
    const { code, json, stderr } = await importing({ 'tours.json': [entry] });
    expect(code).toBe(0);
    expect(json).toEqual({
      tours: { ...none, created: 1 },
      departures: { ...none, created: 1 },
      errors: [],
    });
    expect(stderr).toBe('');
    expect(await audits()).toMatchObject([
      { subject: 'tours.json', before: null, after: { tours: { created: 1 }, departures: { created: 1 } } },
    ]);
  });

  it('tourctl catalog import leaves no audit row if nothing changed', async () => {
    const before = await audits();
    const { json } = await importing({ 'tours.json': [tourEntry({ slug: 'first' })] });
    expect(json.tours).toEqual({ ...none, unchanged: 1 });
    expect(await audits()).toEqual(before);
  });

  it('tourctl catalog import reports the issues on stdout and the error on stderr, and exits 1', async () => {
    const result = await importing({ 'tours.csv': 'slug,name\nx,Y' });
    expect(result.code).toBe(1);
    expect(result.json.errors).toContainEqual({
      file: expect.stringMatching(/tours\.csv$/),
      line: 2,
      field: 'continent',
      message: 'is required',
    });
    expect(result.error.code).toBe('catalog_refused');
    expect(result.error.message).toMatch(
      /^The catalog has \d+ issues; nothing was written\. Correct the files and run it again$/,
    );
  });

  it('tourctl catalog import prints each issue with its place without --json', async () => {
    const [file] = writeFiles({ 'tours.jsonl': JSON.stringify(tourEntry({ name: '' })) });
    const { code, stdout, stderr } = await terminal.tourctl(['catalog', 'import', file!]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/tours\.jsonl:1 +name +must not be empty/);
    expect(stderr).toBe(
      'error: The catalog has 1 issue; nothing was written. Correct the files and run it again\n',
    );
  });

  it('tourctl catalog import writes nothing in a dry run', async () => {
    const { code, json } = await importing({ 'tours.json': [tourEntry({ slug: 'dry' })] }, '--dry-run');
    expect([code, json.tours.created]).toEqual([0, 1]);
    expect(await tourOf(terminal.db, 'dry')).toBeUndefined();
  });

  it('tourctl catalog import says in a dry run what would change, field by field', async () => {
    const entry = tourEntry({ slug: 'compared', departures: [departureEntry()] });
    await importing({ 'tours.json': [entry] });
    const changed = {
      ...entry,
      name: 'Renamed',
      base_price: 1300.5,
      departures: [
        departureEntry({ seats_total: 12, prices: { adult: 1290, child: 645 } }),
        departureEntry({ departure_date: '2031-07-01' }),
      ],
    };
    const files = { 'tours.json': [changed, tourEntry({ slug: 'brand-new' })] };
    const { json } = await importing(files, '--dry-run');
    expect(json.changes).toEqual([
      {
        tour: 'compared',
        change: 'updated',
        fields: [
          { field: 'name', before: entry.name, after: 'Renamed' },
          { field: 'base_price', before: 1290, after: 1300.5 },
        ],
        departures: [
          {
            departure_date: '2031-06-01',
            start_time: null,
            change: 'updated',
            fields: [
              { field: 'seats_total', before: 10, after: 12 },
              { field: 'prices.child', before: null, after: 645 },
            ],
          },
          { departure_date: '2031-07-01', start_time: null, change: 'created' },
        ],
      },
      { tour: 'brand-new', change: 'created' },
    ]);
    const [file] = writeFiles(files);
    const { stdout, stderr } = await terminal.tourctl(['catalog', 'import', file!, '--dry-run']);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      '~ compared updated',
      '    name "Dolomites, Hut to Hut" → "Renamed"',
      '    base_price 1290 → 1300.5',
      '    ~ 2031-06-01 updated: seats_total 10 → 12, prices.child - → 645',
      '    + 2031-07-01 created',
      '+ brand-new created',
    ]);
    expect(stderr).toBe('Nothing was written: this was a dry run\n');
    const unchanged = await importing({ 'tours.json': [entry] }, '--dry-run');
    expect(unchanged.json.changes).toEqual([]);
  });

  it('tourctl catalog import prints the first lines of a long dry run, and says how many more tours would change', async () => {
    const tours = Array.from({ length: 90 }, (_, i) => tourEntry({ slug: `many-${i}` }));
    const [file] = writeFiles({ 'tours.json': tours });
    const { stdout } = await terminal.tourctl(['catalog', 'import', file!, '--dry-run']);
    expect(stdout).toContain('… and 30 more tours; --json lists them');
    expect(stdout.split('\n').length).toBeLessThan(75);
  });

  it('tourctl catalog import prints the first 1,000 issues and their total', async () => {
    const lines = Array.from({ length: 1200 }, (_, i) =>
      JSON.stringify(tourEntry({ slug: `wrong-${i}`, name: 7 })),
    );
    const { code, json, error } = await importing({ 'tours.jsonl': lines.join('\n') });
    expect([code, json.errors.length, json.errors_total]).toEqual([1, 1000, 1200]);
    expect(error.message).toBe(
      'The catalog has 1200 issues; nothing was written. Correct the files and run it again',
    );
    const [file] = writeFiles({ 'tours.jsonl': lines.join('\n') });
    expect((await terminal.tourctl(['catalog', 'import', file!])).stdout).toMatch(/… and 200 more\n$/);
  });

  it('tourctl catalog import prunes only after a confirmation', async () => {
    await importing({ 'tours.json': [tourEntry({ slug: 'goner', departures: [departureEntry()] })] });
    const files = { 'tours.json': [tourEntry({ slug: 'stayer' })] };
    const refused = await importing(files, '--prune');
    expect([refused.code, refused.error.code]).toEqual([2, 'usage_error']);
    expect(await tourOf(terminal.db, 'stayer')).toBeUndefined();
    const { code, json } = await importing(files, '--prune', '--prune-at-most', '100%', '--yes');
    expect(code).toBe(0);
    expect(json.pruned.tours_archived).toBeGreaterThan(0);
    expect((await tourOf(terminal.db, 'goner')).status).toBe('archived');
  });

  it('tourctl catalog import names the bookings of a departure that it cancels', async () => {
    const entry = tourEntry({ slug: 'booked', departures: [departureEntry()] });
    await importing({ 'tours.json': [entry] });
    const tenantId = (await givenTenant(terminal.db, { slug: 'booker' })).id;
    const departure = await departureOf(terminal.db, 'booked', '2031-06-01');
    await insertLead(terminal.db, tenantId, departure, 'BOOKER-7');
    const { json } = await importing({
      'tours.json': [{ ...entry, departures: [departureEntry({ status: 'cancelled' })] }],
    });
    expect(json.bookings_to_tell).toEqual([
      { tour: 'booked', departure_date: '2031-06-01', start_time: null, booking_refs: ['BOOKER-7'] },
    ]);
  });

  it.each([
    ['catalog import', '<file> is missing'],
    ['catalog import nowhere.json', 'must be a file that exists'],
    ['catalog import package.yaml', 'must be a .json, .jsonl or .csv file'],
    ['catalog import package.json --drop', 'unknown option'],
  ])('tourctl catalog import reports a usage error for "%s"', async (line, message) => {
    const { code, error, stdout } = await terminal.tourctl(`${line} --json`);
    expect([code, error.code, stdout]).toEqual([2, 'usage_error', '']);
    expect(error.message).toContain(message);
  });
});

describe('tourctl catalog import -', () => {
  const entry = (slug: string) => tourEntry({ slug, departures: [] });
  const HEAD = 'slug,name,continent,country,duration_days,currency,base_price';

  it.each([
    ['an array', JSON.stringify([entry('piped-1')]), 'piped-1'],
    ['an object with tours', JSON.stringify({ tours: [entry('piped-2')] }), 'piped-2'],
    ['an indented object with tours', JSON.stringify({ tours: [entry('piped-3')] }, null, 2), 'piped-3'],
    ['JSON lines', `${JSON.stringify(entry('piped-4'))}\n${JSON.stringify(entry('first'))}\n`, 'piped-4'],
    ['one line', JSON.stringify(entry('piped-5')), 'piped-5'],
    ['CSV', `\ufeff${HEAD}\r\npiped-6,Six,europe,DE,1,EUR,1\r\n`, 'piped-6'],
  ])('tourctl catalog import reads %s from standard input', async (_, text, slug) => {
    const { code, json } = await terminal.tourctl('catalog import - --json', text);
    expect([code, json.tours.created]).toEqual([0, 1]);
    expect(await tourOf(terminal.db, slug)).toBeDefined();
    expect((await audits())[0].subject).toBe('-');
  });

  it('tourctl catalog import reads departures from standard input beside a file of tours', async () => {
    const [file] = writeFiles({ 'tours.csv': `${HEAD}\nbeside,Beside,europe,DE,1,EUR,1` });
    const { json } = await terminal.tourctl(
      ['catalog', 'import', file!, '-', '--json'],
      'tour_slug,departure_date,seats_total,prices.adult\nbeside,2031-06-01,4,1',
    );
    expect(json.departures.created).toBe(1);
  });

  it('tourctl catalog import names standard input "-" in an issue, and refuses a second "-"', async () => {
    const { json } = await terminal.tourctl('catalog import - --json', 'slug,colour\n');
    expect(json.errors[0]).toMatchObject({ file: '-', line: 1, field: 'colour' });
    expect((await terminal.tourctl('catalog import - -')).code).toBe(2);
  });
});

describe('the help of tourctl catalog import', () => {
  it('the help of tourctl catalog import names each column of both CSV files, in the order of an export', async () => {
    const { stdout } = await terminal.tourctl('catalog import --help');
    for (const [part, columns] of Object.entries(CSV_COLUMN_HELP)) {
      const exported = await terminal.tourctl(`catalog export --format csv --only ${part}`);
      const head = exported.stdout.split('\r\n')[0]!.split(',');
      expect(Object.keys(columns)).toEqual(head);
      for (const name of head) expect(stdout).toContain(`\n  ${name} `);
    }
  });
});

describe('tourctl catalog export', () => {
  const folder = useTemporaryFolder();
  const full = tourEntry({
    slug: 'exported',
    name: 'Ångström – "quoted"',
    description: 'One\n\nTwo',
    images: [{ url: '/a.svg', alt: 'A' }, { url: '/b.svg' }],
    start_location: { name: 'Rome', lat: 41.9 },
    itinerary: [{ day: 1, title: 'Go' }],
    booking_cutoff: '36h',
    cancellation: { tiers: [{ until: '30d', refund_percent: 100 }] },
    departures: [
      departureEntry({ prices: { adult: 1.15, child: 0 }, closes_at: '2031-05-30T12:00:00Z' }),
      departureEntry({ departure_date: '2031-06-02', closes_before: '90m' }),
    ],
  });

  it('tourctl catalog export writes a document whose import changes nothing', async () => {
    await importing({ 'tours.json': [full] });
    const exported = await terminal.tourctl('catalog export --json');
    expect(exported.code).toBe(0);
    const entry = exported.json.find((tour: { slug: string }) => tour.slug === 'exported');
    expect(entry).toMatchObject({
      ...full,
      departures: [
        {
          ...departureEntry(),
          prices: { adult: 1.15, child: 0, single_supplement: null },
          closes_before: null,
        },
        { departure_date: '2031-06-02', closes_at: null, closes_before: '90m' },
      ],
    });
    const again = await importing({ 'tours.json': exported.json }, '--prune', '--yes');
    expect(again.json).toEqual({
      tours: { ...none, unchanged: exported.json.length },
      departures: { ...none, unchanged: expect.any(Number) },
      errors: [],
      pruned: { tours_archived: 0, departures_deleted: 0, departures_cancelled: 0 },
    });
  });

  it('tourctl catalog export --out - writes to standard output, as without --out', async () => {
    const [plain, dashed] = [
      await terminal.tourctl('catalog export'),
      await terminal.tourctl('catalog export --out -'),
    ];
    expect([dashed.code, dashed.stdout]).toEqual([0, plain.stdout]);
    expect((await terminal.tourctl('catalog export --out - --format csv')).code).toBe(2);
  });

  it('tourctl catalog export writes a document that restores an empty or changed catalog', async () => {
    const exported = await terminal.tourctl('catalog export --json');
    const other = await openTestTerminal();
    const [file] = writeFiles({ 'all.json': exported.stdout });
    await other.tourctl(['catalog', 'import', file!, '--json']);
    expect((await other.tourctl('catalog export --json')).stdout).toBe(exported.stdout);
    const changed = {
      ...full,
      summary: 'New',
      tags: ['x'],
      booking_cutoff: null,
      cancellation: { tiers: [] },
      departures: [departureEntry({ prices: { adult: 2, single_supplement: 3 }, closes_before: '1d' })],
    };
    await other.tourctl(['catalog', 'import', ...writeFiles({ 'a.json': [changed] })]);
    await other.tourctl(['catalog', 'import', file!]);
    expect((await other.tourctl('catalog export --json')).stdout).toBe(exported.stdout);
    await other.drop();
  });

  it('tourctl catalog export writes two CSV files, whose import changes nothing and restores an empty catalog', async () => {
    await importing({
      'odd.json': [
        tourEntry({
          slug: 'odd',
          summary: '=HYPERLINK("x")',
          description: 'two\nlines; =1, "quoted"',
          tags: ['a|b', '-c'],
          languages: ['de', 'en'],
          itinerary: [{ day: 1, title: 'Arrive; -1' }],
          start_location: { name: 'Lima', lat: -12.0464123456, lng: -77.04 },
          departures: [departureEntry({ prices: { adult: 100, child: 50.5 } })],
        }),
      ],
    });
    const file = path.join(folder, 'tours.csv');
    const beside = path.join(folder, 'tours-departures.csv');
    const { json } = await terminal.tourctl(['catalog', 'export', '--out', file, '--json']);
    const { json: tours } = await terminal.tourctl('catalog export --json');
    const departures = tours.flatMap((tour: { departures: unknown[] }) => tour.departures).length;
    expect(json).toEqual({ file, departures_file: beside, tours: tours.length, departures });
    expect(readFileSync(file, 'utf8')).toContain(`"'=HYPERLINK(""x"")"`);
    const again = await terminal.tourctl(['catalog', 'import', file, beside, '--json']);
    expect(again.json).toMatchObject({
      errors: [],
      tours: { ...none, unchanged: tours.length },
      departures: { ...none, unchanged: departures },
    });
    const other = await openTestTerminal();
    try {
      await other.tourctl(['catalog', 'import', file, beside]);
      expect((await other.tourctl('catalog export --json')).json).toEqual(tours);
    } finally {
      await other.drop();
    }
  });

  it('tourctl catalog export --only departures writes the CSV of the departures to standard output', async () => {
    const { stdout } = await terminal.tourctl('catalog export --format csv --only departures');
    expect(stdout.split('\r\n')[0]).toBe(
      'tour_slug,departure_date,start_time,seats_total,prices.adult,prices.child,prices.single_supplement,return_date,status,closes_at,closes_before,uses',
    );
    for (const line of ['--format csv', '--only tours', '--format csv --only tours --json'])
      expect((await terminal.tourctl(`catalog export ${line}`)).code).toBe(2);
  });

  it('tourctl catalog export writes JSON lines to a file whose name ends in .jsonl', async () => {
    const out = path.join(folder, 'all.jsonl');
    const { json } = await terminal.tourctl(['catalog', 'export', '--out', out, '--json']);
    const lines = readFileSync(out, 'utf8').trim().split('\n');
    expect(json).toEqual({ file: out, tours: lines.length, departures: expect.any(Number) });
    const again = await terminal.tourctl(['catalog', 'import', out, '--json']);
    expect(again.json.tours).toEqual({ ...none, unchanged: lines.length });
  });

  it('tourctl catalog export replaces a file only with --force, and leaves no other file beside it', async () => {
    const out = path.join(folder, 'replaced', 'all.json');
    mkdirSync(path.dirname(out));
    writeFileSync(out, 'precious');
    const refused = await terminal.tourctl(['catalog', 'export', '--out', out, '--json']);
    expect([refused.code, refused.error.code]).toEqual([1, 'file_not_written']);
    expect(refused.error.message).toContain('it exists; --force replaces it');
    expect(readFileSync(out, 'utf8')).toBe('precious');
    expect((await terminal.tourctl(['catalog', 'export', '--out', out, '--force', '--json'])).code).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toBeInstanceOf(Array);
    expect(readdirSync(path.dirname(out))).toEqual(['all.json']);
    expect((await terminal.tourctl('catalog export --force')).code).toBe(2);
  });

  it('tourctl catalog export fails if the file cannot be written', async () => {
    const out = path.join(folder, 'no', 'such', 'directory.json');
    const { code, error } = await terminal.tourctl(['catalog', 'export', '--out', out, '--json']);
    expect([code, error.code, existsSync(out)]).toEqual([1, 'file_not_written', false]);
  });
});

describe('tourctl catalog list', () => {
  it('tourctl catalog list lists tours of every status by name, with their next open departure', async () => {
    const other = await openTestTerminal();
    const [file] = writeFiles({
      'a.json': [
        tourEntry({
          slug: 'zeta',
          name: 'Żeta',
          departures: [
            departureEntry(),
            departureEntry({ departure_date: '2020-01-01' }),
            departureEntry({ departure_date: '2031-05-01', closes_at: '2020-01-01T00:00:00Z' }),
            departureEntry({ departure_date: '2031-05-02', status: 'cancelled' }),
          ],
        }),
        tourEntry({ slug: 'alpha', name: 'Álpha 100%', status: 'draft', continent: 'asia' }),
      ],
    });
    await other.tourctl(['catalog', 'import', file!]);
    const json = await other.json('catalog list');
    expect(json.items.map((tour: { slug: string }) => tour.slug)).toEqual(['alpha', 'zeta']);
    expect(json.items[1]).toMatchObject({
      base_price: 1290,
      status: 'published',
      upcoming_departures: 1,
      next_departure_date: '2031-06-01',
    });
    const filtered = async (flags: string) => (await other.json(`catalog list ${flags}`)).items.length;
    expect(await filtered('--status draft')).toBe(1);
    expect(await filtered('--continent asia')).toBe(1);
    expect(await filtered('--continent africa')).toBe(0);
    expect(await filtered('--q zETA')).toBe(1);
    expect(await filtered('--q 0%')).toBe(1);
    expect(await filtered('--q %')).toBe(1);
    expect(await filtered('--limit 1')).toBe(1);
    expect((await other.tourctl('catalog list')).stdout).toMatch(/^SLUG +NAME/);
    expect((await other.tourctl('catalog list --limit 0')).code).toBe(2);
    await other.drop();
  });

  it('tourctl catalog list says when it does not show all tours, and its lines fit the screen', async () => {
    const other = await openTestTerminal();
    const names = ['A', 'B', 'B', 'C'].map((name) => `${name} tour with a name that takes its time`);
    const entries = names.map((name, i) =>
      tourEntry({ slug: `tour-${i}`, name, departures: [departureEntry()] }),
    );
    await other.tourctl(['catalog', 'import', ...writeFiles({ 'a.json': entries })]);
    await expectPages(other, 'catalog list', { cursor: 'slug' });
    for (const columns of [40, 60, 80, 120]) {
      const { stdout } = await runOnce('catalog list', {
        env: other.env,
        screen: { columns, colors: false },
      });
      expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(columns);
    }
    await other.drop();
  });

  it.each(['catalog list', 'catalog list --q tour --status draft'])(
    'tourctl catalog list --after refuses a slug that no tour has: %s',
    async (line) => {
      expect(await terminal.refusal(`${line} --after nowhere`)).toBe('1 tour_not_found');
    },
  );
});

describe('tourctl catalog import of departures in the past', () => {
  const importingOn = async (date: string, timeZone: string) => {
    const slug = `past-${date}-${timeZone.toLowerCase().replace(/[^a-z0-9]/g, '')}`;
    const departures = [departureEntry({ departure_date: date })];
    return importing({ 'tours.json': [tourEntry({ slug, time_zone: timeZone, departures })] });
  };

  it('tourctl catalog import warns of new departures in the past, and counts them', async () => {
    const { code, json, stderr } = await importingOn('2020-05-01', 'UTC');
    expect(code).toBe(0);
    expect(json.past_departures).toEqual({
      departures: 1,
      first: { tour: 'past-2020-05-01-utc', departure_date: '2020-05-01', start_time: null },
    });
    expect(JSON.parse(stderr).warning.message).toBe(
      '1 new departure is in the past and cannot be booked: past-2020-05-01-utc on 2020-05-01',
    );
  });

  it('tourctl catalog import gives no warning for existing or future departures', async () => {
    await importingOn('2020-06-01', 'UTC');
    for (const date of ['2020-06-01', '2031-06-01']) {
      const { json, stderr } = await importingOn(date, 'UTC');
      expect([json.past_departures, stderr]).toEqual([undefined, '']);
    }
  });

  it('tourctl catalog import checks the date in the time zone of the tour', async () => {
    const { rows } = await terminal.db.raw(
      "select (clock_timestamp() at time zone 'Pacific/Kiritimati')::date - 1 as yesterday",
    );
    const yesterday: string = rows[0].yesterday;
    expect((await importingOn(yesterday, 'Pacific/Kiritimati')).json.past_departures.departures).toBe(1);
    expect((await importingOn(yesterday, 'Etc/GMT+12')).json.past_departures).toBeUndefined();
  });
});
