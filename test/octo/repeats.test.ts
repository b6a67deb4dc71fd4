import { createHash, randomUUID } from 'node:crypto';
import { useTestApi } from '../support/api';
import { reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const CONTACT = { fullName: 'Zoë Lima', phoneNumber: '030 901820' };

const bodyFor = (more: object = {}) =>
  reservationOf(tours.startTime, {
    unitItems: [{ unitId: 'adult', contact: CONTACT }],
    contact: CONTACT,
    ...more,
  });

const setCountry = (country: string) =>
  api.db('tenants').where({ id: reseller.tenant.id }).update({ country });

const SPELLINGS: [string, object][] = [
  ['the name in NFD', { contact: { ...CONTACT, fullName: 'Zoë Lima '.normalize('NFD') } }],
  ['an unknown field', { somethingElse: 1 }],
  ['the country code of the phone number', { contact: { ...CONTACT, phoneNumber: '+49 30 901820' } }],
  ['a contact whose unknown fields are null or empty', { contact: { ...CONTACT, country: null, notes: '' } }],
  [
    'a unit with another spelling',
    {
      unitItems: [
        { unitId: 'adult', contact: { fullName: ' Zoë Lima', phoneNumber: '+4930901820', firstName: null } },
      ],
    },
  ],
  ['notes and a duration that are null', { notes: null, resellerReference: '', expirationMinutes: null }],
];

describe('a reservation that is repeated', () => {
  it.each(SPELLINGS)(
    'OCTO recognises a repeated reservation by its UUID despite %s',
    async (_spelling, change) => {
      const uuid = randomUUID();
      const first = expectOcto(await reseller.post('/octo/bookings', bodyFor({ uuid })), 'booking');
      const again = await reseller.post('/octo/bookings', bodyFor({ uuid, ...change }));
      expect(expectOcto(again, 'booking')).toEqual(first);
    },
  );

  it.each(SPELLINGS)(
    'OCTO recognises a repeated reservation by its Idempotency-Key despite %s',
    async (_spelling, change) => {
      const key = { 'idempotency-key': randomUUID() };
      const first = await reseller.post('/octo/bookings', bodyFor(), key);
      const again = await reseller.post('/octo/bookings', bodyFor(change), key);
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers['idempotent-replayed']).toBe('true');
    },
  );

  it('OCTO recognises a repeated reservation by its UUID after the tenant moved to another country', async () => {
    const uuid = randomUUID();
    const body = bodyFor({ uuid });
    const { country } = reseller.tenant;
    await setCountry('DE');
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    await setCountry('AT');
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const austrian = { ...body, contact: { ...CONTACT, phoneNumber: '+43 30 901820' } };
    const refused = await reseller.post('/octo/bookings', austrian);
    await setCountry(country);
    expectOctoError(refused, 400, 'INVALID_BOOKING_UUID', { uuid });
  });

  it('OCTO recognises the repeat of a reservation that the previous release stored', async () => {
    const uuid = randomUUID();
    const { open } = tours.startTime;
    const body = bodyFor({ uuid, unitItems: [{ unitId: 'adult' }] });
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const unitItem = { contact: {}, resellerReference: null, unitId: 'adult', uuid: null };
    const sent = {
      contact: CONTACT,
      departure: open[0]!.id,
      externalRef: null,
      notes: null,
      unitItems: [unitItem],
      uuid,
    };
    const request_digest = createHash('sha256').update(JSON.stringify(sent)).digest();
    await api.db('octo_bookings').where({ uuid }).update({ request_digest });
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const other = await reseller.post('/octo/bookings', { ...body, notes: 'x' });
    expectOctoError(other, 400, 'INVALID_BOOKING_UUID', { uuid });
  });
});

describe('a change of a booking that is repeated with its Idempotency-Key', () => {
  it.each<[string, object, object, object]>([
    [
      'PATCH',
      { contact: CONTACT },
      { contact: { ...CONTACT, phoneNumber: '+4930901820' }, optionId: 'DEFAULT' },
      { contact: { ...CONTACT, fullName: null } },
    ],
    ['extend', {}, { expirationMinutes: null }, { expirationMinutes: 5 }],
    [
      'confirm',
      { contact: CONTACT },
      { contact: { ...CONTACT, phoneNumber: '0049 30 901820' }, notes: null, unknown: 1 },
      { contact: { ...CONTACT, fullName: 'Ana' } },
    ],
    ['cancel', {}, { reason: '' }, { reason: 'x' }],
  ])(
    '%s recognises a repeat with its Idempotency-Key in another spelling',
    async (call, body, spelling, other) => {
      const { uuid } = expectOcto(await reseller.post('/octo/bookings', bodyFor()), 'booking');
      const key = { 'idempotency-key': randomUUID() };
      const send = (sent: object) =>
        call === 'PATCH'
          ? reseller.patch(`/octo/bookings/${uuid}`, sent, key)
          : reseller.post(`/octo/bookings/${uuid}/${call}`, sent, key);
      const first = await send(body);
      expectOcto(first, 'booking');
      const again = await send({ ...body, ...spelling });
      expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
      expectOctoError(await send({ ...body, ...other }), 400, 'BAD_REQUEST');
    },
  );
});
