import { useTestDatabase } from '../support/database';
import { exportTour } from '../../services/api/catalog-import/export-catalog';
import { importFiles, importTours, tourEntry } from './catalog-files';
import { tourOf } from './catalog-rows';

const database = useTestDatabase();

const SLUG = 'dive';
const WEIGHT = { code: 'weight', label: 'Weight in kg', type: 'number', per: 'traveller' };
const CERTIFICATE = {
  code: 'certificate',
  label: 'Certificate',
  type: 'choice',
  per: 'traveller',
  choices: [
    { code: 'open', label: 'Open Water' },
    { code: 'advanced', label: 'Advanced' },
  ],
};
const tour = (fields: object = {}) => tourEntry({ slug: SLUG, ...fields });
const asks = (...questions: unknown[]) => tour({ questions });
const HEAD = 'slug,name,continent,country,duration_days,currency,base_price';
const ROW = `${SLUG},Dive,europe,PT,1,EUR,40`;

describe('the questions of a tour in a catalog file', () => {
  it('are stored with their defaults, exported so that an import changes nothing, and removed by null or an empty list', async () => {
    await importTours(database.db, asks(WEIGHT, { ...CERTIFICATE, required: true, categories: ['adult'] }));
    const { questions } = await tourOf(database.db, SLUG);
    expect(questions).toEqual([
      { ...WEIGHT, required: false, until: 'confirm' },
      { ...CERTIFICATE, required: true, categories: ['adult'], until: 'confirm' },
    ]);
    const { id } = await tourOf(database.db, SLUG);
    const exported = await exportTour(database.db, id);
    expect((await importFiles(database.db, { 'tours.json': [exported] })).tours).toMatchObject({
      unchanged: 1,
    });
    expect((await importTours(database.db, tour())).tours).toMatchObject({ unchanged: 1 });
    for (const nothing of [null, []]) {
      await importTours(database.db, asks(WEIGHT));
      await importTours(database.db, tour({ questions: nothing }));
      expect((await tourOf(database.db, SLUG)).questions).toBeNull();
    }
  });

  it('come as JSON text in a CSV file, with their translations', async () => {
    const cell = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
    const csv = `${HEAD},questions,translations.de.questions\n${ROW},${cell([WEIGHT])},${cell({ weight: { label: 'Gewicht' } })}\n`;
    expect((await importFiles(database.db, { 'tours.csv': csv })).errors).toEqual([]);
    expect(await tourOf(database.db, SLUG)).toMatchObject({
      questions: [WEIGHT],
      translations: { de: { questions: { weight: { label: 'Gewicht' } } } },
    });
  });

  it.each<[string, object, string]>([
    ['a list that is none', { questions: 'weight' }, 'questions'],
    [
      '21 questions',
      { questions: Array.from({ length: 21 }, (_, n) => ({ ...WEIGHT, code: `q${n}` })) },
      'questions',
    ],
    ['a question without a label', asks({ ...WEIGHT, label: undefined }), 'questions[0].label'],
    ['an unknown type', asks({ ...WEIGHT, type: 'file' }), 'questions[0].type'],
    ['an unknown subject', asks({ ...WEIGHT, per: 'person' }), 'questions[0].per'],
    ['an unknown field', asks({ ...WEIGHT, hint: 'kg' }), 'questions[0].hint'],
    ['a code with a space', asks({ ...WEIGHT, code: 'my weight' }), 'questions[0].code'],
    ['a code that comes twice', asks(WEIGHT, WEIGHT), 'questions[1].code'],
    ['a choice without choices', asks({ ...CERTIFICATE, choices: [] }), 'questions[0].choices'],
    ['choices of a number', asks({ ...WEIGHT, choices: CERTIFICATE.choices }), 'questions[0].choices'],
    [
      'equal choices',
      asks({ ...CERTIFICATE, choices: [CERTIFICATE.choices[0], CERTIFICATE.choices[0]] }),
      'questions[0].choices',
    ],
    ['a max below its min', asks({ ...WEIGHT, min: 10, max: 9 }), 'questions[0].max'],
    ['a min that is a text', asks({ ...WEIGHT, min: '2031-01-01' }), 'questions[0].min'],
    ['a date with a number as its min', asks({ ...WEIGHT, type: 'date', min: 3 }), 'questions[0].min'],
    ['a text of 1001 characters', asks({ ...WEIGHT, type: 'text', max: 1001 }), 'questions[0].max'],
    ['a limit of yes or no', asks({ ...WEIGHT, type: 'yes_no', max: 1 }), 'questions[0].max'],
    [
      'categories of a question of the booking',
      asks({ ...WEIGHT, per: 'booking', categories: ['adult'] }),
      'questions[0].categories',
    ],
    [
      'a category that the tour has not',
      asks({ ...WEIGHT, categories: ['senior'] }),
      'questions[0].categories',
    ],
  ])('%s is a fault that names its field', async (_, fields, field) => {
    const { errors } = await importFiles(database.db, { 'tours.json': [tour(fields)] });
    expect(errors.map((issue) => issue.field)).toEqual([field]);
  });

  it('name only categories of the tour, also after a change of the categories alone', async () => {
    const categories = [
      { code: 'adult', kind: 'adult' },
      { code: 'senior', kind: 'senior' },
    ];
    await importTours(database.db, tour({ categories, questions: [{ ...WEIGHT, categories: ['senior'] }] }));
    const { errors } = await importFiles(database.db, {
      'tours.json': [tour({ categories: [categories[0]] })],
    });
    expect(errors.map(({ field }) => field)).toEqual(['questions[0].categories']);
  });

  it('must not be called pickup where the tour has a pickup, which the list of missing answers names so', async () => {
    await database.db('pickup_points').insert({ code: 'pier', name: 'Pier', translations: '{}' });
    const slug = 'fetched-dive';
    const questions = [WEIGHT, { ...WEIGHT, code: 'pickup' }];
    const pickup = { points: [{ point: 'pier', minutes_before: 30 }] };
    const fieldsOf = async (fields: object) => {
      const { errors } = await importFiles(database.db, { 'tours.json': [tourEntry({ slug, ...fields })] });
      return errors.map(({ field }) => field);
    };
    expect(await fieldsOf({ questions, pickup })).toEqual(['questions[1].code']);
    expect(await fieldsOf({ questions })).toEqual([]);
    expect(await fieldsOf({ pickup })).toEqual(['questions[1].code']);
    expect(await fieldsOf({ questions: [WEIGHT], pickup })).toEqual([]);
    expect(await fieldsOf({ questions })).toEqual(['questions[1].code']);
    expect(await fieldsOf({ questions, pickup: null })).toEqual([]);
  });

  it('warn of an answer that is due with the booking, once, and of a translation of no question', async () => {
    const strict = { ...WEIGHT, required: true, until: 'booking' };
    const warningsOf = async (entry: object) => {
      const { warnings = [] } = await importFiles(database.db, { 'tours.json': [entry] });
      return warnings.map(({ field }) => field);
    };
    const slug = 'strict-dive';
    expect(await warningsOf(tourEntry({ slug, questions: [{ ...strict, required: false }] }))).toEqual([]);
    expect(await warningsOf(tourEntry({ slug, questions: [strict] }))).toEqual(['questions[0]']);
    expect(await warningsOf(tourEntry({ slug, questions: [strict, CERTIFICATE] }))).toEqual([]);
    const translations = { de: { questions: { size: { label: 'Größe' } } } };
    expect(await warningsOf(tourEntry({ slug, translations }))).toEqual(['translations.de.questions.size']);
  });
});
