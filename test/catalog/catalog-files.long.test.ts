import type { Issue } from '../../services/api/catalog-import/catalog-file';
import { useTestDatabase } from '../support/database';
import { departureEntry, readFiles, tourEntry } from './catalog-files';

const database = useTestDatabase();

const read = (contents: Record<string, unknown>) => readFiles(database.db, contents);
const readTours = (...tours: unknown[]) => read({ 'a.json': tours });
const placesOf = (issues: Issue[]) => issues.map(({ index, field }) => `${index} ${field}`);

const HEAD = 'slug,name,continent,country,duration_days,currency,base_price';
const ROW = 'alps,Alps,europe,CH,5,CHF,990.50';

describe('the reader of catalog files', () => {
  it('the reader of catalog files accepts an array of tours, and an object with the array "tours"', async () => {
    expect((await readTours(tourEntry())).tours).toHaveLength(1);
    expect((await read({ 'a.json': { tours: [tourEntry()] } })).tours).toHaveLength(1);
    expect((await read({ 'a.JSON': `\ufeff${JSON.stringify([tourEntry()])}` })).issues).toEqual([]);
    expect((await read({ 'a.json': { trips: [] } })).issues).toMatchObject([
      { file: 'a.json', line: 1, field: '' },
    ]);
  });

  it('the reader of catalog files reads one tour from each line of JSON lines, and names an invalid line', async () => {
    const lines = [tourEntry(), '', '{"slug":', tourEntry({ slug: 'second', name: 7 })];
    const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\r\n');
    const { tours, issues } = await read({ 'a.jsonl': text });
    expect(tours.map((tour) => tour.slug)).toEqual(['dolomites-hut-to-hut', 'second']);
    expect(issues).toEqual([
      { file: 'a.jsonl', line: 3, field: '', message: expect.stringContaining('must be JSON') },
      { file: 'a.jsonl', line: 4, field: 'name', message: 'must be a text' },
    ]);
  });

  it('the reader of catalog files names the line of a JSON syntax error', async () => {
    const text = `[\n${JSON.stringify(tourEntry())},\n{"slug": }\n]`;
    const { issues } = await read({ 'a.json': text });
    expect(issues).toMatchObject([{ line: 3, message: expect.stringContaining('must be JSON') }]);
  });

  it('the reader of catalog files refuses another encoding than UTF-8 and an unknown extension', async () => {
    expect((await read({ 'a.csv': Buffer.from(`${HEAD}\nalps,Z\xfcrich`, 'latin1') })).issues).toMatchObject([
      { line: 1, message: expect.stringContaining('UTF-8') },
    ]);
    expect((await read({ 'a.xlsx': 'PK' })).issues).toMatchObject([
      { message: 'must be a .json, .jsonl, .csv file' },
    ]);
  });

  it('the reader of catalog files reports every issue of every tour with its field', async () => {
    const { issues } = await readTours(
      {},
      tourEntry({ slug: 'Über', colour: 'red', base_price: '12', country: 'UK', currency: 'EUROS' }),
      tourEntry({
        slug: '0f8fad5b-d9cb-469f-a165-70867728950e',
        departures: [
          departureEntry({ departure_date: '2031-02-30', seats_total: 0, prices: { adult: -1, teen: 2 } }),
          departureEntry({ prices: {}, closes_at: 'noon' }),
          departureEntry({ return_date: '2031-05-31' }),
        ],
      }),
    );
    expect(placesOf(issues)).toEqual([
      '0 slug',
      '0 name',
      '0 continent',
      '0 country',
      '0 duration_days',
      '0 currency',
      '0 base_price',
      '1 colour',
      '1 slug',
      '1 country',
      '1 currency',
      '1 base_price',
      '2 slug',
      '2 departures[0].departure_date',
      '2 departures[0].seats_total',
      '2 departures[0].prices.adult',
      '2 departures[1].closes_at',
      '2 departures[2].return_date',
      '2 departures[2].departure_date',
      '2 departures[0].prices.teen',
      '2 departures[1].prices.adult',
    ]);
  });

  it('the reader of catalog files reports amounts with too many decimals beside other issues', async () => {
    const departures = [
      departureEntry({ seats_total: 0, prices: { adult: 1.005, child: 'x', single_supplement: 2.001 } }),
      departureEntry({ departure_date: '2031-06-02', prices: { adult: 10_000_000_001 } }),
    ];
    const amounts = { base_price: 9.999, departures };
    const { issues } = await readTours(
      tourEntry({ name: 7, ...amounts }),
      tourEntry({ slug: 'Über', ...amounts }),
      tourEntry({ slug: 'third', currency: 'JPY', base_price: 0.5 }),
      tourEntry({ currency: 'JPY', base_price: 0.5 }),
      tourEntry({ slug: 'unknown-money', currency: 'EURO', base_price: 9.99999 }),
    );
    const places = placesOf(issues);
    expect(places).toEqual(
      expect.arrayContaining([
        '0 name',
        '0 base_price',
        '0 departures[0].prices.adult',
        '0 departures[0].prices.single_supplement',
        '0 departures[1].prices.adult',
        '1 slug',
        '1 base_price',
        '1 departures[0].prices.adult',
        '1 departures[0].prices.single_supplement',
        '1 departures[1].prices.adult',
        '2 base_price',
        '3 slug',
        '3 base_price',
        '4 currency',
      ]),
    );
    expect(places).toHaveLength(18);
    expect(issues.find(({ index, field }) => index === 2 && field === 'base_price')!.message).toBe(
      'must have at most 0 decimals: that is what JPY has; a point separates decimals, not thousands',
    );
  });

  it('the reader of catalog files reports every issue of a second tour with the same slug', async () => {
    const departures = [departureEntry({ seats_total: 0 }), departureEntry(), departureEntry()];
    const { tours, issues } = await readTours(tourEntry(), tourEntry({ departures }));
    expect(tours).toHaveLength(1);
    expect(placesOf(issues)).toEqual([
      '1 slug',
      '1 departures[0].seats_total',
      '1 departures[1].departure_date',
      '1 departures[2].departure_date',
    ]);
  });

  it('the reader of catalog files suggests known names for an unknown field in a short sentence', async () => {
    const { issues } = await readTours(
      tourEntry({
        baseprice: 1,
        colour: 'red',
        departures: [departureEntry({ prices: { adult: 1, teen: 2 } })],
      }),
    );
    expect(issues.map(({ field, message }) => [field, message])).toEqual([
      ['baseprice', 'is not known here; did you mean base_price?'],
      ['colour', 'is not known here; correct or remove it'],
      ['departures[0].prices.teen', 'is no category of the tour; known are adult, child, single_supplement'],
    ]);
  });

  it('the reader of catalog files reports every issue of every departure', async () => {
    const { issues } = await readTours(
      tourEntry({
        departures: [
          departureEntry({ departure_date: '2031-02-30', seats_total: 0, prices: { adult: -1, teen: 2 } }),
          departureEntry({ prices: {}, closes_at: 'noon' }),
          departureEntry({ return_date: '2031-05-31' }),
          null,
          departureEntry({ departure_date: '2031-06-03' }),
          departureEntry({ departure_date: '2031-06-03' }),
        ],
      }),
    );
    expect(issues.map(({ field }) => field)).toEqual([
      'departures[0].departure_date',
      'departures[0].seats_total',
      'departures[0].prices.adult',
      'departures[1].closes_at',
      'departures[2].return_date',
      'departures[3]',
      'departures[2].departure_date',
      'departures[5].departure_date',
      'departures[0].prices.teen',
      'departures[1].prices.adult',
    ]);
  });

  it('the reader of catalog files refuses a slug that occurs in two files', async () => {
    const { issues } = await read({ 'a.json': [tourEntry()], 'b.jsonl': JSON.stringify(tourEntry()) });
    expect(issues).toEqual([
      {
        file: 'b.jsonl',
        line: 1,
        field: 'slug',
        message: expect.stringMatching(/second tour; the first is at .*a\.json, index 0$/),
      },
    ]);
  });

  it.each([
    ['name', 'a\u0007b'],
    ['name', 'a\ud800b'],
    ['name', ' '],
    ['name', 'x'.repeat(201)],
    ['description', 'a\u0000b'],
    ['image_url', 'http://cdn.example/a.jpg'],
    ['image_url', '//cdn.example/a.jpg'],
    ['image_url', '/\\cdn.example/a.jpg'],
    ['image_url', 'https://user:pass@cdn.example/a.jpg'],
    ['image_url', 'javascript:alert(1)'],
    ['time_zone', '+02:00'],
    ['time_zone', 'Europe/Atlantis'],
    ['base_price', 1e21],
    ['base_price', NaN],
    ['group_size_max', 1.5],
    ['tags', 'walk'],
    ['tags', ['walk', 3]],
    ['start_location', { lat: 1, lng: 2 }],
    ['start_location', { name: 'Pole', lat: 91 }],
    ['start_location', { name: 'Pole', google_place_id: 'not an id' }],
    ['itinerary', [{ day: 0, title: 'Start' }]],
    ['status', 'live'],
    ['departures', {}],
  ])('the reader of catalog files refuses the %s %j', async (field, value) => {
    const { issues } = await readTours(tourEntry({ [field]: value }));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues.every((issue) => issue.field.startsWith(field))).toBe(true);
  });

  it('the reader of catalog files counts characters, not bytes, and stores NFC', async () => {
    const { tours, issues } = await readTours(tourEntry({ name: 'e\u0301'.repeat(200), country: 'AQ' }));
    expect(issues).toEqual([]);
    expect(tours[0]!.fields.name).toBe('é'.repeat(200));
  });

  it('the reader of catalog files removes invisible characters from names and tags, and keeps them in paragraphs', async () => {
    const { tours, issues } = await readTours(
      tourEntry({
        name: '\ufeffHa\u200b Long\u061c 🏳\ufe0f\u200d🌈',
        tags: ['bo\u00adat'],
        description: 'Boots\u00adfahrt',
      }),
      tourEntry({ slug: 'nameless', name: '\u200b\u3164' }),
    );
    expect(issues.map(({ index, field, message }) => [index, field, message])).toEqual([
      [1, 'name', 'must not be empty'],
    ]);
    expect(tours[0]!.fields).toMatchObject({
      name: 'Ha Long 🏳\ufe0f\u200d🌈',
      tags: ['boat'],
      description: 'Boots\u00adfahrt',
    });
  });
});

describe('the reader of CSV catalog files', () => {
  it('the reader of CSV catalog files accepts semicolons, a byte order mark and line breaks in quotes', async () => {
    const { tours, issues } = await read({
      'a.csv': [
        '\ufeffslug;name;continent;country;duration_days;currency;base_price;description;tags;start_location.name;start_location.lat',
        'alps;"Alps\r\nand ""more""";europe;CH;5;CHF;990.50;"One\r\n\r\nTwo; three";walk | night;Bern;46.9',
        '',
        'andes;Andes;south-america;PE;9;USD;1500;;;;',
      ].join('\r\n'),
    });
    expect(issues).toEqual([]);
    expect(tours.map((tour) => tour.fields)).toEqual([
      {
        slug: 'alps',
        name: 'Alps and "more"',
        continent: 'europe',
        country: 'CH',
        duration_days: 5,
        currency: 'CHF',
        base_price: 990.5,
        description: 'One\n\nTwo; three',
        tags: ['walk', 'night'],
        start_location: { name: 'Bern', lat: 46.9 },
      },
      expect.objectContaining({ slug: 'andes', base_price: 1500 }),
    ]);
    expect(tours.map((tour) => tour.place.line)).toEqual([2, 7]);
  });

  it('the reader of CSV catalog files refuses a decimal comma and shows the correct form', async () => {
    const { issues } = await read({
      'a.csv': `${HEAD.replaceAll(',', ';')}\nalps;Alps;europe;CH;5;CHF;990,50`,
    });
    expect(issues).toEqual([
      {
        file: 'a.csv',
        line: 2,
        field: 'base_price',
        message: 'must be a number with a decimal point and no separators, such as 1299.50',
      },
    ]);
  });

  it('the reader of CSV catalog files joins a second file of departures, and names its lines in issues', async () => {
    const departures = [
      'tour_slug,departure_date,seats_total,prices.adult,prices.child,status',
      'alps,2031-06-01,10,990.50,,',
      'alps,2031-06-08,ten,990.50,500,cancelled',
      ',2031-06-09,10,990.50,,',
      'alps,2031-06-01,10,990.50,,',
    ].join('\n');
    const { tours, issues } = await read({
      'departures.csv': departures,
      'tours.csv': `${HEAD}\n${ROW}\nandes,Andes,asia,NP,5,USD,1`,
    });
    expect(tours.map((tour) => [tour.slug, tour.departures.length])).toEqual([
      ['alps', 3],
      ['andes', 0],
    ]);
    expect(tours[0]!.departures[0]!.fields).toEqual({
      departure_date: '2031-06-01',
      seats_total: 10,
      prices: { adult: 990.5 },
    });
    expect(issues.map(({ line, field }) => [line, field])).toEqual([
      [3, 'seats_total'],
      [4, 'tour_slug'],
      [5, 'departure_date'],
    ]);
  });

  it('the reader of CSV catalog files requires known and distinct column names in the first line', async () => {
    expect((await read({ 'a.csv': '\n' })).issues).toMatchObject([{ line: 1, field: '' }]);
    const { issues } = await read({ 'a.csv': `${HEAD},seats,slug,sumary,,\n${ROW},1,2\n` });
    expect(issues.map(({ line, field, message }) => [line, field, message])).toEqual([
      [
        1,
        'seats',
        expect.stringMatching(
          /^is not a column of tours; known are slug, name, .*cancellation_policy, cancellation, categories, questions, pickup, start_time, booking_cutoff, uses, language$/,
        ),
      ],
      [1, 'slug', 'is the name of two columns'],
      [1, 'sumary', 'is not a column of tours; did you mean summary?'],
      [1, '', 'must name every column: number 11 has none'],
      [1, '', 'must name every column: number 12 has none'],
    ]);
  });

  it('the reader of CSV catalog files reports issues of lines beside issues of columns', async () => {
    const { issues } = await read({
      'departures.csv': [
        'tour-slug,departure_date,seats_total,prices.adult,price,constructor,seats_total',
        'alps,2031-06-01,ten,990.501,1,2,3',
        'alps,2031-02-30,10,990.501,1,2,3',
      ].join('\n'),
      'tours.csv': `${HEAD},colour\n${ROW},red\nb2,B2,europe,CH,0,CHF,1.005,red`,
    });
    expect(issues.map(({ file, line, field }) => `${file}:${line} ${field}`)).toEqual([
      'departures.csv:1 tour-slug',
      'departures.csv:1 price',
      'departures.csv:1 constructor',
      'departures.csv:1 seats_total',
      'departures.csv:2 tour_slug',
      'departures.csv:2 seats_total',
      'departures.csv:3 tour_slug',
      'departures.csv:3 departure_date',
      'tours.csv:1 colour',
      'tours.csv:3 duration_days',
      'tours.csv:3 base_price',
    ]);
    // Only the first issue of each file lists the known columns, because the list is long.
    const listings = issues.filter(({ message }) => message.includes('known are'));
    expect(listings.map(({ file }) => file)).toEqual(['departures.csv', 'tours.csv']);
    for (const { message } of issues.filter((issue) => !listings.includes(issue)))
      expect(message.length).toBeLessThan(120);
  });

  it('the reader of CSV catalog files checks departure prices by the currency of the tour in another file', async () => {
    const { issues } = await read({
      'departures.csv': 'tour_slug,departure_date,seats_total,prices.adult\nalps,2031-06-01,ten,990.501',
      'tours.csv': `${HEAD}\n${ROW.replace('europe', 'Europe')}`,
    });
    expect(issues.map(({ file, field }) => `${file} ${field}`)).toEqual([
      'departures.csv seats_total',
      'departures.csv prices.adult',
      'tours.csv continent',
    ]);
  });

  it('the reader of CSV catalog files reports the issues of the lines before an unreadable line', async () => {
    const { issues } = await read({ 'a.csv': `${HEAD}\n${ROW.replace('CH', 'Swiss')}\n"alps,x` });
    expect(issues.map(({ line, field }) => [line, field])).toEqual([
      [2, 'country'],
      [3, ''],
    ]);
  });

  it('the reader of CSV catalog files names the line with too many cells and the line with an unclosed quote', async () => {
    expect((await read({ 'a.csv': `${HEAD}\n${ROW},extra` })).issues).toMatchObject([{ line: 2, field: '' }]);
    expect((await read({ 'a.csv': `${HEAD}\n${ROW}\n"alps,x` })).issues).toMatchObject([
      { line: 3, field: '' },
    ]);
  });

  it('the reader of CSV catalog files names line 1 for a misplaced quote in the first line', async () => {
    const { issues } = await read({ 'a.csv': `sl"ug,name\nalps,Alps` });
    expect(issues).toMatchObject([{ line: 1, field: '', message: expect.stringContaining('Invalid') }]);
  });

  it('the reader of CSV catalog files reads lists of objects from JSON in a cell', async () => {
    const itinerary = JSON.stringify([{ day: 1, title: 'Up, and down' }]).replaceAll('"', '""');
    const { tours, issues } = await read({
      'a.csv': `${HEAD},itinerary,images\n${ROW},"${itinerary}",\nb2${ROW},broken,`,
    });
    expect(tours[0]!.fields.itinerary).toEqual([{ day: 1, title: 'Up, and down' }]);
    expect(issues).toMatchObject([{ line: 3, field: 'itinerary', message: 'must be a list' }]);
  });
});
