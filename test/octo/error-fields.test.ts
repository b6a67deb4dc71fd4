import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Response } from 'supertest';
import { OCTO_ISSUES } from '../../services/api/octo/octo.errors';
import { useTestApi } from '../support/api';
import { daysFromToday, givenDeparture } from '../support/given';
import { givenSeats, type PlacedSeats, type Website } from '../support/website';
import { holdIdOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller } = useConformance(api);

const ADULT = { unitId: 'adult' };
const CHILD = { unitId: 'child' };
const at = (uuid: string, call = '') => `/octo/bookings/${uuid}${call}`;
const departureOn = async ({ tour }: PlacedSeats, date: string): Promise<string> =>
  (await api.db('departures').where({ tour_id: tour.id, departure_date: date }).pluck('id'))[0];

/** Creates a tour with two dates. Only the first one has prices for children and single supplements. */
async function givenTwoDates(): Promise<{ first: PlacedSeats; second: string }> {
  const prices = { adult: 4800, child: 2400, single_supplement: 900 };
  const first = await givenSeats(api.db, { prices });
  const date = await givenDeparture(api.db, first.tour, { date: daysFromToday(40), prices: { adult: 4800 } });
  return { first, second: await departureOn(first, date) };
}

async function reserve(seats: PlacedSeats, unitItems: object[]): Promise<string> {
  return expectOcto(await reserveOn(seats, seats.departureId, unitItems), 'booking').uuid;
}

const reserveOn = ({ tour }: PlacedSeats, availabilityId: string, unitItems: object[]) =>
  reseller.post('/octo/bookings', { productId: tour.id, optionId: 'DEFAULT', availabilityId, unitItems });

/** Confirms a booking of two adults, and changes it by REST. @returns its UUID */
async function givenBookingChangedByRest(site: Website, seats: PlacedSeats, change: object): Promise<string> {
  const uuid = await reserve(seats, [ADULT, ADULT]);
  const { supplierReference } = expectOcto(await site.post(at(uuid, '/confirm'), {}), 'booking');
  expect((await site.patch(`/api/tenant/bookings/${supplierReference}`, change)).status).toBe(200);
  return uuid;
}

/** Requests of OCTO that a use case of REST refuses, and the messages. */
const REFUSED: [string, () => Promise<Response>, string][] = [
  [
    'an extension beyond two hours',
    async () => {
      const { first } = await givenTwoDates();
      const uuid = await reserve(first, [ADULT]);
      await api
        .db('seat_holds')
        .where({ id: await holdIdOf(api, uuid) })
        .update({ created_at: api.db.raw(`created_at - interval '100 minutes'`) });
      return reseller.post(at(uuid, '/extend'), { expirationMinutes: 60 });
    },
    'expirationMinutes must not keep the hold alive for more than 120 minutes.',
  ],
  [
    'a child on a date without a price for it',
    async () => {
      const { first, second } = await givenTwoDates();
      return reserveOn(first, second, [ADULT, CHILD]);
    },
    'The number of child must be 0: the category child has no price.',
  ],
  [
    'a move of a child to a date without a price for it',
    async () => {
      const { first, second } = await givenTwoDates();
      return reseller.patch(at(await reserve(first, [ADULT, CHILD])), { availabilityId: second });
    },
    'The number of child must be 0: the category child has no price.',
  ],
  [
    'a move of a single supplement to a date without a price for it',
    async () => {
      const { first, second } = await givenTwoDates();
      const uuid = await givenBookingChangedByRest(reseller, first, { single_supplements: 1 });
      return reseller.patch(at(uuid), { availabilityId: second });
    },
    'The number of single_supplement must be 0: the category single_supplement has no price.',
  ],
  [
    'fewer adults than single supplements',
    async () => {
      const { first } = await givenTwoDates();
      const uuid = await givenBookingChangedByRest(reseller, first, { single_supplements: 2 });
      return reseller.patch(at(uuid), { unitItems: [ADULT] });
    },
    'The number of single_supplement must be at most the number of adult: single_supplement may not exceed it.',
  ],
  [
    'fewer units than named travellers',
    async () => {
      const { first } = await givenTwoDates();
      const traveller = { category: 'adult', first_name: 'Ana', last_name: 'Lima' };
      const uuid = await givenBookingChangedByRest(reseller, first, { travellers: [traveller, traveller] });
      return reseller.patch(at(uuid), { unitItems: [ADULT] });
    },
    'unitItems must keep a unit for each traveller whom the booking names.',
  ],
];

describe('an error of OCTO that a use case of REST found', () => {
  it.each(REFUSED)('the refusal of %s names the field of OCTO', async (_what, ask, message) => {
    const refused = await ask();
    expectOctoError(refused, 400, 'BAD_REQUEST');
    expect(refused.body.errorMessage).toBe(message);
  });

  it.each([
    ['localDate', 'localDate=2031-02-30'],
    ['localDateStart', 'localDateStart=x&localDateEnd=2031-01-01'],
    ['localDateEnd', 'localDateStart=2031-01-01&localDateEnd=x'],
  ])('the list of bookings names the wrong parameter %s', async (name, query) => {
    const refused = await reseller.get(`/octo/bookings?${query}`);
    expectOctoError(refused, 400, 'BAD_REQUEST');
    expect(refused.body.errorMessage).toBe(`${name} must be a calendar date, YYYY-MM-DD.`);
  });

  it('each field of REST that a use case can name has the name of a field of OCTO', () => {
    const folders = ['seats', 'holds', 'bookings', 'departures', 'pricing', 'parties', 'catalog'];
    const named = folders.flatMap((folder) => fieldsNamedIn(`services/api/${folder}`));
    expect(named).toEqual(
      expect.arrayContaining(['hold_minutes', 'departure_time', 'children', 'travellers']),
    );
    // No request of OCTO names a refund, an adjustment, or a row of an import.
    expect(named.filter((field) => OCTO_ISSUES[field] === undefined)).toEqual([
      'created_at',
      '--adjust',
      'currency',
      'total',
      'deposit',
      'expected_refund',
    ]);
  });
});

/**
 * Returns the fields of a body that the errors in the folder name. Leaves out the readers of bodies of REST, which no request of OCTO
 * reaches.
 */
function fieldsNamedIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const useCases = files.filter((name) => name.endsWith('.ts') && !/\.(request|controller)\.ts$/.test(name));
  const texts = useCases.map((name) => readFileSync(path.join(folder, name), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/(?:InvalidInputError|super)\(\s*(?:place|'body'),\s*'([^']+)'/g)].map(
      ([, field]) => field!,
    ),
  );
}
