import { randomUUID } from 'node:crypto';
import { useTestApi } from '../support/api';
import { EARLIER_PHONES, earlierFingerprint, storeEarlierFingerprint } from '../support/earlier-digests';
import { reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const setCountry = (country: string) =>
  api.db('tenants').where({ id: reseller.tenant.id }).update({ country });
beforeEach(() => setCountry('DE'));

/** A reservation with the phone number twice, and in a currency, which release 0.1.0 did not compare. */
const bodyFor = (phoneNumber: string, uuid?: string) =>
  reservationOf(tours.startTime, {
    uuid,
    contact: { fullName: 'Zoë Lima', phoneNumber },
    unitItems: [{ unitId: 'adult', contact: { phoneNumber } }],
    currency: 'EUR',
  });

const unitItemsWith = (phoneNumber: string) => [
  { uuid: null, unitId: 'adult', resellerReference: null, contact: { phoneNumber } },
];

/** Returns what release 0.1.0 compared of a reservation. @param phone as it read the number */
const reservationIn010 = (phone: string, uuid: string | null) => ({
  uuid,
  departure: tours.startTime.open[0]!.id,
  notes: null,
  externalRef: null,
  contact: { fullName: 'Zoë Lima', phoneNumber: phone },
  unitItems: unitItemsWith(phone),
});

describe.each(EARLIER_PHONES)('a write of OCTO with the phone number "$sent"', ({ sent, in010 }) => {
  it('a reservation that 0.1.0 has stored is recognised by its UUID, whatever the country of the tenant is now', async () => {
    const uuid = randomUUID();
    const first = expectOcto(await reseller.post('/octo/bookings', bodyFor(sent, uuid)), 'booking');
    const fingerprint = earlierFingerprint('DE', reservationIn010(in010, uuid));
    const stored = api.db('octo_bookings').where({ uuid }).update({ request_digest: fingerprint });
    expect(await stored).toBe(1);
    await setCountry('AT');
    const again = await reseller.post('/octo/bookings', bodyFor(sent, uuid));
    expect(expectOcto(again, 'booking')).toEqual(first);
    const other = await reseller.post('/octo/bookings', bodyFor('+49 30 111111', uuid));
    expectOctoError(other, 400, 'INVALID_BOOKING_UUID', { uuid });
  });

  it('a reservation, its change and its confirmation get the answers that 0.1.0 has stored', async () => {
    const contact = { phoneNumber: sent };
    const unitItems = [{ unitId: 'adult', contact }];
    const placed = await reseller.post('/octo/bookings', bodyFor(sent));
    const { uuid } = expectOcto(placed, 'booking');
    const body = { contact: { phoneNumber: in010 }, unitItems: unitItemsWith(in010) };
    const subject = { booking: uuid };
    const writes: [(key: string) => ReturnType<typeof reseller.post>, unknown][] = [
      [
        (key) => reseller.post('/octo/bookings', bodyFor(sent), { 'idempotency-key': key }),
        {
          subject: { uuid: null, departure: tours.startTime.open[0]!.id },
          body: reservationIn010(in010, null),
        },
      ],
      [
        (key) => reseller.patch(`/octo/bookings/${uuid}`, { contact, unitItems }, { 'idempotency-key': key }),
        { subject, body },
      ],
      [
        (key) =>
          reseller.post(
            `/octo/bookings/${uuid}/confirm`,
            { contact, unitItems, currency: 'EUR' },
            { 'idempotency-key': key },
          ),
        { subject, body: { ...body, currency: 'EUR' } },
      ],
    ];
    for (const [send, value] of writes) {
      const key = randomUUID();
      const first = await send(key);
      expectOcto(first, 'booking');
      await storeEarlierFingerprint(api, reseller, key, value);
      await setCountry('AT');
      const again = await send(key);
      expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
      await setCountry('DE');
    }
  });
});
