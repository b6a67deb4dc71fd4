import { departureEntry, tourEntry, writeFiles } from '../catalog/catalog-files';
import { departureOf, tourOf } from '../catalog/catalog-rows';
import { givenDeparture, givenTour } from '../support/given';
import { openTestTerminal, type TestTerminal } from './terminal';

let terminal: TestTerminal;
beforeEach(async () => {
  terminal = await openTestTerminal();
});
afterEach(() => terminal.drop());

async function importing(contents: Record<string, unknown>, ...flags: string[]) {
  return terminal.tourctl(['catalog', 'import', ...writeFiles(contents), '--json', ...flags]);
}

const PRICES = { adult: 149.5, child: 100, single_supplement: 10 };
const stored = (fields: object = {}) =>
  tourEntry({ slug: 'alps', base_price: 149.5, departures: [departureEntry({ prices: PRICES, ...fields })] });

describe('an import that changes a price by a factor of 10 or more', () => {
  const changed = tourEntry({
    slug: 'alps',
    base_price: 1495,
    departures: [departureEntry({ prices: { adult: 14.95, child: 0, single_supplement: 99.99 } })],
  });
  const NAMED = [
    { tour: 'alps', field: 'base_price', before: 149.5, after: 1495, currency: 'EUR' },
    {
      tour: 'alps',
      departure_date: '2031-06-01',
      field: 'prices.adult',
      before: 149.5,
      after: 14.95,
      currency: 'EUR',
    },
    {
      tour: 'alps',
      departure_date: '2031-06-01',
      field: 'prices.child',
      before: 100,
      after: 0,
      currency: 'EUR',
    },
  ];

  it('the import names the prices, and writes them only with --yes if nobody can be asked', async () => {
    await importing({ 'tours.json': [stored()] });
    const refused = await importing({ 'tours.json': [changed] });
    expect([refused.code, refused.stdout, refused.error.code]).toEqual([2, '', 'usage_error']);
    expect(refused.error.message).toBe(
      'No terminal to ask on: add --yes if you agree: Change 3 prices by a factor of 10 or more: alps base_price 149.5 → 1495 EUR; ' +
        'alps 2031-06-01 prices.adult 149.5 → 14.95 EUR; alps 2031-06-01 prices.child 100 → 0 EUR?',
    );
    expect(await tourOf(terminal.db, 'alps')).toMatchObject({ basePriceMinor: 14950 });
    const written = await importing({ 'tours.json': [changed] }, '--yes');
    expect([written.code, written.json.tenfold_prices]).toEqual([0, NAMED]);
    expect(await departureOf(terminal.db, 'alps', '2031-06-01')).toMatchObject({
      pricesMinor: { adult: 1495, child: 0, single_supplement: 9999 },
    });
  });

  it('a dry run names the prices, and does not ask', async () => {
    await importing({ 'tours.json': [stored()] });
    const { code, json } = await importing({ 'tours.json': [changed] }, '--dry-run');
    expect([code, json.tenfold_prices]).toEqual([0, NAMED]);
    const [file] = writeFiles({ 'tours.json': [changed] });
    const { stdout } = await terminal.tourctl(['catalog', 'import', file!, '--dry-run']);
    expect(stdout).toMatch(/TENFOLD PRICE +ON +FIELD +CHANGE\nalps +- +base_price +149\.5 → 1495 EUR/);
  });

  it('the import names the start time of a departure, and at most five prices in its question', async () => {
    const prices = Array.from({ length: 4 }, (_, n) => ({ start_time: `1${n}:00`, prices: { adult: 100 } }));
    const entry = (adult: number) =>
      tourEntry({
        slug: 'alps',
        base_price: adult,
        departures: [
          ...prices.map((fields) => departureEntry({ ...fields, prices: { adult, child: adult } })),
        ],
      });
    await importing({ 'tours.json': [entry(100)] });
    const { error } = await importing({ 'tours.json': [entry(1000)] });
    expect(error.message).toContain('Change 9 prices by a factor of 10 or more: ');
    expect(error.message).toContain('alps 2031-06-01 10:00 prices.adult 100 → 1000 EUR');
    expect(error.message).toMatch(/; and 4 more\?$/);
  });

  it.each([
    ['a price changes by less', { base_price: 1494.99 }],
    [
      'a price was 0',
      { departures: [departureEntry({ departure_date: '2031-07-01', prices: { adult: 990 } })] },
    ],
    [
      'a departure is new',
      { departures: [departureEntry({ departure_date: '2031-08-01', prices: { adult: 1 } })] },
    ],
    [
      'the tour gets another currency',
      {
        currency: 'JPY',
        base_price: 24000,
        departures: ['2031-06-01', '2031-07-01'].map((date) =>
          departureEntry({ departure_date: date, prices: { adult: 24000 } }),
        ),
      },
    ],
  ])('the import does not ask if %s', async (_, fields) => {
    const free = departureEntry({ departure_date: '2031-07-01', prices: { adult: 0 } });
    const tour = stored();
    await importing({ 'tours.json': [{ ...tour, departures: [...(tour.departures as object[]), free] }] });
    const { code, json } = await importing({ 'tours.json': [{ ...tour, departures: undefined, ...fields }] });
    expect([code, json.errors, json.tenfold_prices]).toEqual([0, [], undefined]);
  });
});

describe('a pruning import', () => {
  const tours = (count: number) =>
    Array.from({ length: count }, (_, n) => tourEntry({ slug: `tour-${n}`, departures: [departureEntry()] }));

  it('--prune archives a fifth of the published tours, and refuses more', async () => {
    await importing({ 'tours.json': tours(10) });
    await givenTour(terminal.db, { slug: 'draft', status: 'draft' });
    const refused = await importing({ 'tours.json': tours(7) }, '--prune', '--yes');
    expect([refused.code, refused.stdout, refused.error.code]).toEqual([1, '', 'prune_too_large']);
    expect(refused.error.message).toBe(
      '--prune would remove 3 of 10 published tours, more than 20 %; nothing was written. ' +
        'If the files are complete, add --prune-at-most 30%',
    );
    expect((await tourOf(terminal.db, 'tour-9')).status).toBe('published');
    const { code, json } = await importing({ 'tours.json': tours(8) }, '--prune', '--yes');
    expect([code, json.pruned.tours_archived]).toEqual([0, 3]);
  });

  it('--prune-at-most allows a larger share', async () => {
    await importing({ 'tours.json': tours(10) });
    const prune = (share: string) =>
      importing({ 'tours.json': tours(4) }, '--prune', '--yes', '--prune-at-most', share);
    expect((await prune('59%')).code).toBe(1);
    const { code, json } = await prune('60%');
    expect([code, json.pruned.tours_archived]).toEqual([0, 6]);
  });

  it('--prune counts the scheduled departures that are not past, deleted and cancelled alike', async () => {
    await importing({ 'tours.json': tours(10) });
    const tour = await terminal.db('tours').where({ slug: 'tour-0' }).first('id', 'slug');
    await givenDeparture(terminal.db, tour, { date: '2020-06-01' });
    await givenDeparture(terminal.db, tour, { date: '2031-07-01', status: 'cancelled' });
    const without = (count: number) =>
      tours(10).map((entry, n) => (n < count ? { ...entry, departures: [] } : entry));
    const refused = await importing({ 'tours.json': without(3) }, '--prune', '--yes');
    expect([refused.code, refused.error.message]).toEqual([
      1,
      expect.stringContaining('--prune would remove 3 of 10 upcoming departures, more than 20 %'),
    ]);
    expect((await importing({ 'tours.json': without(2) }, '--prune', '--yes')).code).toBe(0);
  });

  it('a dry run with --prune warns of a removal that would be refused', async () => {
    await importing({ 'tours.json': tours(2) });
    const { code, json, stderr } = await importing({ 'tours.json': tours(1) }, '--prune', '--dry-run');
    expect([code, json.pruned.tours_archived]).toEqual([0, 1]);
    expect(stderr).toContain('--prune would remove 1 of 2 published tours');
  });

  it.each([
    [['--prune-at-most', '50%'], '--prune-at-most needs --prune'],
    [['--prune', '--prune-at-most', '101%'], '--prune-at-most must be a whole number from 0 to 100'],
    [['--prune', '--prune-at-most', '1.5'], '--prune-at-most must be a whole number from 0 to 100'],
  ])('the terminal refuses %j', async (flags, message) => {
    const { code, error } = await importing({ 'tours.json': tours(1) }, ...flags);
    expect([code, error.message]).toEqual([2, message]);
  });
});

describe('a file that is cut off', () => {
  const HEAD = 'tour_slug,departure_date,seats_total,prices.adult';
  const ROWS = `${HEAD}\nalps,2031-06-01,10,149.50\nalps,2031-06-08,10,149.50`;
  beforeEach(() => importing({ 'tours.json': [stored()] }));

  it('the import refuses a CSV file that ends inside a row', async () => {
    const { code, json } = await importing({ 'departures.csv': ROWS.slice(0, -7) });
    expect(code).toBe(1);
    expect(json.errors).toEqual([
      {
        file: expect.stringMatching(/departures\.csv$/),
        line: 3,
        field: '',
        message: 'ends after 3 of 4 cells without a line break: the file is cut off',
      },
    ]);
  });

  it('the import warns of a complete last row without a line break, which many programs write', async () => {
    const { code, json, stderr } = await importing({ 'departures.csv': ROWS });
    expect([code, json.errors, stderr]).toEqual([0, [], '']);
    expect(json.warnings).toEqual([
      {
        file: expect.stringMatching(/departures\.csv$/),
        line: 3,
        field: '',
        message: 'does not end with a line break: check that this last line of the file is complete',
      },
    ]);
    const [file] = writeFiles({ 'departures.csv': ROWS });
    const shown = await terminal.tourctl(['catalog', 'import', file!]);
    expect(shown.stderr).toBe(
      `warning: ${file}:3: does not end with a line break: check that this last line of the file is complete\n`,
    );
    const ended = await importing({ 'departures.csv': `${ROWS}\r\n` });
    expect([ended.code, ended.json.warnings, ended.stderr]).toEqual([0, undefined, '']);
  });

  it('the import asks for a price that a cut in its last cell divides by ten', async () => {
    const cut = `${HEAD}\nalps,2031-06-01,10,14`;
    expect((await importing({ 'departures.csv': cut })).error.message).toContain(
      'alps 2031-06-01 prices.adult 149.5 → 14 EUR',
    );
  });

  it('the import refuses JSON lines whose last line has no end, and warns of a last line without a line break', async () => {
    const lines = `${JSON.stringify(stored())}\n${JSON.stringify(tourEntry({ slug: 'andes' }))}`;
    const cut = await importing({ 'tours.jsonl': lines.slice(0, -1) });
    expect([cut.code, cut.json.errors]).toEqual([
      1,
      [expect.objectContaining({ line: 2, message: expect.stringContaining('must be JSON') })],
    ]);
    const unended = await importing({ 'tours.jsonl': lines });
    expect([unended.code, unended.json.warnings]).toMatchObject([0, [{ line: 2, field: '' }]]);
  });
});

describe('a slug without its leading zeros', () => {
  it('the import warns of a new tour whose slug differs from a known one by leading zeros only', async () => {
    await importing({ 'tours.json': [tourEntry({ slug: '00123' })] });
    const { code, json } = await importing({ 'tours.json': [tourEntry({ slug: '123' })] });
    expect([code, json.tours.created]).toEqual([0, 1]);
    expect(json.warnings).toEqual([
      {
        file: expect.stringMatching(/tours\.json$/),
        index: 0,
        field: 'slug',
        message: 'differs from the slug of the tour 00123 by leading zeros only: spreadsheets remove them',
      },
    ]);
    expect(
      (await importing({ 'tours.json': [tourEntry({ slug: '0123-x' })] })).json.warnings,
    ).toBeUndefined();
  });
});
