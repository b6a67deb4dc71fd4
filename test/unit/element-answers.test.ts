import { answerOf, questionsFor } from '../../clients/booking-element/src/answers';
import { COUNTRIES } from '../../clients/booking-element/src/countries';
import { findPoints, mapOf, timeBefore, timeOfPickup } from '../../clients/booking-element/src/pickup-choice';
import type { Booking, PickupPoint, Question, Tour } from '../../clients/booking-element/src/wire';
import { answerIssue } from '../../services/api/questions/given-answers';
import { isCountry } from '../../services/api/tenants/country';

function question(type: Question['type'], rest: Partial<Question> = {}): Question {
  return { code: 'asked', label: 'Asked', type, per: 'booking', required: true, until: 'booking', ...rest };
}

const BORN = question('date', { min: '1920-01-01', max: '2010-12-31' });
const WEIGHT = question('number', { min: 40, max: 120.5 });
const CARD = question('text', { min: 3, max: 5 });
const LEVEL = question('choice', { choices: [{ code: 'open', label: 'Open' }] });

describe('the answers of the element', () => {
  it.each([
    [WEIGHT, '40', 40],
    [WEIGHT, ' 120.5 ', 120.5],
    [WEIGHT, '72,5', 72.5],
    [WEIGHT, '٧٢٫٥', 72.5],
    [WEIGHT, '７２', 72],
    [WEIGHT, '۷۲', 72],
    [CARD, ' abc ', 'abc'],
    [CARD, '👍👍👍👍👍', '👍👍👍👍👍'],
    [question('text'), 'x'.repeat(1000), 'x'.repeat(1000)],
    [BORN, '1920-01-01', '1920-01-01'],
    [BORN, '2010-12-31', '2010-12-31'],
    [LEVEL, 'open', 'open'],
    [question('yes_no'), 'true', true],
    [question('yes_no'), 'false', false],
    [question('country'), 'DE', 'DE'],
  ] as [Question, string, string | number | boolean][])(
    'the answer to %j by the text %j is %j, which the platform accepts',
    (asked, text, value) => {
      expect(answerOf(asked, text)).toBe(value);
      expect(answerIssue(asked, value)).toBeUndefined();
    },
  );

  it.each([
    [WEIGHT, '39.9', 39.9],
    [WEIGHT, '120.6', 120.6],
    [CARD, 'ab', 'ab'],
    [CARD, 'abcdef', 'abcdef'],
    [question('text'), 'x'.repeat(1001), 'x'.repeat(1001)],
    [BORN, '1919-12-31', '1919-12-31'],
    [BORN, '2011-01-01', '2011-01-01'],
    [question('date'), '12027-01-01', '12027-01-01'],
    [LEVEL, 'closed', 'closed'],
    [question('country'), 'XX', 'XX'],
  ] as [Question, string, string | number][])(
    'the answer to %j is not the text %j, and the platform refuses it too',
    (asked, text, value) => {
      expect(answerOf(asked, text)).toBeUndefined();
      expect(answerIssue(asked, value)).toEqual(expect.any(String));
    },
  );

  it.each(['seventy', '1,200', '1.200', '1e2', '0x10', '7 2', '--7'])(
    'the text %j is no number, because it may mean another one',
    (text) => {
      expect(answerOf(question('number'), text)).toBeUndefined();
    },
  );

  it('the countries are those of the platform', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const all = letters.flatMap((first) => letters.map((second) => first + second));
    expect(COUNTRIES).toEqual(all.filter(isCountry));
  });

  it('a question is asked of the booking, or of the travellers of its categories', () => {
    const asked = [
      question('text', { code: 'diet' }),
      question('number', { code: 'weight', per: 'traveller' }),
      question('choice', { code: 'level', per: 'traveller', categories: ['adult'] }),
    ];
    const codes = (category?: string) => questionsFor(asked, category).map(({ code }) => code);
    expect(codes()).toEqual(['diet']);
    expect(codes('adult')).toEqual(['weight', 'level']);
    expect(codes('child')).toEqual(['weight']);
  });
});

const BERLIN = { time_zone: 'Europe/Berlin' } as Tour;
const point = (rest: Partial<PickupPoint>): PickupPoint => ({
  point: 'p',
  name: 'Café Süd',
  address: null,
  lat: null,
  lng: null,
  directions: null,
  google_place_id: null,
  minutes_before: 30,
  time: null,
  ...rest,
});

describe('the pickup of the element', () => {
  it.each([
    ['2027-05-01', '09:00', 30, '2027-05-01', '08:30'],
    ['2027-05-01', '00:20', 45, '2027-04-30', '23:35'],
    // The clocks go forward at 02:00 and back at 03:00.
    ['2027-03-28', '03:15', 30, '2027-03-28', '01:45'],
    ['2027-10-31', '03:15', 30, '2027-10-31', '02:45'],
    ['2027-10-31', '03:15', 120, '2027-10-31', '02:15'],
  ])('a start on %s at %s fetches %i minutes earlier on %s at %s', (date, time, minutes, day, at) => {
    const start = { departure_date: date, departure_time: time };
    expect(timeBefore(start, minutes, BERLIN)).toEqual({ departure_date: day, departure_time: at });
  });

  it('a departure without a time has no time of a pickup', () => {
    expect(timeBefore({ departure_date: '2027-05-01', departure_time: null }, 30, BERLIN)).toBeUndefined();
  });

  it('the time of a booked pickup is that of the clocks of the tour', () => {
    const booking = { pickup: { at: '2027-04-30T22:20:00.000Z' } } as unknown as Booking;
    const expected = { departure_date: '2027-05-01', departure_time: '00:20' };
    expect(timeOfPickup(booking, BERLIN)).toEqual(expected);
    expect(timeOfPickup({ pickup: null } as Booking, BERLIN)).toBeUndefined();
  });

  it('a search finds the points that have all its words, in any case and without accents', () => {
    const points = [point({}), point({ point: 'q', name: 'Station', address: 'Südplatz 1' })];
    const found = (text: string) => findPoints(points, text).map((one) => one.point);
    expect(found('')).toEqual(['p', 'q']);
    expect(found('sud')).toEqual(['p', 'q']);
    expect(found('CAFE sud')).toEqual(['p']);
    expect(found('station 1')).toEqual(['q']);
    expect(found('hotel')).toEqual([]);
  });

  it('a map shows the place of a point, else its address, and a point with neither has no map', () => {
    const base = 'https://www.google.com/maps/search/?api=1&query=';
    expect(mapOf(point({ lat: 0, lng: 13.5, address: 'x' }))).toBe(`${base}0%2C13.5`);
    expect(mapOf(point({ address: 'A & B 1' }))).toBe(`${base}Caf%C3%A9%20S%C3%BCd%2C%20A%20%26%20B%201`);
    expect(mapOf(point({}))).toBeUndefined();
  });
});
