import { randomUUID } from 'node:crypto';
import type { OctoBooking } from '../../services/api/octo/booking.dto';
import { useTestApi } from '../support/api';
import { holdIdOf, reservationOf, useConformance } from './conformance-api';
import { expectOcto } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const at = (uuid: string, call = '') => `/octo/bookings/${uuid}${call}`;

/** Lets a departure close in `minutes` minutes. @returns the instant */
async function closeIn(departureId: string, minutes: number): Promise<string> {
  const { rows } = await api.db.raw(
    `update departures set closes_at = date_trunc('milliseconds', clock_timestamp() + make_interval(mins => ?))
     where id = ? returning closes_at as at`,
    [minutes, departureId],
  );
  return rows[0].at.toISOString();
}

async function reserve(more: object = {}): Promise<OctoBooking> {
  const body = reservationOf(tours.startTime, { uuid: randomUUID(), ...more });
  return expectOcto(await reseller.post('/octo/bookings', body), 'booking');
}
const change = async (uuid: string, body: object): Promise<OctoBooking> =>
  expectOcto(await reseller.patch(at(uuid), body), 'booking');
const extend = async (uuid: string, expirationMinutes: number): Promise<OctoBooking> =>
  expectOcto(await reseller.post(at(uuid, '/extend'), { expirationMinutes }), 'booking');
const to = (n: number) => ({
  productId: tours.startTime.id,
  optionId: 'DEFAULT',
  availabilityId: tours.startTime.open[n]!.id,
});

describe('utcExpiresAt of a reservation whose availability closes soon', () => {
  it('a reservation and its extension end when the availability closes, at its utcCutoffAt', async () => {
    const closesAt = await closeIn(tours.startTime.open[0]!.id, 20);
    const { uuid, utcExpiresAt, availability } = await reserve({ expirationMinutes: 30 });
    expect(utcExpiresAt).toBe(closesAt);
    expect(closesAt.slice(0, 19)).toBe(availability.utcCutoffAt.slice(0, 19));
    expect((await extend(uuid, 60)).utcExpiresAt).toBe(closesAt);
    const { body } = await reseller.get(`/api/gateway/holds/${await holdIdOf(api, uuid)}`);
    expect([body.expires_at, body.hold_minutes]).toEqual([closesAt, 30]);
  });

  it('a change to another availability ends the reservation when that one closes, and expirationMinutes gains no more', async () => {
    const closesAt = await closeIn(tours.startTime.open[2]!.id, 10);
    const { uuid } = await reserve({ ...to(1), expirationMinutes: 30 });
    expect((await change(uuid, to(2))).utcExpiresAt).toBe(closesAt);
    expect((await change(uuid, { ...to(2), expirationMinutes: 45 })).utcExpiresAt).toBe(closesAt);
    const back = await change(uuid, { ...to(1), expirationMinutes: 45 });
    expect(Date.parse(back.utcExpiresAt!)).toBeGreaterThan(Date.parse(closesAt));
  });

  it('a change to another availability with expirationMinutes in one request ends when that one closes', async () => {
    const closesAt = await closeIn(tours.startTime.open[2]!.id, 10);
    const { uuid } = await reserve({ ...to(1), expirationMinutes: 5 });
    expect((await change(uuid, { ...to(2), expirationMinutes: 45 })).utcExpiresAt).toBe(closesAt);
  });
});
