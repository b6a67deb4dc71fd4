import type { Response } from 'supertest';
import { useTestApi } from '../support/api';
import { daysFromToday } from '../support/given';
import { expectInvalidFields, expectProblem } from '../support/responses';
import { CUSTOMER, givenSeats, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);
let tour: string;
beforeAll(async () => {
  tour = (await givenSeats(api.db)).tour.slug;
});

const hold = (body: object) =>
  website.hold(tour, { departure_date: daysFromToday(30), quantity: 1, ...body });
const book = (body: object) => website.book({ tour_id: tour, ...body });

/** Returns the fields that a refusal names, in alphabetical order. */
function refusedFields(refusal: Response): string[] {
  expectProblem(refusal, 400, 'validation_failed');
  return refusal.body.errors.map(({ field }: { field: string }) => field).sort();
}

/** Sends the number with this spelling, which JSON.stringify would change. */
async function withNumber(path: string, body: object, field: string, number: string) {
  const text = JSON.stringify({ ...body, [field]: 0 }).replace(`"${field}":0`, `"${field}":${number}`);
  const headers = { authorization: website.authorization, 'content-type': 'application/json' };
  return api.http.post(path).set(headers).send(text);
}

const bookWith = (field: string, number: string) =>
  withNumber('/api/tenant/bookings', { tour_id: tour, ...CUSTOMER }, field, number);

describe('wrong values', () => {
  it('the API names all wrong values of a booking or a hold in one answer', async () => {
    const order = { departure_date: 'x', name: ' ', phone: '12', email: 'x', notes: '\0', external_ref: ' ' };
    expectInvalidFields(await book(order), [
      'departure_date',
      'name',
      'phone',
      'email',
      'external_ref',
      'notes',
    ]);
    const customer = { name: ' ', phone: '12', email: 'x' };
    expectInvalidFields(await hold({ departure_date: 'x', customer }), [
      'departure_date',
      'customer.name',
      'customer.phone',
      'customer.email',
    ]);
  });

  it('the API names missing, mistyped, out-of-range, unknown and forbidden values in one answer', async () => {
    const order = {
      adults: 0,
      payment_method: 'gold',
      expected_total: 'x',
      hold_id: 7,
      colour: 'red',
      departure_date: '2026-02-31',
      name: ' ',
      phone: '12',
      email: undefined,
      notes: '\0',
    };
    expect(refusedFields(await book(order))).toEqual([
      'adults',
      'colour',
      'departure_date',
      'email',
      'expected_total',
      'hold_id',
      'name',
      'notes',
      'payment_method',
      'phone',
    ]);

    const wanted = { quantity: 0, hold_minutes: 0, departure_date: 'x', external_ref: 5 };
    const held = await website.hold(tour, { ...wanted, customer: { name: 1, phone: '1', age: 4 } });
    expect(refusedFields(held)).toEqual([
      'customer.age',
      'customer.name',
      'customer.phone',
      'departure_date',
      'external_ref',
      'hold_minutes',
      'quantity',
    ]);
  });

  it.each([null, 5, 'text', [], [1], {}])(
    'a customer of %j does not hide the errors of the other fields',
    async (customer) => {
      const fields = refusedFields(await hold({ departure_date: 'x', quantity: 0, customer }));
      expect(fields).toEqual(expect.arrayContaining(['departure_date', 'quantity']));
      expect(new Set(fields).size).toBe(fields.length);
    },
  );
});

describe('a value that no column can store', () => {
  it.each([
    '2026-02-31',
    '2025-02-29',
    '0000-01-01',
    '2026-1-1',
    '2026-13-01',
    '2026-00-10',
    '20260101',
    '2026-W05-1',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '+002026-01-01',
    '२०२६-०१-०१',
    'tomorrow',
    '2026-01-01\u0000',
  ])('the API refuses %j as a date', async (departure_date) => {
    expectInvalidFields(await hold({ departure_date }), ['departure_date']);
    expectInvalidFields(await book({ departure_date }), ['departure_date']);
  });

  it.each(['0001-01-01', '9999-12-31', '2028-02-29'])(
    'the API accepts %s as a valid date, and answers that it has no departure',
    async (departure_date) => {
      expectProblem(await hold({ departure_date }), 409, 'departure_gone');
      expectProblem(await book({ departure_date }), 409, 'departure_gone');
    },
  );

  it.each(['1e400', '-1e400', '1e308', '99999999999999999999', '-0', '0.5', '1.0000000001'])(
    'the API refuses %s as a number of seats',
    async (number) => {
      const body = { departure_date: daysFromToday(30) };
      const held = await withNumber(`/api/gateway/tours/${tour}/hold`, body, 'quantity', number);
      expectInvalidFields(held, ['quantity']);
      expectInvalidFields(await bookWith('adults', number), ['adults']);
    },
  );

  it.each(['1e400', '-1e400'])('the API refuses %s as an expected total', async (number) => {
    expectInvalidFields(await bookWith('expected_total', number), ['expected_total']);
  });

  it('the API refuses texts and tour ids with a lone surrogate or a NUL', async () => {
    for (const text of ['\ud83d', 'a\udc00b', '\u0000']) {
      for (const field of ['name', 'notes', 'external_ref', 'email', 'phone', 'hold_id']) {
        expectInvalidFields(await book({ [field]: text }), [field]);
      }
      expectProblem(await book({ tour_id: text }), 404, 'tour_not_found');
    }
  });

  it('the API checks texts of 8,000 characters about as fast as short ones', async () => {
    const checkedIn = async (characters: number) => {
      const texts = ['a', 'a@', 'a.', '+', '1-', ' ', daysFromToday(0)].map((text) =>
        text.repeat(characters / text.length),
      );
      const begun = performance.now();
      for (const field of ['email', 'phone', 'departure_date', 'name', 'hold_id', 'external_ref']) {
        for (const text of [...texts, `${texts[2]}@`])
          expectInvalidFields(await book({ [field]: text }), [field]);
      }
      return performance.now() - begun;
    };
    // A machine with other work needs longer for both.
    const short = await checkedIn(600);
    expect(await checkedIn(8000)).toBeLessThan(3 * short + 1000);
  });
});
