import type { Trx } from '../../services/platform/database/database';
import { useTestApi } from '../support/api';
import { givenDeparture, givenTour, type GivenTour } from '../support/given';
import { answerAfter } from '../support/lock-wait';
import type { Seats } from '../support/website';
import { adults, reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const at = (uuid: string, call = '') => `/octo/bookings/${uuid}${call}`;
const read = async (uuid: string) => expectOcto(await reseller.get(at(uuid)), 'booking');

/** Reserves seats on the first open date of the tour with a start time. This tour allows nine units a booking. */
async function reserve(count: number): Promise<string> {
  const body = reservationOf(tours.startTime, { unitItems: adults(count) });
  return expectOcto(await reseller.post('/octo/bookings', body), 'booking').uuid;
}

/** Returns the departure on the first open date. A change of the booking locks this departure. */
function reserved(): Seats {
  return { tour: tours.startTime, date: tours.startTime.open[0]!.date };
}

let small: GivenTour;
let smallIds: string[];

beforeAll(async () => {
  small = await givenTour(api.db);
  await api.db('tours').where({ id: small.id }).update({ group_size_max: 2 });
  for (const { date } of tours.startTime.open)
    await givenDeparture(api.db, small, { date, seats: 50, prices: { adult: 4800 } });
  smallIds = await api.db('departures').where({ tour_id: small.id }).orderBy('departure_date').pluck('id');
});

/** Moves the hold of a booking to another departure, as a request does that has the departure's lock. */
const moveTo = (uuid: string, departureId: string) => (trx: Trx) =>
  trx('seat_holds')
    .whereIn('id', trx('octo_bookings').where({ uuid }).select('hold_id'))
    .update({ departure_id: departureId });

describe('the most units of a product', () => {
  it('OCTO refuses a move to a product that allows fewer units than the booking has', async () => {
    const uuid = await reserve(3);
    const before = await read(uuid);
    const target = { productId: small.id, availabilityId: smallIds[0] };
    expectOctoError(await reseller.patch(at(uuid), target), 400, 'UNPROCESSABLE_ENTITY');
    expect(await read(uuid)).toEqual(before);
    const moved = await reseller.patch(at(uuid), { ...target, unitItems: adults(2) });
    expect(expectOcto(moved, 'booking')).toMatchObject({ productId: small.id, unitItems: adults(2) });
  });

  it('OCTO accepts a move that names no units if the new product allows the units of the booking', async () => {
    const uuid = await reserve(2);
    const moved = await reseller.patch(at(uuid), { productId: small.id, availabilityId: smallIds[0] });
    expect(expectOcto(moved, 'booking')).toMatchObject({ productId: small.id, unitItems: adults(2) });
  });

  it.each([
    ['PATCH', (uuid: string) => reseller.patch(at(uuid), { unitItems: adults(3) })],
    ['a confirmation', (uuid: string) => reseller.post(at(uuid, '/confirm'), { unitItems: adults(3) })],
  ])(
    '%s obeys the unit limit of the product to which another request moved the booking',
    async (_call, ask) => {
      const uuid = await reserve(1);
      const answer = await answerAfter(api.db, reserved(), () => ask(uuid), moveTo(uuid, smallIds[0]!));
      expectOctoError(answer, 400, 'UNPROCESSABLE_ENTITY');
      expect(await read(uuid)).toMatchObject({
        productId: small.id,
        unitItems: adults(1),
        status: 'ON_HOLD',
      });
    },
  );
});

it('a change that names only the product keeps the date to which another request has moved the booking', async () => {
  const uuid = await reserve(1);
  const ask = () => reseller.patch(at(uuid), { productId: small.id });
  const answer = await answerAfter(api.db, reserved(), ask, moveTo(uuid, tours.startTime.open[1]!.id));
  expect(expectOcto(answer, 'booking')).toMatchObject({ productId: small.id, availabilityId: smallIds[1] });
});

describe('the currency of a request', () => {
  it("PATCH and confirm refuse another currency than the booking's, and name the booking", async () => {
    const uuid = await reserve(1);
    const contact = { fullName: 'Ana Lima' };
    const change = async (currency: string) => reseller.patch(at(uuid), { contact, currency });
    const confirm = async (currency: string) => reseller.post(at(uuid, '/confirm'), { contact, currency });
    const expectRefused = async () => {
      for (const ask of [change, confirm]) {
        const refused = await ask('USD');
        expectOctoError(refused, 400, 'BAD_REQUEST');
        expect(refused.body.errorMessage).toBe('currency must be EUR, the currency of the booking.');
      }
    };
    await expectRefused();
    expect(await read(uuid)).toMatchObject({ status: 'ON_HOLD', contact: { fullName: null } });
    for (const ask of [change, confirm])
      expect(expectOcto(await ask('EUR'), 'booking').contact).toMatchObject(contact);
    await expectRefused();
  });

  it("a reservation and a move to another product refuse another currency than the product's", async () => {
    const reservation = reservationOf(tours.startTime, { currency: 'USD' });
    const uuid = await reserve(1);
    const move = { productId: small.id, availabilityId: smallIds[0], currency: 'USD' };
    for (const refused of [
      await reseller.post('/octo/bookings', reservation),
      await reseller.patch(at(uuid), move),
    ]) {
      expectOctoError(refused, 400, 'BAD_REQUEST');
      expect(refused.body.errorMessage).toBe('currency must be EUR, the currency of the product.');
    }
  });
});
