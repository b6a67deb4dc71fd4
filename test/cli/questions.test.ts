import { announceMissingAnswers } from '../../services/api/bookings/announce-missing-answers';
import { eraseAnswersAfterReturn } from '../../services/api/bookings/erase-late-answers';
import type { Question } from '../../services/api/questions/question';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture, givenTour } from '../support/given';
import { type Seats, useWebsite } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);

const WEIGHT: Question = {
  code: 'weight',
  label: 'Weight',
  type: 'number',
  per: 'traveller',
  required: true,
  until: 'confirm',
};
const ALLERGIES: Question = {
  code: 'allergies',
  label: 'Allergies',
  type: 'text',
  per: 'booking',
  required: false,
  until: 'confirm',
};
const VEGAN: Question = {
  code: 'vegan',
  label: 'Vegan',
  type: 'yes_no',
  per: 'booking',
  required: true,
  until: 'booking',
};

const tourctl = async (words: string[]) => (await terminal.tourctl([...words, '--json'])).json;

const MARK = 'Zyxwv nuts';
/** Only one booking has this answer. */
const ERASED = 'Qwert peanuts';
const PERSON = '--name Ana --phone +4930901820';

async function givenDive(questions: Question[] = [WEIGHT, ALLERGIES], days = 20): Promise<Seats> {
  const tour = await givenTour(api.db);
  await api
    .db('tours')
    .where({ id: tour.id })
    .update({ questions: JSON.stringify(questions) });
  return { tour, date: await givenDeparture(api.db, tour, { seats: 60, date: daysFromToday(days) }) };
}

const book = async ({ tour, date }: Seats, body: object = {}) =>
  (await site.book({ tour_id: tour.id, departure_date: date, ...body })).body.booking_ref as string;
const diver = (answers: object) => ({
  category: 'adult',
  first_name: 'Rui',
  last_name: 'Lima',
  note: MARK,
  answers,
});
const add1 = (seats: Seats, more: string) =>
  `booking add ${seats.tour.slug} ${seats.date} --tenant ${site.tenant.slug} --party adult=2 ${PERSON} ${more}`;

const eventsOf = async (ref: string) => {
  const rows = await api.db('webhook_events').where({ booking_ref: ref }).orderBy('id');
  return rows.map(({ body }) => JSON.parse(body));
};

describe('the answers at the desk', () => {
  it('booking add takes answers for the booking and for people without names, and show masks them unless revealed', async () => {
    const dive = await givenDive();
    const { booking_ref: ref } = await tourctl([
      ...add1(dive, '').trim().split(' '),
      '--answer',
      'allergies=nuts, milk',
      '--answer',
      '0.weight=61.5,1.weight=80',
    ]);
    const { answers } = await terminal.json(`booking show ${ref} --reveal`);
    expect(answers).toEqual([
      { code: 'weight', label: 'Weight', value: 61.5, traveller: 0 },
      { code: 'weight', label: 'Weight', value: 80, traveller: 1 },
      { code: 'allergies', label: 'Allergies', value: 'nuts, milk', traveller: null },
    ]);
    const masked = await terminal.json(`booking show ${ref}`);
    expect(masked.answers.map(({ value }: { value: unknown }) => value)).toEqual(['…', '…', '…']);
    const manifest = await terminal.json(`departure manifest ${dive.tour.slug} ${dive.date} --reveal`);
    expect(manifest.bookings[0].answers).toEqual(answers);
  });

  it('booking add refuses a missing answer that is due with the booking, and a paid booking that lacks one', async () => {
    const strict = await givenDive([VEGAN, WEIGHT]);
    expect(await terminal.refusal(add1(strict, ''))).toBe('1 validation_failed');
    const paid = add1(strict, '--answer vegan=no --confirm');
    expect(await terminal.refusal(paid)).toBe('1 answers_missing');
    expect(await terminal.json(`${paid} --despite-missing`)).toMatchObject({ status: 'confirmed' });
  });

  it('booking add names all wrong answers, and a wrong pickup, in one message', async () => {
    const dive = await givenDive([VEGAN, WEIGHT]);
    const line = add1(dive, '--answer vegan=perhaps --answer 7.weight=80 --pickup nowhere');
    expect((await terminal.tourctl(`${line} --json`)).error.message).toBe(
      'answers.vegan must be true or false; travellers.7.answers names no person: the party has 2; ' +
        'pickup must be left out: the tour fetches nobody',
    );
  });

  it('booking change --answer replaces and clears answers, and the audit row names them without their values', async () => {
    const dive = await givenDive();
    const ref = await book(dive, { answers: { allergies: 'None' } });
    await tourctl(['booking', 'change', ref, '--answer', `allergies=${MARK}`, '--answer', '0.weight=70']);
    const { answers } = await terminal.json(`booking show ${ref} --reveal`);
    expect(answers.map(({ value }: { value: unknown }) => value)).toEqual([70, MARK]);
    const audit = await api.db('audit_log').where({ action: 'booking.change' }).orderBy('id', 'desc').first();
    expect(audit.after).toMatchObject({ changed_personal_data: ['answers'] });
    expect(JSON.stringify(audit)).not.toContain(MARK);
    await tourctl(['booking', 'change', ref, '--answer', 'allergies=']);
    const cleared = await terminal.json(`booking show ${ref} --reveal`);
    expect(cleared.answers[1].value).toBeNull();
  });

  it('booking list --missing-answers lists the standing bookings that lack required answers', async () => {
    const dive = await givenDive();
    const lacking = await book(dive);
    const complete = await book(dive, { travellers: [diver({ weight: 70 })] });
    const cancelled = await book(dive);
    await site.post(`/api/tenant/bookings/${cancelled}/cancel`);
    const list = async () =>
      (await terminal.json(`booking list --tour ${dive.tour.slug} --missing-answers`)).items.map(
        ({ booking_ref }: { booking_ref: string }) => booking_ref,
      );
    expect(await list()).toEqual([lacking]);
    await terminal.json(`booking change ${complete} --adults 2`);
    expect(await list()).toEqual([complete, lacking]);
    expect(await terminal.refusal(`booking confirm ${lacking}`)).toBe('1 answers_missing');
    await terminal.json(`booking confirm ${lacking} --despite-missing`);
  });
});

describe('the event booking.answers_missing', () => {
  it('is sent once, three days before the start, for a standing booking that lacks an answer then', async () => {
    await add(api.db, site.tenant.id, 'https://acme.example/answers', ['booking.answers_missing']);
    const later = await book(await givenDive(undefined, 10));
    const soon = await givenDive(undefined, 2);
    const lacking = await book(soon, { travellers: [diver({})], answers: { allergies: MARK } });
    const complete = await book(soon, { travellers: [diver({ weight: 70 })] });
    await announceMissingAnswers(api.db);
    await announceMissingAnswers(api.db);
    const sent = (await eventsOf(lacking)).filter(
      ({ event_type: type }) => type === 'booking.answers_missing',
    );
    expect(sent).toMatchObject([{ booking_ref: lacking, missing: [{ code: 'weight', traveller: 0 }] }]);
    expect(Object.keys(sent[0]).slice(-2)).toEqual(['missing', 'updated_at']);
    for (const ref of [later, complete])
      expect((await eventsOf(ref)).map(({ event_type: type }) => type)).toEqual(['booking.created']);
    await site.patch(`/api/tenant/bookings/${complete}`, { adults: 2 });
    await announceMissingAnswers(api.db);
    expect((await eventsOf(complete)).map(({ event_type: type }) => type)).not.toContain(
      'booking.answers_missing',
    );
    expect(JSON.stringify(await api.db('webhook_events').pluck('body'))).not.toContain(MARK);
  });
});

describe('the erasure of answers', () => {
  it('an erasure of the customer erases the answers and the stored answers of requests', async () => {
    const dive = await givenDive();
    const body = { tour_id: dive.tour.id, departure_date: dive.date, answers: { allergies: ERASED } };
    const made = await site.book(body, { 'idempotency-key': 'erased-dive' });
    const ref = made.body.booking_ref;
    await site.post(
      `/api/tenant/bookings/${ref}/confirm`,
      { despite_missing_answers: true },
      { 'idempotency-key': 'erased-dive' },
    );
    await terminal.json(`booking anonymize ${ref} --yes --force`);
    const { body: read } = await site.get(`/api/tenant/bookings/${ref}`);
    expect(read.answers.map(({ value }: { value: unknown }) => value)).toEqual([null, null]);
    for (const table of [
      'booking_answers',
      'idempotency_keys',
      'booking_changes',
      'audit_log',
      'webhook_events',
    ])
      expect([table, JSON.stringify(await api.db(table)).includes(ERASED)]).toEqual([table, false]);
  });

  it('the answers and the notes of travellers are erased so many days after the return', async () => {
    const dive = await givenDive();
    const ref = await book(dive, { travellers: [diver({ weight: 70 })], answers: { allergies: MARK } });
    const read = async () => (await site.get(`/api/tenant/bookings/${ref}`)).body;
    const moved = async (days: number) => {
      const date = daysFromToday(-days);
      await api
        .db('departures')
        .where({ tour_id: dive.tour.id })
        .update({ departure_date: date, return_date: date });
      await api.db('booking_leads').where({ booking_ref: ref }).update({ departure_date: date });
      await eraseAnswersAfterReturn(api.db, 90);
    };
    await moved(89);
    expect((await read()).travellers[0].note).toBe(MARK);
    await moved(92);
    const { answers, travellers } = await read();
    expect(answers.map(({ value }: { value: unknown }) => value)).toEqual([null, null]);
    expect(travellers).toMatchObject([{ first_name: 'Rui', note: null }]);
  });
});
