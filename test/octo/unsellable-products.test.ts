import { useTestApi } from '../support/api';
import { givenVisibilityRule } from '../support/given';
import { CUSTOMER, endPaymentWindow, givenSeats, useWebsite } from '../support/website';
import { holdIdOf } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const reseller = useWebsite(api);

/** Reserves one seat of a new tour. */
async function givenReservation() {
  const seats = await givenSeats(api.db);
  const { id: productId } = seats.tour;
  const answer = await reseller.post('/octo/bookings', {
    productId,
    optionId: 'DEFAULT',
    availabilityId: seats.departureId,
    unitItems: [{ unitId: 'adult' }],
    expirationMinutes: 5,
  });
  const { uuid } = expectOcto(answer, 'booking') as { uuid: string };
  const setDeparture = (columns: object) =>
    api.db('departures').where({ id: seats.departureId }).update(columns);
  return { ...seats, productId, uuid, at: `/octo/bookings/${uuid}`, setDeparture };
}

describe('a reservation that cannot be confirmed any more', () => {
  it.each<[string, object]>([
    ['cancelled', { status: 'cancelled' }],
    ['closed', { closes_at: '2020-01-01T00:00:00Z' }],
    ['past', { departure_date: '2020-01-01' }],
  ])(
    'OCTO extends no reservation of a %s departure, neither by extend nor by PATCH',
    async (_state, columns) => {
      const { at, setDeparture } = await givenReservation();
      await setDeparture(columns);
      const longer = { expirationMinutes: 30 };
      for (const answer of [await reseller.post(`${at}/extend`, longer), await reseller.patch(at, longer)])
        expectOctoError(answer, 400, 'UNPROCESSABLE_ENTITY');
    },
  );

  it('OCTO extends no reservation of a product that the tenant does not see', async () => {
    const { at, tour, productId } = await givenReservation();
    await givenVisibilityRule(api.db, reseller, tour, false);
    const longer = { expirationMinutes: 30 };
    for (const answer of [await reseller.post(`${at}/extend`, longer), await reseller.patch(at, longer)])
      expectOctoError(answer, 400, 'INVALID_PRODUCT_ID', { productId });
  });

  it('OCTO confirms no expired booking of a product that the tenant does not see', async () => {
    const { at, tour, productId, uuid } = await givenReservation();
    const lead = await reseller.book({ ...CUSTOMER, tour_id: productId, hold_id: await holdIdOf(api, uuid) });
    expect(lead.status).toBe(201);
    await endPaymentWindow(api.db, lead.body.booking_ref);
    await givenVisibilityRule(api.db, reseller, tour, false);
    expectOctoError(await reseller.post(`${at}/confirm`, {}), 400, 'INVALID_PRODUCT_ID', { productId });
    await api.db('visibility_tour_rules').where({ tour_id: productId }).delete();
    expect(expectOcto(await reseller.post(`${at}/confirm`, {}), 'booking')).toMatchObject({
      status: 'CONFIRMED',
    });
  });
});
