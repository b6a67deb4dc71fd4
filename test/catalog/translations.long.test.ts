import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useTestApi } from '../support/api';
import { useTemporaryFolder } from '../support/temporary-folder';
import { useTerminalOf } from '../cli/terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const folder = useTemporaryFolder();
beforeEach(() => api.db('tours').delete());

const LAKE = {
  slug: 'lake-walk',
  name: 'Lake walk',
  summary: 'Around the lake',
  inclusions: ['Map'],
  continent: 'europe',
  country: 'CH',
  duration_days: 1,
  currency: 'CHF',
  base_price: 40,
};
const GERMAN = { name: 'Seewanderung', summary: 'Rund um den See', inclusions: ['Karte'] };

async function importTours(...tours: object[]) {
  const file = path.join(folder, 'tours.json');
  writeFileSync(file, JSON.stringify(tours));
  return (await terminal.tourctl(`catalog import ${file} --json`)).json;
}

const storedTour = () => api.db('tours').first('language', 'translations', 'translation_names as names');

describe('translations in a catalog file', () => {
  it('an import stores the language and the translations of a tour, with tags in their usual form', async () => {
    const { errors } = await importTours({
      ...LAKE,
      language: 'EN-gb',
      translations: { DE: GERMAN, 'pt-br': { summary: 'Volta' } },
    });
    expect(errors).toEqual([]);
    expect(await storedTour()).toEqual({
      language: 'en-GB',
      translations: { de: GERMAN, 'pt-BR': { summary: 'Volta' } },
      names: { de: 'seewanderung', 'pt-BR': '' },
    });
  });

  it('an import merges translations text by text, and null clears a text, a language or all of them', async () => {
    await importTours({ ...LAKE, translations: { de: GERMAN, fr: { name: 'Le lac' } } });
    const change = async (translations: object | null) => {
      expect((await importTours({ ...LAKE, translations })).errors).toEqual([]);
      return (await storedTour()).translations;
    };
    expect(await change({ de: { summary: 'Am See' } })).toEqual({
      de: { ...GERMAN, summary: 'Am See' },
      fr: { name: 'Le lac' },
    });
    expect(await change({ de: { summary: null, inclusions: [] } })).toEqual({
      de: { name: 'Seewanderung' },
      fr: { name: 'Le lac' },
    });
    expect(await change({})).toEqual({ de: { name: 'Seewanderung' }, fr: { name: 'Le lac' } });
    expect(await change({ fr: null, de: { name: 'See' } })).toEqual({ de: { name: 'See' } });
    expect((await storedTour()).names).toEqual({ de: 'see' });
    expect(await change({ de: { name: null } })).toEqual({});
    await change({ de: GERMAN });
    expect((await importTours(LAKE)).tours).toMatchObject({ unchanged: 1 });
    expect(await change(null)).toEqual({});
  });

  it.each<[string, object, string, string]>([
    [
      'a tag that is none',
      { translations: { deutsch_: GERMAN } },
      'translations.deutsch_',
      'must be a language tag such as de or pt-BR',
    ],
    [
      'a tag of 36 characters',
      { translations: { [`de-${'a2345678-'.repeat(3)}abcdef`]: GERMAN } },
      `translations.de-${'a2345678-'.repeat(3)}abcdef`,
      'must be a language tag such as de or pt-BR',
    ],
    [
      'one language in two spellings',
      { translations: { 'de-CH': GERMAN, 'DE-ch': GERMAN } },
      'translations.DE-ch',
      'is the language de-CH a second time',
    ],
    [
      'the language of the tour',
      { translations: { en: GERMAN } },
      'translations.en',
      'must not be the language of the tour itself',
    ],
    [
      'a text that is unknown',
      { translations: { de: { title: 'See' } } },
      'translations.de.title',
      expect.stringContaining('is not known here'),
    ],
    [
      'a name that is too long',
      { translations: { de: { name: 'x'.repeat(201) } } },
      'translations.de.name',
      'must have at most 200 characters',
    ],
    ['a number as a name', { translations: { de: { name: 5 } } }, 'translations.de.name', 'must be a text'],
    [
      'a day without a title',
      { translations: { de: { itinerary: [{ day: 1 }] } } },
      'translations.de.itinerary[0].title',
      'is required',
    ],
    [
      'a text in place of a language',
      { translations: { de: 'See' } },
      'translations.de',
      'must be an object',
    ],
    ['a list of translations', { translations: [GERMAN] }, 'translations', 'must be an object of languages'],
    [
      '31 languages',
      {
        translations: Object.fromEntries(
          Array.from({ length: 31 }, (_, n) => [
            `q${String.fromCharCode(97 + (n % 26))}${n < 26 ? 'a' : 'b'}`,
            GERMAN,
          ]),
        ),
      },
      'translations',
      'must have at most 30 languages',
    ],
    [
      'a language that is no tag',
      { language: 'english!' },
      'language',
      'must be a language tag such as de or pt-BR',
    ],
  ])('an import refuses %s with the file, the index and the field', async (_what, fields, field, message) => {
    const { errors } = await importTours({ ...LAKE, ...fields });
    expect(errors[0]).toEqual({ file: expect.stringContaining('tours.json'), index: 0, field, message });
    expect(await storedTour()).toBeUndefined();
  });

  it('an import refuses a language for which translations are stored, and too many languages with the stored ones', async () => {
    await importTours({ ...LAKE, translations: { de: GERMAN } });
    const { errors } = await importTours({ ...LAKE, language: 'de' });
    expect(errors).toMatchObject([
      { field: 'language', message: 'is a language of the translations: clear translations.de with null' },
    ]);
    const others = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `q${String.fromCharCode(97 + (n % 26))}${n < 26 ? 'a' : 'b'}`,
        GERMAN,
      ]),
    );
    expect((await importTours({ ...LAKE, translations: others })).errors).toMatchObject([
      { field: 'translations', message: 'must have at most 30 languages, with the stored ones' },
    ]);
    expect((await importTours({ ...LAKE, language: 'de', translations: { de: null } })).errors).toEqual([]);
  });

  it('a dry run names each text that changes', async () => {
    await importTours({ ...LAKE, translations: { de: GERMAN } });
    const file = path.join(folder, 'dry.json');
    writeFileSync(
      file,
      JSON.stringify([
        { ...LAKE, translations: { de: { name: 'See', summary: null }, fr: { name: 'Lac' } } },
      ]),
    );
    const { json } = await terminal.tourctl(`catalog import ${file} --dry-run --json`);
    expect(json.changes[0].fields).toEqual([
      { field: 'translations.de.name', before: 'Seewanderung', after: 'See' },
      { field: 'translations.de.summary', before: 'Rund um den See' },
      { field: 'translations.fr.name', after: 'Lac' },
    ]);
  });

  it.each(['json', 'jsonl', 'csv'])(
    'importing a %s export of translated tours changes nothing',
    async (format) => {
      const days = [{ day: 1, title: 'Los', description: 'Früh' }];
      await importTours(
        {
          ...LAKE,
          translations: { de: { ...GERMAN, itinerary: days, tags: ['Wandern', 'a|b'] }, ja: { name: '湖' } },
        },
        { ...LAKE, slug: 'plain-walk' },
      );
      const before = await api
        .db('tours')
        .select('slug', 'language', 'translations', 'translation_names')
        .orderBy('slug');
      const file = path.join(folder, `out.${format}`);
      await terminal.tourctl(`catalog export --out ${file} --force --json`);
      expect(readFileSync(file, 'utf8')).toContain('Seewanderung');
      const { json } = await terminal.tourctl(`catalog import ${file} --json`);
      expect(json).toMatchObject({ errors: [], tours: { created: 0, updated: 0, unchanged: 2 } });
      await api.db('tours').delete();
      expect((await terminal.tourctl(`catalog import ${file} --json`)).json.tours).toMatchObject({
        created: 2,
      });
      expect(
        await api.db('tours').select('slug', 'language', 'translations', 'translation_names').orderBy('slug'),
      ).toEqual(before);
    },
  );

  it('a CSV file has a column for each text, and an empty cell keeps the stored text', async () => {
    await importTours({ ...LAKE, translations: { de: GERMAN } });
    const file = path.join(folder, 'texts.csv');
    writeFileSync(
      file,
      'slug,name,continent,country,duration_days,currency,base_price,translations.de.name,translations.de.summary,translations.fr.inclusions\nlake-walk,Lake walk,europe,CH,1,CHF,40,See,,Carte|Guide\n',
    );
    expect((await terminal.tourctl(`catalog import ${file} --json`)).json.errors).toEqual([]);
    expect((await storedTour()).translations).toEqual({
      de: { ...GERMAN, name: 'See' },
      fr: { inclusions: ['Carte', 'Guide'] },
    });
  });

  it.each([
    ['translations.de.title', 'translations.de.title', expect.stringContaining('is not a column of tours')],
    ['translations.name', 'translations.name', expect.stringContaining('is not a column of tours')],
    ['translations.x_y.name', 'translations.x_y.name', expect.stringContaining('is not a column of tours')],
    [
      'translations.__proto__.name',
      'translations.__proto__.name',
      expect.stringContaining('is not a column of tours'),
    ],
    ['translations.a1.name', 'translations.a1', 'must be a language tag such as de or pt-BR'],
  ])('an import refuses the CSV column %s', async (column, field, message) => {
    const file = path.join(folder, 'wrong.csv');
    writeFileSync(
      file,
      `slug,name,continent,country,duration_days,currency,base_price,${column}\nlake-walk,Lake walk,europe,CH,1,CHF,40,See\n`,
    );
    const { errors } = (await terminal.tourctl(`catalog import ${file} --json`)).json;
    expect(errors[0]).toMatchObject({ field, message });
  });
});

describe('tourctl catalog and languages', () => {
  beforeEach(() =>
    importTours(
      { ...LAKE, translations: { de: { name: 'Seewanderung' }, 'de-CH': { summary: 'Um den See' } } },
      {
        ...LAKE,
        slug: 'other-walk',
        name: 'Other walk',
        summary: null,
        inclusions: [],
        translations: { de: { name: 'Andere' } },
      },
      { ...LAKE, slug: 'swiss-walk', name: 'Weg', language: 'de' },
      { ...LAKE, slug: 'old-walk', status: 'archived' },
    ),
  );

  it('tourctl catalog export --missing lists the tours with texts that are not translated', async () => {
    const missing = async (language: string) =>
      (await terminal.tourctl(`catalog export --missing ${language} --json`)).json;
    expect(await missing('de')).toEqual([
      { slug: 'lake-walk', name: 'Lake walk', missing: ['summary', 'inclusions'] },
    ]);
    expect(await missing('de-CH')).toEqual([
      { slug: 'lake-walk', name: 'Lake walk', missing: ['inclusions'] },
    ]);
    expect((await missing('en')).map(({ slug }: { slug: string }) => slug)).toEqual(['swiss-walk']);
    const csv = await terminal.tourctl('catalog export --missing de --format csv');
    expect(csv.stdout).toBe('slug,name,missing\r\nlake-walk,Lake walk,summary|inclusions\r\n');
    expect(csv.stderr).toContain('1 tour with texts that are not translated into de');
    expect((await terminal.tourctl('catalog export --missing de_DE')).code).toBe(2);
    expect((await terminal.tourctl('catalog export --missing de --format csv --only tours')).code).toBe(2);
  });

  it('tourctl catalog show --lang shows the texts of the language, and names those that are missing', async () => {
    const { json } = await terminal.tourctl('catalog show lake-walk --lang de-CH --json');
    expect(json).toMatchObject({
      lang: 'de',
      name: 'Seewanderung',
      summary: 'Um den See',
      inclusions: ['Map'],
      missing: ['inclusions'],
    });
    expect(json).not.toHaveProperty('translations');
    const { stdout } = await terminal.tourctl('catalog show lake-walk --lang de');
    expect(stdout).toMatch(/name\s+Seewanderung/);
    expect((await terminal.tourctl('catalog show lake-walk --json')).json).toMatchObject({
      language: 'en',
      name: 'Lake walk',
      translations: { de: { name: 'Seewanderung' } },
    });
    expect((await terminal.tourctl('catalog show lake-walk --lang x')).code).toBe(2);
  });

  it('tourctl catalog show --lang shows the names of categories, and names them missing until all are translated', async () => {
    const categories = [
      { code: 'adult', kind: 'adult', name: 'Adult' },
      { code: 'senior', kind: 'senior', name: 'Senior' },
      { code: 'infant', kind: 'infant', seats: 0 },
    ];
    const show = async (names: object) => {
      await importTours({ ...LAKE, slug: 'museum', categories, translations: { de: { categories: names } } });
      const { json } = await terminal.tourctl('catalog show museum --lang de --json');
      return [
        json.categories.map(({ name }: { name?: string }) => name),
        json.missing.includes('categories'),
      ] as const;
    };
    expect(await show({ senior: 'Seniorin' })).toEqual([['Adult', 'Seniorin', undefined], true]);
    expect(await show({ adult: 'Erwachsene', senior: 'Seniorin' })).toEqual([
      ['Erwachsene', 'Seniorin', undefined],
      false,
    ]);
  });
});
