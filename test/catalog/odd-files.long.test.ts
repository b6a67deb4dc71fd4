import { DEPARTURE, TOUR_FIELDS, TRANSLATION } from '../../services/api/catalog-import/catalog-schema';
import { importFiles, readFiles, tourEntry, departureEntry } from './catalog-files';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();
// The resource that the tour of this file uses.
beforeAll(() => database.db('resources').insert({ code: 'boat', name: 'Boat' }));

const read = (contents: Record<string, unknown>) => readFiles(database.db, contents);
const issuesOf = async (contents: Record<string, unknown>) => (await read(contents)).issues;

beforeAll(() => database.db('pickup_points').insert({ code: 'station', name: 'Station' }));

const HEAD = 'slug,name,continent,country,duration_days,currency,base_price';
const ROW = 'alps,Alps,europe,CH,5,CHF,990.50';

/** A tour with a text in every field that may have one. */
const EVERYTHING = tourEntry({
  slug: 'everything',
  summary: 'One line',
  description: 'Two lines',
  image_url: 'https://cdn.example/a.jpg',
  images: [{ url: 'https://cdn.example/b.jpg', alt: 'A' }, { url: '/b.svg' }],
  tags: ['walk'],
  status: 'draft',
  languages: ['en'],
  start_location: { name: 'Lodz', google_place_id: 'ChIJ' },
  end_location: { name: 'Lodz', google_place_id: 'ChIJ' },
  itinerary: [{ day: 1, title: 'Walk', description: 'Far' }],
  inclusions: ['Guide'],
  exclusions: ['Dinner'],
  cancellation_policy: 'Free',
  cancellation: { tiers: [{ until: '3d', refund_percent: 100 }] },
  start_time: '21:30',
  booking_cutoff: '36h',
  language: 'en',
  translations: {
    de: {
      name: 'Alles',
      summary: 'Zeile',
      description: 'Zeilen',
      itinerary: [{ day: 1, title: 'Gehen', description: 'Weit' }],
      inclusions: ['Leitung'],
      exclusions: ['Essen'],
      cancellation_policy: 'Frei',
      tags: ['gehen'],
      categories: { adult: 'Erwachsene' },
      questions: { level: { label: 'Stufe', choices: { open: 'Anfang' } } },
    },
  },
  categories: [{ code: 'adult', kind: 'adult', name: 'Adult', with: [] }],
  uses: [{ resource: 'boat', before: '30m' }],
  questions: [
    {
      code: 'level',
      label: 'Level',
      type: 'choice',
      choices: [{ code: 'open', label: 'Open' }],
      per: 'booking',
    },
  ],
  pickup: { until: 'confirm', points: [{ point: 'station', minutes_before: 30 }] },
  departures: [
    departureEntry({
      start_time: '09:30',
      return_date: '2031-06-02',
      status: 'scheduled',
      closes_at: '2031-05-30T14:00:00Z',
    }),
    departureEntry({ departure_date: '2031-06-02', start_time: '09:30', closes_before: '90m', uses: [] }),
  ],
  schedules: [
    {
      every: 'sat',
      from: '2031-07-01',
      to: '2031-07-10',
      start_times: ['10:00'],
      except: [],
      seats_total: 5,
      prices: { adult: 1 },
      closes_before: '2h',
    },
  ],
});

/** Returns a copy of the tour for each of its texts, with the character in that text. */
function* withCharacter(
  character: string,
  value: unknown = EVERYTHING,
  path = '',
): Generator<[string, unknown]> {
  if (typeof value === 'string') yield [path, `${value.slice(0, 1)}${character}${value.slice(1)}`];
  else if (Array.isArray(value))
    for (const [n, item] of value.entries())
      for (const [at, changed] of withCharacter(character, item, `${path}[${n}]`))
        yield [at, value.with(n, changed)];
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      for (const [at, changed] of withCharacter(character, item, `${path}.${key}`.replace(/^\./, '')))
        yield [at, { ...value, [key]: changed }];
}

describe('the texts of a catalog file', () => {
  it.each([
    ['a null character', '\0'],
    ['half of a surrogate pair', '\ud800'],
    ['a character that overrides the direction of text', '\u202e'],
    ['a character that isolates the direction of text', '\u2066'],
  ])('every text with %s is an issue of its field', async (_, character) => {
    const changed = [...withCharacter(character)];
    const tours = changed.map(([path, tour], n) =>
      path === 'slug' ? tour : { ...(tour as object), slug: `tour-${n}` },
    );
    const { errors } = await importFiles(database.db, { 'a.json': tours });
    // The issue of an item may name its list.
    const missed = changed.filter(
      ([path], n) =>
        !errors.some(({ index, field }) => index === n && path.startsWith(field.replace(/\[\d+\]$/, ''))),
    );
    expect(missed.map(([path]) => path)).toEqual([]);
  });

  it('the tour of this test has every field of the schema', () => {
    const fields = (value: unknown) => Object.keys(value as object).sort();
    const {
      departures,
      schedules: _,
      translations,
      group_size_max: __,
      ...own
    } = {
      ...EVERYTHING,
      group_size_max: 5,
    } as Record<string, unknown>;
    expect([...fields(own), 'group_size_max', 'translations'].sort()).toEqual(fields(TOUR_FIELDS));
    expect(fields((translations as { de: object }).de)).toEqual(fields(TRANSLATION.shape));
    expect(fields(Object.assign({}, ...(departures as object[])))).toEqual(fields(DEPARTURE.shape));
  });

  it('the tour without these characters has no issue', async () => {
    expect(await issuesOf({ 'a.json': [EVERYTHING] })).toEqual([]);
  });

  it('an unknown time zone gets the nearest name', async () => {
    const messages = await Promise.all(
      ['europe/rome', 'Europe/Berln', 'Mars/Base'].map(async (time_zone) => {
        const [issue] = await issuesOf({ 'a.json': [tourEntry({ time_zone })] });
        return `${issue!.field} ${issue!.message}`;
      }),
    );
    const text = 'time_zone must be an IANA time zone that the database knows,';
    expect(messages).toEqual([
      `${text} did you mean Europe/Rome?`,
      `${text} did you mean Europe/Berlin?`,
      `${text} such as Europe/Berlin`,
    ]);
  });
});

describe('the forms of catalog files', () => {
  it('a first line such as "sep=;" names the delimiter', async () => {
    const semicolons = `${HEAD}\n${ROW}\n`.replaceAll(',', ';');
    for (const line of ['sep=;', '"sep=;"'])
      expect(await issuesOf({ 'a.csv': `${line}\r\n${semicolons}` })).toEqual([]);
    const misnamed = await issuesOf({ 'a.csv': `sep=;\n${semicolons.replace('slug', 'slugg')}` });
    expect(misnamed.map(({ line }) => line)).toEqual([2, 3]);
  });

  it.each([
    ['without a byte order mark', ''],
    ['with a byte order mark', '\ufeff'],
  ])('a file in UTF-16 %s is refused with what to do', async (_, mark) => {
    for (const [name, text] of [
      ['a.csv', `${HEAD}\n${ROW}\n`],
      ['a.json', JSON.stringify([tourEntry()])],
    ] as const)
      for (const bytes of [Buffer.from(mark + text, 'utf16le'), Buffer.from(mark + text, 'utf16le').swap16()])
        expect(await issuesOf({ [name]: bytes })).toEqual([
          {
            file: name,
            line: 1,
            field: '',
            message: 'must be UTF-8 text, and is in another encoding: save it again as "CSV UTF-8" or UTF-8',
          },
        ]);
  });

  it('a start time with seconds of 0 is read as hours and minutes', async () => {
    const departures = [departureEntry({ start_time: '09:30:00' })];
    const { tours, issues } = await read({ 'a.json': [tourEntry({ start_time: '10:00:00', departures })] });
    expect([issues, tours[0]!.fields.start_time, tours[0]!.departures[0]!.fields.start_time]).toEqual([
      [],
      '10:00',
      '09:30',
    ]);
    const wrong = await issuesOf({ 'a.json': [tourEntry({ start_time: '10:00:30' })] });
    expect(wrong).toMatchObject([
      { field: 'start_time', message: 'must be a time of the day such as 09:30' },
    ]);
  });

  it.each([
    ['12:00:00 AM', '00:00'],
    ['09:30:00 AM', '09:30'],
    ['12:15:00 PM', '12:15'],
    ['04:30:00 PM', '16:30'],
  ])('the start time %s, as LibreOffice saves it in American English, is read as %s', async (saved, time) => {
    const { tours, issues } = await read({ 'a.csv': `slug,start_time\nwalk,${saved}\n` });
    expect(issues.filter(({ field }) => field === 'start_time')).toEqual([]);
    expect(tours[0]?.fields.start_time).toBe(time);
  });

  it.each(['00:30:00 AM', '13:00:00 PM', '09:30:15 AM', '9 AM'])(
    'the start time %s is an issue',
    async (saved) => {
      const issues = await issuesOf({ 'a.csv': `slug,start_time\nwalk,${saved}\n` });
      expect(issues).toContainEqual(
        expect.objectContaining({ field: 'start_time', message: 'must be a time of the day such as 09:30' }),
      );
    },
  );

  it('a key that an object has twice is an issue with its line, and the other entries are read', async () => {
    const text = `[\n{"slug": "a\\"{b",\n "name": "x",\n "n\\u0061me": "y"},\n${JSON.stringify(tourEntry({ name: 7 }))}\n]`;
    expect(await issuesOf({ 'a.json': text })).toMatchObject([
      { index: 1, field: 'name', message: 'must be a text' },
      { line: 4, field: 'name', message: 'is given twice in one object' },
    ]);
    const nested = `{"slug": "b2", "departures": [{"prices": {"adult": 1}}, {"prices": {"adult": 1, "adult": 10}}]}\n`;
    expect(await issuesOf({ 'a.jsonl': nested })).toMatchObject([{ line: 1, field: 'adult' }]);
  });
});
