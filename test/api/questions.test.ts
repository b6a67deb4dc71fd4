import type { Category } from '../../services/api/parties/category';
import type { Question } from '../../services/api/questions/question';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenKey, givenTour } from '../support/given';
import { expectInvalidFields, expectProblem, expectReplay } from '../support/responses';
import { type Seats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

const ask = (question: Partial<Question> & Pick<Question, 'code' | 'type' | 'per'>): Question => ({
  label: `The ${question.code}`,
  required: false,
  until: 'confirm',
  ...question,
});

const CERTIFICATE = ask({
  code: 'certificate',
  label: 'Diving certificate',
  type: 'choice',
  per: 'traveller',
  categories: ['adult'],
  required: true,
  choices: [
    { code: 'open', label: 'Open Water' },
    { code: 'advanced', label: 'Advanced Open Water' },
  ],
});
const WEIGHT = ask({ code: 'weight', type: 'number', per: 'traveller', required: true, min: 30, max: 150 });
const ALLERGIES = ask({ code: 'allergies', type: 'text', per: 'booking', max: 20 });
const AGREED = ask({ code: 'agreed', type: 'yes_no', per: 'booking', required: true, until: 'booking' });
const DIVE = [CERTIFICATE, WEIGHT, ALLERGIES];

const DIVERS = [
  { category: 'adult', first_name: 'Ana', last_name: 'Lima', answers: { certificate: 'open', weight: 61.5 } },
  {
    category: 'adult',
    first_name: 'Rui',
    last_name: 'Lima',
    answers: { certificate: 'advanced', weight: 80 },
  },
];

async function givenDive(
  questions: Question[] | null = DIVE,
  more: { categories?: Category[]; language?: string; translations?: object } = {},
): Promise<Seats> {
  const tour = await givenTour(api.db, more.categories ? { categories: more.categories } : {});
  await api
    .db('tours')
    .where({ id: tour.id })
    .update({
      questions: questions && JSON.stringify(questions),
      ...(more.translations && {
        translations: JSON.stringify(more.translations),
        translation_names: JSON.stringify(
          Object.fromEntries(Object.keys(more.translations).map((language) => [language, ''])),
        ),
      }),
    });
  return {
    tour,
    date: await givenDeparture(api.db, tour, { seats: 200, prices: { adult: 50_000, child: 20_000 } }),
  };
}

const book = ({ tour, date }: Seats, body: object = {}, headers = {}) =>
  website.book({ tour_id: tour.id, departure_date: date, ...body }, headers);
const pathOf = (ref: string) => `/api/tenant/bookings/${ref}`;
const answersOf = async (ref: string) => (await website.get(pathOf(ref))).body.answers;
const valuesOf = (answers: { code: string; traveller: number | null; value: unknown }[]) =>
  answers.map(({ code, traveller, value }) => [code, traveller, value]);

describe('the questions of a tour', () => {
  it('a tour shows its questions in the language of the answer, and an empty list where nothing is asked', async () => {
    const { tour } = await givenDive(DIVE, {
      translations: {
        de: { questions: { weight: { label: 'Gewicht' }, certificate: { choices: { open: 'Offen' } } } },
      },
    });
    const german = await website.get(`/api/tenant/tours/${tour.slug}?lang=de-AT`);
    expect(german.body.questions).toEqual([
      { ...CERTIFICATE, choices: [{ code: 'open', label: 'Offen' }, CERTIFICATE.choices![1]] },
      { ...WEIGHT, label: 'Gewicht' },
      ALLERGIES,
    ]);
    expect((await website.get(`/api/tenant/tours/${tour.slug}`)).body.questions).toEqual(DIVE);
    const silent = await givenDive(null);
    expect((await website.get(`/api/tenant/tours/${silent.tour.slug}`)).body.questions).toEqual([]);
  });
});

describe('the answers of a booking', () => {
  it('a booking answers every question, also an unanswered one, with the person whom it is asked', async () => {
    const dive = await givenDive();
    const made = await book(dive, {
      adults: 2,
      children: 1,
      travellers: DIVERS,
      answers: { allergies: 'Nuts' },
    });
    expect(made.status).toBe(201);
    expect(await answersOf(made.body.booking_ref)).toEqual([
      {
        code: 'certificate',
        label: 'Diving certificate',
        value: 'open',
        value_label: 'Open Water',
        traveller: 0,
      },
      {
        code: 'certificate',
        label: 'Diving certificate',
        value: 'advanced',
        value_label: 'Advanced Open Water',
        traveller: 1,
      },
      { code: 'weight', label: 'The weight', value: 61.5, traveller: 0 },
      { code: 'weight', label: 'The weight', value: 80, traveller: 1 },
      { code: 'weight', label: 'The weight', value: null, traveller: 2 },
      { code: 'allergies', label: 'The allergies', value: 'Nuts', traveller: null },
    ]);
  });

  it('a booking keeps the questions of its tour as they were when it was made, in the language asked', async () => {
    const dive = await givenDive(DIVE, {
      translations: { de: { questions: { weight: { label: 'Gewicht' } } } },
    });
    const asked = await book(dive, { lang: 'de' });
    const silent = await givenDive(null);
    const earlier = await book(silent);
    await api
      .db('tours')
      .where({ id: dive.tour.id })
      .update({ questions: JSON.stringify([ALLERGIES]) });
    await api
      .db('tours')
      .where({ id: silent.tour.id })
      .update({ questions: JSON.stringify([ALLERGIES]) });
    const labels = (await answersOf(asked.body.booking_ref)).map(({ label }: { label: string }) => label);
    expect(labels).toEqual(['Diving certificate', 'Gewicht', 'The allergies']);
    expect(await answersOf(earlier.body.booking_ref)).toEqual([]);
    const changed = await website.patch(pathOf(asked.body.booking_ref), {
      answers: { allergies: 'None' },
      lang: 'en',
    });
    expect(changed.body.answers.map(({ label }: { label: string }) => label)).toEqual(labels);
  });

  it('an unknown code, a wrong value and a missing answer that is due are 400 on their fields', async () => {
    const dive = await givenDive([...DIVE, AGREED]);
    const wrong = await book(dive, {
      adults: 2,
      travellers: [
        { ...DIVERS[0], answers: { certificate: 'master', weight: '61' } },
        { ...DIVERS[1], answers: { weight: 200, allergies: 'Nuts', size: 'L' } },
      ],
      answers: { allergies: 'x'.repeat(21), weight: 70, size: 'L' },
    });
    expectInvalidFields(wrong, [
      'answers.allergies',
      'answers.weight',
      'answers.size',
      'travellers.0.answers.certificate',
      'travellers.0.answers.weight',
      'travellers.1.answers.weight',
      'travellers.1.answers.allergies',
      'travellers.1.answers.size',
      'answers.agreed',
    ]);
    expectInvalidFields(await book(dive, { answers: { agreed: 'yes' } }), ['answers.agreed']);
    expectInvalidFields(await book(dive, { answers: { agreed: ['yes'] } }), ['answers.agreed']);
    expectInvalidFields(await book(dive, { answers: { agreed: true }, lang: '_' }), ['lang']);
    expect((await book(dive, { answers: { agreed: false } })).status).toBe(201);
  });

  it('a wrong answer and a wrong pickup are refused together, also in a change', async () => {
    const dive = await givenDive();
    const pickup = { required: true, until: 'booking', elsewhere: false, points: [] };
    await api
      .db('tours')
      .where({ id: dive.tour.id })
      .update({ pickup: JSON.stringify(pickup) });
    const wrong = { answers: { allergies: 7 }, pickup: { point: 'nowhere' } };
    const fields = ['answers.allergies', 'pickup.point'];
    expectInvalidFields(await book(dive, wrong), fields);
    expectInvalidFields(await book(dive, { answers: wrong.answers }), ['answers.allergies', 'pickup']);
    const late = { ...pickup, until: 'confirm' };
    await api
      .db('tours')
      .where({ id: dive.tour.id })
      .update({ pickup: JSON.stringify(late) });
    const made = await book(dive);
    expectInvalidFields(await website.patch(pathOf(made.body.booking_ref), wrong), fields);
  });

  it('a missing answer of a person who is not named is 400 on the next place in the list', async () => {
    const dive = await givenDive([{ ...WEIGHT, until: 'booking' }]);
    expectInvalidFields(await book(dive, { adults: 2 }), [
      'travellers.0.answers.weight',
      'travellers.1.answers.weight',
    ]);
    const children = [{ category: 'child', first_name: 'Rui', last_name: 'Lima', answers: {} }];
    expectInvalidFields(await book(dive, { adults: 1, children: 1, travellers: children }), [
      'travellers.1.answers.weight',
      'travellers.0.answers.weight',
    ]);
  });

  it('a question whose code is a name of every object is asked like any other', async () => {
    const dive = await givenDive([
      { ...AGREED, code: 'constructor' },
      { ...WEIGHT, code: 'toString', until: 'booking' },
    ]);
    const missing = ['answers.constructor', 'travellers.0.answers.toString'];
    expectInvalidFields(
      await book(dive, { answers: {}, travellers: [{ ...DIVERS[0], answers: {} }] }),
      missing,
    );
    const travellers = [{ ...DIVERS[0], answers: { toString: 70 } }];
    expect((await book(dive, { answers: { constructor: true }, travellers })).status).toBe(201);
  });

  it('a change of the categories of the tour changes neither the questions nor the answers of a booking', async () => {
    const dive = await givenDive();
    const made = await book(dive, { adults: 2, travellers: DIVERS });
    const before = await answersOf(made.body.booking_ref);
    const categories = [{ code: 'diver', kind: 'adult', seats: 1, people: 1 }];
    await api
      .db('tours')
      .where({ id: dive.tour.id })
      .update({ categories: JSON.stringify(categories), questions: JSON.stringify([ALLERGIES]) });
    expect(await answersOf(made.body.booking_ref)).toEqual(before);
    const path = pathOf(made.body.booking_ref);
    const changed = await website.patch(path, {
      travellers: [DIVERS[1], DIVERS[0]],
      answers: { allergies: 'Nuts' },
    });
    expect(valuesOf(changed.body.answers)).toEqual([
      ['certificate', 0, 'advanced'],
      ['certificate', 1, 'open'],
      ['weight', 0, 80],
      ['weight', 1, 61.5],
      ['allergies', null, 'Nuts'],
    ]);
  });

  it('a tour that asks nothing refuses answers, and judges them after the departure', async () => {
    const silent = await givenDive(null);
    expectInvalidFields(await book(silent, { answers: { weight: 70 } }), ['answers.weight']);
    const gone = { ...silent, date: daysFromToday(300) };
    expectProblem(await book(gone, { answers: { weight: 70 } }), 409, 'departure_gone');
  });

  it('the answers of a booking have at most 32 KiB together', async () => {
    const questions = Array.from({ length: 20 }, (_, n) =>
      ask({ code: `q${n}`, type: 'text', per: 'traveller' }),
    );
    const dive = await givenDive(questions);
    const travellers = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...DIVERS[0],
        last_name: `L${n}`,
        answers: Object.fromEntries(questions.map(({ code }) => [code, 'x'.repeat(1_000)])),
      }));
    expect((await book(dive, { adults: 50, travellers: travellers(1) })).status).toBe(201);
    const two = travellers(2);
    two[1]!.answers.q7 = 'ü'.repeat(1_000);
    expectInvalidFields(await book(dive, { adults: 50, travellers: two }), ['travellers.1.answers.q7']);
    expectProblem(await book(dive, { adults: 50, travellers: travellers(50) }), 413, 'body_too_large');
  });

  it('the same request with its answers in another order is the same request, and another answer is another one', async () => {
    const dive = await givenDive();
    const key = { 'idempotency-key': 'dive-1' };
    const body = { travellers: [DIVERS[0]], answers: { allergies: ' Nuts ' }, lang: 'pt-BR' };
    const first = await book(dive, body, key);
    const { answers, ...named } = DIVERS[0]!;
    const again = { ...named, answers: { weight: answers.weight, certificate: answers.certificate } };
    const same = { lang: 'pt-br', answers: { allergies: 'Nuts' }, travellers: [again] };
    expectReplay(await book(dive, same, key), first);
    const other = await book(dive, { ...same, answers: { allergies: 'Milk' } }, key);
    expectProblem(other, 422, 'idempotency_key_reused');
  });

  it('a booking without a date answers the questions of its tour', async () => {
    const { tour } = await givenDive();
    const made = await website.book({
      tour_id: tour.id,
      travellers: [DIVERS[0]],
      answers: { allergies: 'Nuts' },
    });
    expect(valuesOf(await answersOf(made.body.booking_ref))).toEqual([
      ['certificate', 0, 'open'],
      ['weight', 0, 61.5],
      ['allergies', null, 'Nuts'],
    ]);
  });

  it('a booking by hold is asked what its tour asks when it is made', async () => {
    const dive = await givenDive(null);
    const held = await website.hold(dive.tour, { departure_date: dive.date, quantity: 1 });
    await api
      .db('tours')
      .where({ id: dive.tour.id })
      .update({ questions: JSON.stringify([AGREED]) });
    const body = { hold_id: held.body.hold_id };
    expectInvalidFields(await book(dive, body), ['answers.agreed']);
    expect((await book(dive, { ...body, answers: { agreed: true } })).status).toBe(201);
  });
});

describe('a change of answers', () => {
  it('a change replaces the answers that it names, and null clears one', async () => {
    const dive = await givenDive([...DIVE, AGREED]);
    const made = await book(dive, {
      adults: 2,
      travellers: DIVERS,
      answers: { allergies: 'Nuts', agreed: true },
    });
    const path = pathOf(made.body.booking_ref);
    const cleared = await website.patch(path, { answers: { allergies: null } });
    expect(valuesOf(cleared.body.answers).slice(-2)).toEqual([
      ['allergies', null, null],
      ['agreed', null, true],
    ]);
    expectInvalidFields(await website.patch(path, { answers: { agreed: null } }), ['answers.agreed']);
    expectInvalidFields(await website.patch(path, { answers: { size: 'L' } }), ['answers.size']);
    expectInvalidFields(await website.patch(path, { lang: 'de' }), ['body']);
  });

  it('a change of the language alone names nothing to change', async () => {
    const made = await book(await givenDive(), {});
    expectInvalidFields(await website.patch(pathOf(made.body.booking_ref), { lang: 'de' }), ['body']);
  });

  it('a list of travellers replaces their answers, and a traveller who leaves takes the own ones', async () => {
    const dive = await givenDive();
    const made = await book(dive, { adults: 2, travellers: DIVERS, answers: { allergies: 'Nuts' } });
    const path = pathOf(made.body.booking_ref);
    const left = await website.patch(path, { adults: 1, travellers: [DIVERS[1]] });
    expect(valuesOf(left.body.answers)).toEqual([
      ['certificate', 0, 'advanced'],
      ['weight', 0, 80],
      ['allergies', null, 'Nuts'],
    ]);
    const grown = await website.patch(path, { adults: 2, children: 1 });
    expect(valuesOf(grown.body.answers)).toEqual([
      ['certificate', 0, 'advanced'],
      ['certificate', 1, null],
      ['weight', 0, 80],
      ['weight', 1, null],
      ['weight', 2, null],
      ['allergies', null, 'Nuts'],
    ]);
    const renamed = await website.patch(path, { travellers: null });
    expect(
      renamed.body.answers.every(({ value }: { value: unknown }) => value === null || value === 'Nuts'),
    ).toBe(true);
  });

  it('a key that may not read bookings sees only the answers that it has sent', async () => {
    const dive = await givenDive();
    const made = await book(dive, { travellers: [DIVERS[0]], answers: { allergies: 'Nuts' } });
    const authorization = `Bearer ${await givenKey(api.db, website.tenant, ['booking:manage'])}`;
    const path = pathOf(made.body.booking_ref);
    const changed = await website.patch(path, { answers: { allergies: 'Milk' } }, { authorization });
    expect(valuesOf(changed.body.answers)).toEqual([
      ['certificate', 0, null],
      ['weight', 0, null],
      ['allergies', null, 'Milk'],
    ]);
    const confirmed = await website.post(`${path}/confirm`, undefined, { authorization });
    expect(confirmed.body.answers.map(({ value }: { value: unknown }) => value)).toEqual([null, null, null]);
  });
});

describe('the confirmation of a booking', () => {
  it('is refused while a required answer is missing, and accepted despite that if it says so', async () => {
    const dive = await givenDive();
    const made = await book(dive, { adults: 2, travellers: [DIVERS[0]] });
    const path = pathOf(made.body.booking_ref);
    const refused = await website.post(`${path}/confirm`);
    expectProblem(refused, 409, 'answers_missing');
    expect(refused.body.missing).toEqual([
      { code: 'certificate', traveller: 1 },
      { code: 'weight', traveller: 1 },
    ]);
    expectProblem(
      await website.post(`${path}/confirm`, { despite_missing_answers: false }),
      409,
      'answers_missing',
    );
    const confirmed = await website.post(`${path}/confirm`, { despite_missing_answers: true });
    expect(confirmed.body.status).toBe('confirmed');
    expect((await website.post(`${path}/confirm`)).status).toBe(200);
  });

  it('follows once the answers are there', async () => {
    const dive = await givenDive();
    const made = await book(dive);
    const path = pathOf(made.body.booking_ref);
    expectProblem(await website.post(`${path}/confirm`), 409, 'answers_missing');
    await website.patch(path, { travellers: [DIVERS[0]] });
    expect((await website.post(`${path}/confirm`)).body.status).toBe('confirmed');
  });
});
