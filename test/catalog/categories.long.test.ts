import type { Category } from '../../services/api/parties/category';
import { csvLines } from '../../services/api/catalog-import/catalog-csv';
import { exportCatalog, exportLanguages } from '../../services/api/catalog-import/export-catalog';
import { findCategoryCodes } from '../../services/api/catalog/known-categories';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { compareFiles, departureEntry, importFiles, importTours, tourEntry, write } from './catalog-files';
import { departureOf, insertHold, insertLead, tourOf } from './catalog-rows';

const database = useTestDatabase();

const SLUG = 'museum';
const DATE = '2031-06-01';
const ADULT = { code: 'adult', kind: 'adult' };
const SENIOR = { code: 'senior', kind: 'senior', age_from: 65 };
const INFANT = { code: 'infant', kind: 'infant', age_to: 3, seats: 0, with: ['adult', 'senior'] };
const FAMILY = { code: 'family', kind: 'family', seats: 4, max: 2 };
const CABIN = { code: 'cabin', kind: 'supplement', seats: 0 };
const MUSEUM = [ADULT, SENIOR, INFANT, FAMILY];
const PRICES = { adult: 20, senior: 15.5, infant: 0, family: 55 };

const tour = (fields: object = {}) => tourEntry({ slug: SLUG, ...fields });
const museum = (fields: object = {}) =>
  tour({ categories: MUSEUM, departures: [departureEntry({ prices: PRICES })], ...fields });
const issueOf = (field: string, message: string) => [{ file: 'tours.json', index: 0, field, message }];
const stored = async () => (await tourOf(database.db, SLUG)) as unknown as { categories: Category[] | null };
const pricesOf = async (date = DATE) => (await departureOf(database.db, SLUG, date)).pricesMinor;

beforeEach(async () => {
  for (const table of ['seat_holds', 'booking_leads', 'departures', 'tours'])
    await database.db(table).delete();
});

describe('an issue of price categories in a file', () => {
  const changed = (change: object) => ({ categories: [ADULT, { ...SENIOR, ...change }] });
  const ages = 'of senior must be a whole number from 0 to 120';

  it.each<[string, object, string, string]>([
    ['an age of 121', changed({ age_to: 121 }), 'categories[1].age_to', ages],
    ['an age as text', changed({ age_from: '65' }), 'categories[1].age_from', ages],
    [
      'ages that fall',
      changed({ age_to: 60 }),
      'categories[1].age_to',
      'of senior must be at least its age_from, 65',
    ],
    [
      'an unknown key',
      changed({ age: 65 }),
      'categories[1].age',
      'of senior is not known here; known are code, kind, name, age_from, age_to, seats, people, min, max, with, at_most',
    ],
    [
      'an unknown kind',
      changed({ kind: 'pensioner' }),
      'categories[1].kind',
      'of senior must be one of adult, youth, child, infant, senior, student, family, military, group, supplement, other',
    ],
    ['a missing kind', { categories: [{ code: 'adult' }] }, 'categories[0].kind', 'of adult is required'],
    [
      'a name of 201 characters',
      changed({ name: 'n'.repeat(201) }),
      'categories[1].name',
      'of senior must have at most 200 characters',
    ],
    [
      'a code with capital letters',
      changed({ code: 'Senior' }),
      'categories[1].code',
      'must be 2 to 32 of a-z, 0-9 and _',
    ],
    [
      'a reserved code',
      changed({ code: 'deposit' }),
      'categories[1].code',
      'must not be deposit, which is reserved',
    ],
    ['a code twice', changed({ code: 'adult' }), 'categories[1].code', 'must be unique: adult comes twice'],
    [
      'too many seats',
      changed({ seats: 51 }),
      'categories[1].seats',
      'of senior must be a whole number from 0 to 50',
    ],
    [
      'a min above the max',
      changed({ min: 3, max: 2 }),
      'categories[1].max',
      'of senior must be at least its min, 3',
    ],
    [
      'an unknown companion',
      changed({ with: ['guide'] }),
      'categories[1].with',
      'of senior must name other categories of the tour, not guide',
    ],
    [
      'an unknown limit',
      changed({ at_most: 'guide' }),
      'categories[1].at_most',
      'of senior must name another category of the tour, not guide',
    ],
    [
      'a circle in with',
      { categories: [ADULT, { ...SENIOR, with: ['infant'] }, { ...INFANT, with: ['senior'] }] },
      'categories[1].with',
      'of senior must not lead back to senior through the other categories',
    ],
    [
      'a first category without a seat',
      { categories: [INFANT, ADULT, SENIOR] },
      'categories[0].seats',
      'the first category, infant, must take a seat and must be no supplement',
    ],
    [
      'a companion that is a supplement',
      { categories: [ADULT, CABIN, { ...INFANT, with: ['cabin'] }] },
      'categories[2].with',
      'of infant must name categories that travel, not cabin',
    ],
    [
      'a min that no booking has room for',
      { categories: [ADULT, { ...FAMILY, seats: 30, min: 2 }] },
      'categories[1].min',
      'of family needs 60 seats, and one booking takes at most 50',
    ],
    ['an empty list', { categories: [] }, 'categories', 'must have at least one entry'],
    [
      'thirteen categories',
      { categories: Array.from({ length: 13 }, (_, n) => ({ ...ADULT, code: `adult_${n}` })) },
      'categories',
      'must have at most 12 entries',
    ],
    ['a text', { categories: 'adult' }, 'categories', 'must be a list'],
    ['a text of many characters', { categories: 'adult, senior, infant' }, 'categories', 'must be a list'],
    [
      'a text of almost JSON',
      { categories: '[{“code”: “adult”}]' },
      'categories',
      'must be valid JSON, with each key once',
    ],
    ['an entry that is a text', { categories: ['adult'] }, 'categories[0]', 'must be an object'],
    [
      'a price of a code that the tour lacks',
      museum({ departures: [departureEntry({ prices: { adult: 20, child: 10 } })] }),
      'departures[0].prices.child',
      'is no category of the tour; known are adult, senior, infant, family',
    ],
    [
      'a price that is no amount',
      museum({ departures: [departureEntry({ prices: { adult: '20', senior: 10 } })] }),
      'departures[0].prices.adult',
      'must be a number with a decimal point and no separators, such as 1299.50',
    ],
    [
      'too many decimals',
      museum({ departures: [departureEntry({ prices: { adult: 20, senior: 15.555 } })] }),
      'departures[0].prices.senior',
      'must have at most 2 decimals: that is what EUR has; a point separates decimals, not thousands',
    ],
    [
      'a departure without a price of the first category',
      museum({ departures: [departureEntry({ prices: { senior: 15 } })] }),
      'departures[0].prices.adult',
      'is required: adult is the first category of the tour',
    ],
    [
      'a schedule without a price of the first category',
      museum({
        schedules: [{ every: 'daily', from: DATE, to: '2031-06-09', seats_total: 5, prices: { family: 50 } }],
        departures: [],
      }),
      'schedules[0].prices.adult',
      'is required: adult is the first category of the tour',
    ],
    [
      'a translated name without a text',
      museum({ translations: { de: { categories: { senior: 65 } } } }),
      'translations.de.categories.senior',
      'must be a text',
    ],
  ])(
    '%s is one issue with its field and what is right, and nothing is written',
    async (_, fields, field, message) => {
      const { errors } = await importTours(database.db, tour(fields), tourEntry({ slug: 'other' }));
      expect(errors).toEqual(issueOf(field, message));
      expect(await tourOf(database.db, 'other')).toBeUndefined();
    },
  );

  it('invalid categories hide the prices by them, so that one mistake is one issue', async () => {
    const invalid = [{ ...ADULT, seats: 'one' }, SENIOR];
    const { errors } = await importTours(database.db, museum({ categories: invalid }));
    expect(errors).toEqual(issueOf('categories[0].seats', 'of adult must be a whole number from 0 to 50'));
  });

  it('the name of a category may have 200 characters, like every name', async () => {
    const name = 'n'.repeat(200);
    const { errors } = await importTours(database.db, tour({ categories: [{ ...ADULT, name }] }));
    expect(errors).toEqual([]);
    expect((await stored()).categories).toMatchObject([{ name }]);
  });

  it('each invalid category is an issue of its own', async () => {
    const categories = [
      { ...ADULT, age_from: 20, age_to: 10 },
      { ...SENIOR, with: ['nobody'] },
    ];
    const { errors } = await importTours(database.db, tour({ categories }));
    expect(errors).toEqual([
      ...issueOf('categories[0].age_to', 'of adult must be at least its age_from, 20'),
      ...issueOf('categories[1].with', 'of senior must name other categories of the tour, not nobody'),
    ]);
  });

  it('an issue in a CSV file names its line', async () => {
    const row = `${SLUG},Museum,europe,FR,1,EUR,20`;
    const { errors } = await importFiles(database.db, {
      'tours.csv': `slug,name,continent,country,duration_days,currency,base_price,categories\n${row},"[{""code"": ""senior""}]"\n`,
      'departures.csv': `tour_slug,departure_date,seats_total,prices.adult,prices.senior\n${SLUG},${DATE},5,,x\n`,
    });
    expect(errors).toEqual([
      { file: 'tours.csv', line: 2, field: 'categories[0].kind', message: 'of senior is required' },
      expect.objectContaining({ file: 'departures.csv', line: 2, field: 'prices.senior' }),
    ]);
  });
});

describe('price categories of a file', () => {
  it('they are stored with seats and people, and their prices by code', async () => {
    const { errors, departures } = await importTours(database.db, museum());
    expect(errors).toEqual([]);
    expect(departures.created).toBe(1);
    expect((await stored()).categories).toEqual([
      { ...ADULT, seats: 1, people: 1 },
      { ...SENIOR, seats: 1, people: 1 },
      { ...INFANT, people: 1 },
      { ...FAMILY, people: 4 },
    ]);
    expect(await pricesOf()).toEqual({ adult: 2000, senior: 1550, infant: 0, family: 5500 });
  });

  it('a supplement counts no people, and people of a unit may differ from its seats', async () => {
    const boat = { code: 'boat', kind: 'group', seats: 1, people: 8, max: 1, with: [], name: null };
    const room = { code: 'room', kind: 'supplement', seats: 0, at_most: 'boat' };
    const departures = [departureEntry({ prices: { boat: 400 } })];
    expect((await importTours(database.db, tour({ categories: [boat, room], departures }))).errors).toEqual(
      [],
    );
    expect((await stored()).categories).toEqual([
      { code: 'boat', kind: 'group', seats: 1, people: 8, max: 1 },
      { ...room, people: 0 },
    ]);
  });

  it('an omitted list stays, an omitted price stays, and null removes a price', async () => {
    await importTours(database.db, museum());
    const later = (prices: object) => tour({ departures: [departureEntry({ prices })] });
    expect(await importTours(database.db, later({ adult: 20 }))).toMatchObject({
      tours: { unchanged: 1 },
      departures: { unchanged: 1 },
      errors: [],
    });
    await importTours(database.db, later({ adult: 21, senior: null }));
    expect(await pricesOf()).toEqual({ adult: 2100, infant: 0, family: 5500 });
  });

  it('a schedule prices its departures by code', async () => {
    const schedule = { every: 'daily', from: DATE, to: '2031-06-03', seats_total: 9, prices: PRICES };
    await importTours(database.db, museum({ departures: [], schedules: [schedule] }));
    expect(await pricesOf('2031-06-03')).toEqual({ adult: 2000, senior: 1550, infant: 0, family: 5500 });
  });

  it('names of categories are translated, language by language', async () => {
    const names = { de: { categories: { senior: 'Ab 65' } }, fr: { categories: { senior: 'Senior' } } };
    await importTours(database.db, museum({ translations: names }));
    expect(await stored()).toMatchObject({ translations: names });
    await importTours(database.db, tour({ translations: { fr: { categories: null } } }));
    expect(await stored()).toMatchObject({ translations: { de: names.de } });
  });
});

describe('an export of price categories', () => {
  async function exported() {
    const entries = [];
    for await (const entry of exportCatalog(database.db)) entries.push(entry);
    return entries;
  }
  async function csvOf(kind: 'tours' | 'departures'): Promise<string> {
    const { db } = database;
    const named = { languages: await exportLanguages(db), codes: await findCategoryCodes(db) };
    let text = '';
    for await (const line of csvLines(exportCatalog(db), kind, named)) text += line;
    return text;
  }
  const UNCHANGED = {
    tours: { created: 0, updated: 0, unchanged: 2 },
    departures: { created: 0, updated: 0, unchanged: 2 },
    errors: [],
  };

  beforeEach(async () => {
    const departures = [departureEntry({ prices: { adult: 1290, child: 900 } })];
    const translations = { de: { categories: { senior: 'Ab 65', family: 'Familie' } } };
    const given = [museum({ translations }), tourEntry({ departures })];
    expect((await importTours(database.db, ...given)).errors).toEqual([]);
  });

  it('an export to JSON has null for a category without a price, and importing it changes nothing', async () => {
    const entries = await exported();
    expect(entries.map(({ categories, departures }) => [categories, departures])).toMatchObject([
      [null, [{ prices: { adult: 1290, child: 900, single_supplement: null } }]],
      [[{ code: 'adult' }, { code: 'senior' }, { code: 'infant' }, { code: 'family' }], [{ prices: PRICES }]],
    ]);
    expect(await importTours(database.db, ...entries)).toMatchObject(UNCHANGED);
  });

  it('an export to CSV has a column for each code of the catalog, and importing it changes nothing', async () => {
    const files = { 'tours.csv': await csvOf('tours'), 'departures.csv': await csvOf('departures') };
    expect(
      files['departures.csv']
        .split('\r\n')[0]!
        .split(',')
        .filter((name) => name.startsWith('prices.')),
    ).toEqual(
      ['adult', 'child', 'single_supplement', 'family', 'infant', 'senior'].map((code) => `prices.${code}`),
    );
    expect(await importFiles(database.db, files)).toMatchObject(UNCHANGED);
  });

  it('an exported CSV catalog makes the same catalog again', async () => {
    const files = { 'tours.csv': await csvOf('tours'), 'departures.csv': await csvOf('departures') };
    const before = await exported();
    for (const table of ['departures', 'tours']) await database.db(table).delete();
    expect((await importFiles(database.db, files)).errors).toEqual([]);
    expect(await exported()).toEqual(before);
  });
});

describe('a warning of price categories', () => {
  const warningsOf = async (fields: object) => (await importTours(database.db, tour(fields))).warnings;

  it.each<[string, object, string, string]>([
    [
      'a supplement that says no seats',
      { categories: [ADULT, { code: 'cabin', kind: 'supplement' }] },
      'categories[1].seats',
      'of the supplement cabin is 1: each unit takes a seat of the departure from a traveller; seats 0 takes none',
    ],
    [
      'a first category that needs another one',
      { categories: [{ code: 'pupil', kind: 'student', with: ['adult'] }, ADULT] },
      'categories[0]',
      'is pupil, the first category, which cannot be booked alone: it needs adult. So no booking without a date is possible',
    ],
    [
      'the name of an unknown category in a translation',
      { categories: MUSEUM, translations: { de: { name: 'Museum', categories: { senoir: 'Ab 65' } } } },
      'translations.de.categories.senoir',
      'is no category of the tour; known are adult, senior, infant, family',
    ],
    [
      'the name of an unknown category, where the tour has the default list',
      { translations: { de: { categories: { senior: 'Ab 65', child: 'Kind' } } } },
      'translations.de.categories.senior',
      'is no category of the tour; known are adult, child, single_supplement',
    ],
  ])('an import warns of %s, and writes the tour', async (_title, fields, field, message) => {
    expect(await warningsOf(fields)).toEqual([expect.objectContaining({ index: 0, field, message })]);
    expect(await tourOf(database.db, SLUG)).toBeDefined();
    expect(await warningsOf(fields)).toBeUndefined();
  });

  it('an import of categories and translations that fit has no warning', async () => {
    const translations = { de: { categories: { senior: 'Ab 65' } }, fr: null };
    expect(await warningsOf({ categories: [...MUSEUM, CABIN], translations })).toBeUndefined();
  });
});

describe('an import that changes the price categories of a tour', () => {
  const OTHER = '2031-07-01';
  const BOTH = [
    departureEntry({ prices: PRICES }),
    departureEntry({ departure_date: OTHER, prices: PRICES }),
  ];
  let tenantId: string;

  beforeAll(async () => {
    tenantId = (await givenTenant(database.db, { slug: 'guide' })).id;
  });
  beforeEach(async () => void (await importTours(database.db, museum({ departures: BOTH }))));

  const withoutFamily = { categories: MUSEUM.filter(({ code }) => code !== 'family') };

  it('a code that is not in use disappears with its prices from all departures, and the report lists them', async () => {
    const report = await importTours(database.db, tour(withoutFamily));
    const removed = { tour: SLUG, start_time: null, category: 'family', price: 55, currency: 'EUR' };
    expect(report).toMatchObject({
      tours: { updated: 1 },
      departures: { created: 0, updated: 2, unchanged: 0 },
      removed_prices: [
        { ...removed, departure_date: DATE },
        { ...removed, departure_date: OTHER },
      ],
    });
    const prices = { adult: 2000, senior: 1550, infant: 0 };
    expect([await pricesOf(), await pricesOf(OTHER)]).toEqual([prices, prices]);
    expect(await importTours(database.db, tour(withoutFamily))).toMatchObject({ tours: { unchanged: 1 } });
  });

  it('departures that the file has and that it does not have lose the prices alike', async () => {
    const departures = [departureEntry({ seats_total: 11, prices: { adult: 22 } })];
    const report = await importTours(database.db, tour({ ...withoutFamily, departures }));
    expect(report).toMatchObject({ departures: { updated: 2, unchanged: 0 }, errors: [] });
    expect(report.removed_prices).toHaveLength(2);
    expect(await pricesOf()).toEqual({ adult: 2200, senior: 1550, infant: 0 });
    expect(await pricesOf(OTHER)).toEqual({ adult: 2000, senior: 1550, infant: 0 });
  });

  it('a dry run lists each price that disappears, and writes nothing', async () => {
    const report = await importFiles(database.db, { 'tours.json': [tour(withoutFamily)] }, { dryRun: true });
    const lost = { fields: [{ field: 'prices.family', before: 55 }] };
    expect(report.changes).toMatchObject([{ tour: SLUG, change: 'updated', departures: [lost, lost] }]);
    expect(report.removed_prices).toHaveLength(2);
    expect(await pricesOf()).toMatchObject({ family: 5500 });
  });

  const party = (adults: number) => ({
    party: { adult: adults, family: 1 },
    prices_minor: { adult: 129000, family: 5500 },
    seats: adults + 4,
  });
  const inUse = issueOf(
    'categories',
    'must keep family: live holds, or standing bookings of departures to come, use it',
  );

  it('a live hold keeps the code that it has, and an ended one does not', async () => {
    const { id } = await departureOf(database.db, SLUG, DATE);
    await insertHold(database.db, tenantId, id, 1, party(1));
    expect((await importTours(database.db, tour(withoutFamily))).errors).toEqual(inUse);
    expect(await pricesOf()).toMatchObject({ family: 5500 });
    await database.db('seat_holds').update({ status: 'released' });
    expect((await importTours(database.db, tour(withoutFamily))).errors).toEqual([]);
  });

  it('a hold that is made after the comparison keeps its code', async () => {
    const { id } = await departureOf(database.db, SLUG, DATE);
    const refused = await compareFiles(
      database.db,
      { 'tours.json': [tour(withoutFamily)] },
      async (compared) => {
        expect(compared.report.errors).toEqual([]);
        await insertHold(database.db, tenantId, id, 1, party(1));
        return write(database.db, compared).catch((error: unknown) => error);
      },
    );
    expect(refused).toMatchObject({ code: 'catalog_refused', report: { errors: [{ field: 'categories' }] } });
    expect(await pricesOf()).toMatchObject({ family: 5500 });
  });

  it.each(['pending_payment', 'confirmed'])('a %s booking keeps the code that it has', async (status) => {
    const departure = await departureOf(database.db, SLUG, DATE);
    const fields = { ...party(1), total_minor: 134500, status };
    await insertLead(database.db, tenantId, departure, 'GUIDE-1', fields);
    expect((await importTours(database.db, tour(withoutFamily))).errors).toEqual(inUse);
    expect((await importTours(database.db, tour({ categories: [...MUSEUM].reverse() }))).errors).toEqual([]);
    await database.db('booking_leads').update({ status: 'cancelled' });
    expect((await importTours(database.db, tour(withoutFamily))).errors).toEqual([]);
  });

  it('the default list is in use as every other list is', async () => {
    const departures = [departureEntry({ prices: { adult: 9, child: 5 } })];
    await importTours(database.db, tourEntry({ departures }));
    const slug = String(tourEntry().slug);
    const { id } = await departureOf(database.db, slug, DATE);
    await insertHold(database.db, tenantId, id, 1, {
      party: { child: 1 },
      prices_minor: { child: 500 },
      seats: 1,
    });
    const { errors } = await importTours(database.db, tourEntry({ categories: [ADULT] }));
    expect(errors).toMatchObject([
      { field: 'categories', message: expect.stringContaining('must keep child') },
    ]);
    await database.db('seat_holds').delete();
    expect(await importTours(database.db, tourEntry({ categories: [ADULT] }))).toMatchObject({
      removed_prices: [{ tour: slug, category: 'child', price: 5 }],
    });
  });

  it('a new first category needs a price on every departure to come, also on those that the file does not have', async () => {
    const student = { code: 'student', kind: 'student' };
    const categories = [student, ...MUSEUM];
    const priced = (date: string) => departureEntry({ departure_date: date, prices: { student: 9 } });
    expect((await importTours(database.db, tour({ categories, departures: [priced(DATE)] }))).errors).toEqual(
      issueOf(
        'categories',
        `begin with student, so the file must price it on every departure to come; missing: ${OTHER}`,
      ),
    );
    expect(await pricesOf()).not.toHaveProperty('student');
    const report = await importTours(
      database.db,
      tour({ categories, departures: [priced(DATE), priced(OTHER)] }),
    );
    expect(report.errors).toEqual([]);
    expect(await pricesOf(OTHER)).toMatchObject({ student: 900, adult: 2000 });
  });

  it('a past departure keeps its prices if none of the first category would remain', async () => {
    const past = departureEntry({ departure_date: '2021-06-01', prices: PRICES });
    await importTours(database.db, tour({ departures: [past] }));
    const student = { code: 'student', kind: 'student' };
    const departures = [DATE, OTHER].map((date) =>
      departureEntry({ departure_date: date, prices: { student: 9 } }),
    );
    const { errors } = await importTours(database.db, tour({ categories: [student], departures }));
    expect(errors).toEqual([]);
    expect(await pricesOf()).toEqual({ student: 900 });
    expect(await pricesOf('2021-06-01')).toMatchObject({ adult: 2000 });
    const entries = [];
    for await (const entry of exportCatalog(database.db)) entries.push(entry);
    expect(await importTours(database.db, ...entries)).toMatchObject({
      errors: [],
      tours: { unchanged: 1 },
      departures: { unchanged: 3 },
    });
  });
});
