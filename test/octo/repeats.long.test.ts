import { randomUUID } from 'node:crypto';
import type { Scope } from '../../services/api/credentials/credential';
import { useTestApi } from '../support/api';
import { givenDeparture, givenKey, givenTour } from '../support/given';
import { adults, reservationOf, useConformance } from './conformance-api';
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

/** Bodies with the same UUID that are not the same reservation. */
const OTHER_BODIES: [string, () => object][] = [
  ['another product', () => ({ productId: tours.openingHours.id })],
  ['a product that does not exist', () => ({ productId: 'none' })],
  ['another availability', () => ({ availabilityId: tours.startTime.open[1]!.id })],
  ['other units', () => ({ unitItems: adults(2) })],
  ['more notes', () => ({ notes: 'Two bicycles' })],
  ['another currency', () => ({ currency: 'USD' })],
  ['no currency', () => ({ currency: null })],
  ['other minutes', () => ({ expirationMinutes: 7 })],
  ['another reference', () => ({ resellerReference: 'R-82' })],
];

describe('a reservation whose UUID has a booking', () => {
  it.each(OTHER_BODIES)('OCTO refuses a repeat with %s, also once it is confirmed', async (_what, other) => {
    const uuid = randomUUID();
    const body = bodyFor({ uuid, currency: 'EUR' });
    const refused = async () => {
      const answer = await reseller.post('/octo/bookings', { ...body, ...other() });
      expectOctoError(answer, 400, 'INVALID_BOOKING_UUID', { uuid });
    };
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    await refused();
    expectOcto(await reseller.post(`/octo/bookings/${uuid}/confirm`, {}), 'booking');
    await refused();
    expect(expectOcto(await reseller.post('/octo/bookings', body), 'booking').status).toBe('CONFIRMED');
  });

  it('OCTO answers a repeat with the booking on the product to which it moved', async () => {
    const uuid = randomUUID();
    const body = bodyFor({ uuid });
    expectOcto(await reseller.post('/octo/bookings', body), 'booking');
    const { id: productId, open } = tours.openingHours;
    const move = { productId, availabilityId: open[0]!.id };
    expectOcto(await reseller.patch(`/octo/bookings/${uuid}`, move), 'booking');
    expect(expectOcto(await reseller.post('/octo/bookings', body), 'booking')).toMatchObject(move);
  });

  it.each<[Scope[], boolean]>([
    [['booking:create'], false],
    [['booking:create', 'catalog:read'], false],
    [['booking:create', 'booking:read'], true],
    [['booking:create', 'booking:manage'], false],
  ])('a repeat with the scopes %j shows the people of a confirmed booking: %s', async (scopes, shows) => {
    const uuid = randomUUID();
    const body = bodyFor({ uuid, notes: 'Two bicycles' });
    const key = await givenKey(api.db, reseller.tenant, scopes);
    const repeat = async () => {
      const answer = await api.http
        .post('/octo/bookings')
        .set({ authorization: `Bearer ${key}` })
        .send(body);
      return expectOcto(answer, 'booking');
    };
    const placed = await repeat();
    expect(placed.contact.fullName).toBe(CONTACT.fullName);
    expect(await repeat()).toEqual(placed);
    expectOcto(await reseller.post(`/octo/bookings/${uuid}/confirm`, {}), 'booking');
    const cancel = { reason: 'Ana is ill.' };
    const cancelled = expectOcto(await reseller.post(`/octo/bookings/${uuid}/cancel`, cancel), 'booking');
    const shown = await repeat();
    const { supplierReference, status, cancellation } = cancelled;
    const contact = shows ? CONTACT : { fullName: null, phoneNumber: null };
    expect(shown).toMatchObject({
      uuid,
      supplierReference,
      status,
      contact,
      unitItems: [{ contact }],
      notes: shows ? 'Two bicycles' : null,
      cancellation: { ...cancellation, reason: shows ? cancel.reason : null },
    });
    expect(JSON.stringify(shown).includes('Zoë')).toBe(shows);
  });
});

describe('a stored answer of OCTO', () => {
  it('a reservation and a move get their stored answers again after their product is archived', async () => {
    const tour = await givenTour(api.db);
    await givenDeparture(api.db, tour);
    const [id] = await api.db('departures').where({ tour_id: tour.id }).pluck('id');
    const place = { productId: tour.id, availabilityId: id };
    const key = { 'idempotency-key': randomUUID() };
    const reserve = () => reseller.post('/octo/bookings', { ...bodyFor(), ...place }, key);
    const reserved = await reserve();
    const { uuid } = expectOcto(await reseller.post('/octo/bookings', bodyFor()), 'booking');
    const move = () => reseller.patch(`/octo/bookings/${uuid}`, place, key);
    const moved = await move();
    await api.db('tours').where({ id: tour.id }).update({ status: 'archived' });
    for (const [first, again] of [
      [reserved, await reserve()],
      [moved, await move()],
    ]) {
      expectOcto(first!, 'booking');
      expect([again!.headers['idempotent-replayed'], again!.text]).toEqual(['true', first!.text]);
    }
    const other = await reseller.post('/octo/bookings', bodyFor({ notes: 'x' }), key);
    expectOctoError(other, 400, 'BAD_REQUEST');
  });
});
