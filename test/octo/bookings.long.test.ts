import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import type { OctoBooking } from '../../services/api/octo/booking.dto';
import { useTestApi } from '../support/api';
import { endHoldIn, endPaymentWindow, givenWebsite, seatsTaken, type Website } from '../support/website';
import { add } from '../webhook-queue/queue-fixture';
import { adults, type ConformanceProduct, holdIdOf, reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);
const PRICING = { 'octo-capabilities': 'octo/pricing' };
const ADULT = { unitId: 'adult' };
const CHILD = { unitId: 'child' };
const CONTACT = { fullName: 'Ana Lima', emailAddress: 'ana@example.com', phoneNumber: '030 901820' };

/** Returns the body of a reservation of two adults. */
const bodyFor = (product: ConformanceProduct, more: object = {}) =>
  reservationOf(product, { unitItems: adults(2), ...more });

async function reserve(more: object = {}, headers = {}, site: Website = reseller): Promise<OctoBooking> {
  const answer = await site.post('/octo/bookings', bodyFor(tours.startTime, more), headers);
  return expectOcto(answer, 'booking');
}

const at = (uuid: string, call = '') => `/octo/bookings/${uuid}${call}`;
const confirm = async (uuid: string, body: object = { contact: CONTACT }, headers = {}) =>
  expectOcto(await reseller.post(at(uuid, '/confirm'), body, headers), 'booking') as OctoBooking;
const read = async (uuid: string) => expectOcto(await reseller.get(at(uuid)), 'booking') as OctoBooking;
const list = async (query: string): Promise<string[]> =>
  (expectOcto(await reseller.get(`/octo/bookings?${query}`), 'bookings') as OctoBooking[]).map(
    ({ uuid }) => uuid,
  );

function expectRefused(answer: Response, error: string, id?: object): void {
  expectOctoError(answer, 400, error, id);
}

describe('POST /octo/bookings', () => {
  it('POST /octo/bookings holds the seats of a departure, with a voucher and without tickets', async () => {
    const { id, open } = tours.startTime;
    const seats = { tour: tours.startTime, date: open[0]!.date };
    const before = await seatsTaken(api.db, seats);
    const booking = await reserve({ notes: 'Two bicycles', resellerReference: 'R-1', contact: CONTACT });
    expect(booking).toMatchObject({
      id: booking.uuid,
      status: 'ON_HOLD',
      testMode: false,
      productId: id,
      optionId: 'DEFAULT',
      availabilityId: open[0]!.id,
      notes: 'Two bicycles',
      resellerReference: 'R-1',
      supplierReference: null,
      cancellable: true,
      cancellation: null,
      freesale: false,
      utcConfirmedAt: null,
      utcRedeemedAt: null,
      deliveryMethods: ['VOUCHER'],
      voucher: { redemptionMethod: 'MANIFEST', deliveryOptions: [] },
      contact: { ...CONTACT, firstName: null, locales: [], notes: null },
      product: { id, availabilityType: 'START_TIME' },
      availability: { id: open[0]!.id, allDay: false, openingHours: [] },
    });
    expect(booking.unitItems).toMatchObject([
      { ...ADULT, status: 'ON_HOLD', ticket: null, unit: { id: 'adult' } },
      { ...ADULT, status: 'ON_HOLD', ticket: null, unit: { id: 'adult' } },
    ]);
    expect(booking).not.toHaveProperty('pricing');
    expect(await seatsTaken(api.db, seats)).toBe(before + 2);
    expect(await read(booking.uuid)).toEqual(booking);
  });

  it('POST /octo/bookings shows the opening hours of a tour without a start time', async () => {
    const answer = await reseller.post('/octo/bookings', bodyFor(tours.openingHours));
    expect(expectOcto(answer, 'booking').availability).toMatchObject({
      allDay: true,
      openingHours: [{ from: '00:00', to: '23:59' }],
    });
  });

  it('POST /octo/bookings prices the booking and each of its units with octo/pricing', async () => {
    const booking = await reserve({ unitItems: [ADULT, CHILD] }, PRICING);
    const price = { currency: 'EUR', currencyPrecision: 2, includedTaxes: [] };
    expect(booking.pricing).toEqual({ ...price, original: 7200, retail: 7200, net: 7200 });
    expect(booking.unitItems.map(({ pricing }) => pricing)).toEqual([
      { ...price, original: 4800, retail: 4800, net: 4800 },
      { ...price, original: 2400, retail: 2400, net: 2400 },
    ]);
    expect(booking.option.units[1]).toMatchObject({ id: 'child', pricing: [{ retail: 2400 }] });
    expect(booking.option.units[1]).not.toHaveProperty('pricingFrom');
  });

  it('an OCTO booking keeps the net price of its hold when the departure gets another price', async () => {
    const site = await givenWebsite(api);
    const [tour] = await api.db('tours').where({ id: tours.startTime.id }).pluck('slug');
    await site.get(`/api/tenant/tours/${tour}`);
    await api.db('price_rules').insert({ tenant_id: site.tenant.id, kind: 'percent', percent: 10 });
    const { uuid } = await reserve({ unitItems: [ADULT, CHILD] }, PRICING, site);
    const departure = { id: tours.startTime.open[0]!.id };
    const cheap = JSON.stringify({ adult: 100, child: 50 });
    const [prices] = await api.db('departures').where(departure).pluck('prices_minor');
    await api.db('departures').where(departure).update({ prices_minor: cheap });
    const { body } = await site.get(at(uuid)).set(PRICING);
    await api
      .db('departures')
      .where(departure)
      .update({ prices_minor: JSON.stringify(prices) });
    expect(body.pricing).toMatchObject({ original: 7920, retail: 7920, net: 7200 });
  });

  it("POST /octo/bookings shortens a longer expiration to the tenant's maximum", async () => {
    for (const expirationMinutes of [100_000, 1_000_001, Number.MAX_SAFE_INTEGER]) {
      const { utcExpiresAt, utcCreatedAt } = await reserve({ expirationMinutes });
      expect(Date.parse(utcExpiresAt!) - Date.parse(utcCreatedAt)).toBe(60 * 60_000);
    }
  });

  it('POST /octo/bookings keeps the UUIDs, references and contacts of unit items as sent', async () => {
    const item = {
      uuid: randomUUID(),
      ...ADULT,
      resellerReference: 'T-1',
      contact: { firstName: 'Rui', country: 'PT', locales: ['pt'] },
    };
    const { unitItems } = await reserve({ unitItems: [item, CHILD] });
    expect(unitItems[0]).toMatchObject(item);
    expect(unitItems[1]!.contact).toMatchObject({ fullName: null, firstName: null });
  });

  it('POST /octo/bookings answers the present state to a repeat with the same UUID and an equal body', async () => {
    const uuid = randomUUID();
    const first = await reserve({ uuid, contact: CONTACT });
    await confirm(uuid);
    const { productId, availabilityId, ...rest } = bodyFor(tours.startTime, { contact: CONTACT });
    const again = await reseller.post('/octo/bookings', {
      ...rest,
      unknown: 1,
      availabilityId: availabilityId.toUpperCase(),
      productId,
      uuid: uuid.toUpperCase(),
    });
    const booking = expectOcto(again, 'booking');
    expect(booking).toMatchObject({ uuid, status: 'CONFIRMED', utcCreatedAt: first.utcCreatedAt });
    expect(booking.unitItems.map((item: { uuid: string }) => item.uuid)).toEqual(
      first.unitItems.map((item) => item.uuid),
    );
  });

  it('POST /octo/bookings refuses another body with a known UUID', async () => {
    const { uuid } = await reserve({ uuid: randomUUID() });
    for (const more of [{ unitItems: [ADULT] }, { notes: 'x' }, { expirationMinutes: 7 }])
      expectRefused(
        await reseller.post('/octo/bookings', bodyFor(tours.startTime, { uuid, ...more })),
        'INVALID_BOOKING_UUID',
        { uuid },
      );
  });

  it('POST /octo/bookings repeats the first answer to an Idempotency-Key', async () => {
    const uuid = randomUUID();
    const body = bodyFor(tours.startTime, { uuid });
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await reseller.post('/octo/bookings', body, key);
    await confirm(uuid);
    const again = await reseller.post('/octo/bookings', body, key);
    expect([again.headers['idempotent-replayed'], again.text]).toEqual(['true', first.text]);
  });

  it.each([
    ['an unknown product', { productId: 'none' }, 'INVALID_PRODUCT_ID', { productId: 'none' }],
    ['an unknown option', { optionId: 'VIP' }, 'INVALID_OPTION_ID', { optionId: 'VIP' }],
    ['an unknown unit', { unitItems: [{ unitId: 'dog' }] }, 'INVALID_UNIT_ID', { unitId: 'dog' }],
    [
      'an unknown availability',
      { availabilityId: 'no' },
      'INVALID_AVAILABILITY_ID',
      { availabilityId: 'no' },
    ],
    ['no unit items', { unitItems: [] }, 'UNPROCESSABLE_ENTITY', undefined],
    ['missing unit items', { unitItems: undefined }, 'UNPROCESSABLE_ENTITY', undefined],
    [
      'more units than the product allows',
      { unitItems: Array(10).fill(ADULT) },
      'UNPROCESSABLE_ENTITY',
      undefined,
    ],
    [
      'more units than any product allows',
      { unitItems: Array(51).fill(ADULT) },
      'UNPROCESSABLE_ENTITY',
      undefined,
    ],
    ['another currency', { currency: 'USD' }, 'BAD_REQUEST', undefined],
    ['a malformed UUID', { uuid: '7' }, 'BAD_REQUEST', undefined],
    ['a malformed e-mail address', { contact: { emailAddress: 'ana' } }, 'BAD_REQUEST', undefined],
    ['zero minutes', { expirationMinutes: 0 }, 'BAD_REQUEST', undefined],
    ['minutes below zero', { expirationMinutes: -1 }, 'BAD_REQUEST', undefined],
    ['half a minute', { expirationMinutes: 1.5 }, 'BAD_REQUEST', undefined],
  ])('POST /octo/bookings refuses a reservation with %s', async (_title, more, error, id) => {
    expectRefused(await reseller.post('/octo/bookings', bodyFor(tours.startTime, more)), error, id);
  });

  it('POST /octo/bookings refuses an availability of another product', async () => {
    const availabilityId = tours.openingHours.open[0]!.id;
    const answer = await reseller.post('/octo/bookings', bodyFor(tours.startTime, { availabilityId }));
    expectRefused(answer, 'INVALID_AVAILABILITY_ID', { availabilityId });
  });

  it('POST /octo/bookings refuses an availability that is sold out', async () => {
    const availabilityId = tours.startTime.soldOut.id;
    const answer = await reseller.post('/octo/bookings', bodyFor(tours.startTime, { availabilityId }));
    expectRefused(answer, 'UNPROCESSABLE_ENTITY');
  });

  it('POST /octo/bookings marks the bookings of a sandbox tenant as tests', async () => {
    const sandbox = await givenWebsite(api, { sandbox: true });
    const { uuid, testMode } = await reserve({}, {}, sandbox);
    const { body } = await sandbox.post(at(uuid, '/confirm'), { contact: CONTACT });
    expect([testMode, body.supplierReference]).toEqual([true, expect.stringMatching(/-TEST-\d+$/)]);
  });
});

describe('POST /octo/bookings/{uuid}/extend', () => {
  it('extending an OCTO booking moves the end of its hold', async () => {
    const { uuid, utcExpiresAt } = await reserve({ expirationMinutes: 5 });
    const answer = await reseller.post(at(uuid, '/extend'), { expirationMinutes: 31 });
    const { utcExpiresAt: end } = expectOcto(answer, 'booking');
    expect(Date.parse(end) - Date.parse(utcExpiresAt!)).toBeGreaterThan(25 * 60_000);
  });

  it('POST /octo/bookings/{uuid}/extend answers INVALID_BOOKING_UUID for an expired, a cancelled or a confirmed booking', async () => {
    const [expired, cancelled, confirmed] = [await reserve(), await reserve(), await reserve()];
    await endHoldIn(api.db, await holdIdOf(api, expired.uuid), -1);
    await reseller.post(at(cancelled.uuid, '/cancel'), {});
    await confirm(confirmed.uuid);
    for (const { uuid } of [expired, cancelled, confirmed])
      expectRefused(await reseller.post(at(uuid, '/extend'), {}), 'INVALID_BOOKING_UUID', { uuid });
  });
});

describe('POST /octo/bookings/{uuid}/confirm', () => {
  it('POST /octo/bookings/{uuid}/confirm makes and confirms the lead, and records both events in order', async () => {
    await add(api.db, reseller.tenant.id, 'https://acme.example/hook', [
      'booking.created',
      'booking.confirmed',
    ]);
    const { uuid } = await reserve({ notes: 'Late' });
    const booking = await confirm(uuid, { contact: CONTACT, resellerReference: 'R-81' });
    expect(booking).toMatchObject({
      uuid,
      status: 'CONFIRMED',
      resellerReference: 'R-81',
      notes: 'Late',
      utcExpiresAt: null,
      contact: CONTACT,
      utcConfirmedAt: expect.any(String),
      cancellation: null,
      voucher: { deliveryOptions: [{ deliveryFormat: 'QRCODE', deliveryValue: booking.supplierReference }] },
    });
    const { body } = await reseller.get(`/api/tenant/bookings/${booking.supplierReference}`);
    expect(body).toMatchObject({
      status: 'confirmed',
      source: 'octo',
      adults: 2,
      external_ref: 'R-81',
      notes: 'Late',
      customer: { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' },
    });
    const events = await api
      .db('webhook_events')
      .where({ booking_ref: booking.supplierReference })
      .orderBy('id');
    expect(events.map(({ type, body: event }) => [type, JSON.parse(event).source])).toEqual([
      ['booking.created', 'tenant_api'],
      ['booking.confirmed', 'tenant_api'],
    ]);
  });

  it('POST /octo/bookings/{uuid}/confirm confirms a booking without a body', async () => {
    const { uuid } = await reserve({ contact: CONTACT });
    const booking = expectOcto(await reseller.post(at(uuid, '/confirm')), 'booking');
    expect(booking).toMatchObject({ status: 'CONFIRMED', contact: CONTACT });
  });

  it('a second confirmation answers the confirmed booking unchanged', async () => {
    const { uuid } = await reserve();
    const first = await confirm(uuid);
    expect(await confirm(uuid, { contact: { fullName: 'Rui Lima' }, resellerReference: 'other' })).toEqual(
      first,
    );
  });

  it('POST /octo/bookings/{uuid}/confirm accepts other units than were held', async () => {
    const { uuid, unitItems } = await reserve();
    const kept = { uuid: unitItems[1]!.uuid, ...ADULT, contact: { firstName: 'Rui' } };
    const booking = await confirm(uuid, { contact: CONTACT, unitItems: [kept, CHILD, CHILD] });
    expect(booking.unitItems).toMatchObject([kept, CHILD, CHILD]);
    const read = await reseller.get(`/octo/bookings/${uuid}`);
    expect(booking.availability).toEqual(read.body.availability);
    const { body } = await reseller.get(`/api/tenant/bookings/${booking.supplierReference}`);
    expect(body).toMatchObject({ adults: 1, children: 2 });
  });

  it('POST /octo/bookings/{uuid}/confirm makes a lead without name, phone and email if OCTO sends none', async () => {
    const { uuid } = await reserve();
    const { supplierReference } = await confirm(uuid, {});
    const { body } = await reseller.get(`/api/tenant/bookings/${supplierReference}`);
    expect(body.customer).toEqual({ name: null, phone: null, email: null });
  });

  it('POST /octo/bookings/{uuid}/confirm refuses an ended hold, an unknown UUID and an unknown unit', async () => {
    const { uuid } = await reserve();
    const dog = await reseller.post(at(uuid, '/confirm'), {
      contact: CONTACT,
      unitItems: [{ unitId: 'dog' }],
    });
    expectRefused(dog, 'INVALID_UNIT_ID', { unitId: 'dog' });
    await endHoldIn(api.db, await holdIdOf(api, uuid), -1);
    for (const id of [uuid, randomUUID(), 'invalidUUID'])
      expectRefused(await reseller.post(at(id, '/confirm'), { contact: CONTACT }), 'INVALID_BOOKING_UUID', {
        uuid: id,
      });
  });

  it('POST /octo/bookings/{uuid}/confirm refuses a key that may create bookings but not manage them', async () => {
    const creator = await givenWebsite(api, {}, ['catalog:read', 'booking:create']);
    const { uuid } = await reserve({}, {}, creator);
    expectOctoError(await creator.post(at(uuid, '/confirm'), { contact: CONTACT }), 401, 'UNAUTHORIZED');
    expect((await creator.get(at(uuid))).body.status).toBe('ON_HOLD');
  });
});

describe('PATCH /octo/bookings/{uuid}', () => {
  const change = async (uuid: string, body: object) =>
    expectOcto(await reseller.patch(at(uuid), body), 'booking') as OctoBooking;

  it('PATCH /octo/bookings/{uuid} moves a hold to another product, another date and other units', async () => {
    const { uuid } = await reserve();
    const { id, open } = tours.openingHours;
    const target = { productId: id, optionId: 'DEFAULT', availabilityId: open[2]!.id };
    const moved = await change(uuid, { ...target, unitItems: [ADULT, CHILD, CHILD] });
    expect(moved).toMatchObject({ status: 'ON_HOLD', ...target, unitItems: [ADULT, CHILD, CHILD] });
    expect(await read(uuid)).toEqual(moved);
  });

  it('PATCH /octo/bookings/{uuid} changes single fields of the contact, the notes and the reference, and keeps all other fields', async () => {
    const { uuid, unitItems } = await reserve({ contact: CONTACT, resellerReference: 'R-1' });
    const booking = await change(uuid, {
      contact: { country: 'DE' },
      notes: 'Late',
      resellerReference: 'R-2',
    });
    expect(booking).toMatchObject({ contact: { ...CONTACT, country: 'DE' }, notes: 'Late', unitItems });
    expect(await list('resellerReference=R-2')).toEqual([uuid]);
    expect(await list('resellerReference=R-1')).not.toContain(uuid);
    expect((await change(uuid, { notes: null })).notes).toBeNull();
  });

  it('PATCH with expirationMinutes extends the hold', async () => {
    const { uuid, utcExpiresAt } = await reserve({ expirationMinutes: 5 });
    const changed = await change(uuid, { expirationMinutes: 30 });
    expect(Date.parse(changed.utcExpiresAt!)).toBeGreaterThan(Date.parse(utcExpiresAt!));
  });

  it('a new first and last name replace the full name', async () => {
    const { uuid } = await reserve({ contact: { fullName: 'Ana Lima', emailAddress: 'ana@example.com' } });
    const changed = await change(uuid, { contact: { firstName: 'Rui', lastName: 'Costa' } });
    expect(changed.contact).toMatchObject({
      fullName: null,
      firstName: 'Rui',
      lastName: 'Costa',
      emailAddress: 'ana@example.com',
    });
  });

  it('PATCH /octo/bookings/{uuid} changes the date, the units and the contact of a confirmed booking, but not its product', async () => {
    const { uuid } = await reserve();
    await confirm(uuid);
    const availabilityId = tours.startTime.open[1]!.id;
    const booking = await change(uuid, {
      availabilityId,
      unitItems: [ADULT],
      contact: { phoneNumber: null },
    });
    expect(booking).toMatchObject({ status: 'CONFIRMED', availabilityId, contact: { phoneNumber: null } });
    const { body } = await reseller.get(`/api/tenant/bookings/${booking.supplierReference}`);
    expect(body).toMatchObject({ adults: 1, departure_date: tours.startTime.open[1]!.date });
    expect(body.customer).toEqual({ name: 'Ana Lima', phone: null, email: 'ana@example.com' });
    const { id, open } = tours.openingHours;
    const answer = await reseller.patch(at(uuid), { productId: id, availabilityId: open[0]!.id });
    expectRefused(answer, 'UNPROCESSABLE_ENTITY');
  });

  it('PATCH /octo/bookings/{uuid} refuses a move to a sold-out departure', async () => {
    const { uuid } = await reserve();
    const soldOut = await reseller.patch(at(uuid), { availabilityId: tours.startTime.soldOut.id });
    expectRefused(soldOut, 'UNPROCESSABLE_ENTITY');
  });

  it('PATCH /octo/bookings/{uuid} refuses to change a cancelled booking', async () => {
    const { uuid } = await reserve();
    await reseller.post(at(uuid, '/cancel'), {});
    expectRefused(
      await reseller.patch(at(uuid), { notes: 'x', resellerReference: 'y' }),
      'UNPROCESSABLE_ENTITY',
    );
  });

  it('PATCH /octo/bookings/{uuid} answers 401 for a confirmed booking to a key that may only create bookings', async () => {
    const site = await givenWebsite(api, {}, ['catalog:read', 'booking:create', 'booking:manage']);
    const { uuid } = await reserve({}, {}, site);
    expectOcto(await site.post(at(uuid, '/confirm'), { contact: CONTACT }), 'booking');
    await api
      .db('api_keys')
      .where({ tenant_id: site.tenant.id })
      .update({ scopes: ['booking:create'] });
    for (const call of [site.patch(at(uuid), { notes: 'x' }), site.post(at(uuid, '/cancel'), {})])
      expectOctoError(await call, 401, 'UNAUTHORIZED');
    expectOctoError(await site.get(at(uuid)), 401, 'UNAUTHORIZED');
  });
});

describe('the cancellation', () => {
  it('OCTO cancels a hold, and a second cancellation keeps the first reason', async () => {
    const { uuid } = await reserve();
    const first = expectOcto(await reseller.post(at(uuid, '/cancel'), { reason: 'Rain' }), 'booking');
    expect(first).toMatchObject({ status: 'CANCELLED', utcExpiresAt: null, cancellable: false });
    expect(first.cancellation).toEqual({
      refund: 'NONE',
      reason: 'Rain',
      utcCancelledAt: expect.any(String),
    });
    const again = expectOcto(await reseller.post(at(uuid, '/cancel'), { reason: 'Snow' }), 'booking');
    expect(again).toEqual(first);
  });

  it.each<[string, (uuid: string) => PromiseLike<Response>]>([
    ['cancel', (uuid) => reseller.post(at(uuid, '/cancel'), { reason: 'Ill' })],
    ['DELETE', (uuid) => reseller.delete(at(uuid))],
  ])('%s cancels the lead of a confirmed booking', async (_call, cancel) => {
    const { uuid } = await reserve();
    const { supplierReference } = await confirm(uuid);
    const booking = expectOcto(await cancel(uuid), 'booking');
    expect(booking).toMatchObject({ status: 'CANCELLED', supplierReference });
    const { body } = await reseller.get(`/api/tenant/bookings/${supplierReference}`);
    expect(body.status).toBe('cancelled');
  });
});

describe('a booking that REST changes', () => {
  it('an OCTO booking whose hold REST books is PENDING, and EXPIRED after the payment window', async () => {
    const { uuid } = await reserve();
    const made = await reseller.book({
      tour_id: tours.startTime.id,
      hold_id: await holdIdOf(api, uuid),
      adults: 2,
    });
    const { supplierReference, contact, ...pending } = await read(uuid);
    expect([pending.status, supplierReference]).toEqual(['PENDING', made.body.booking_ref]);
    expect(contact).toMatchObject({ fullName: 'Ana Lima', phoneNumber: '+4930901820' });
    expect(pending.utcExpiresAt).toBe(made.body.payment_due_at);
    await endPaymentWindow(api.db, made.body.booking_ref);
    expect(await read(uuid)).toMatchObject({ status: 'EXPIRED', cancellation: { reason: null } });
  });

  it('an OCTO booking shows the units, the date and the customer that REST has set', async () => {
    const { uuid, unitItems } = await reserve({ unitItems: [ADULT], contact: CONTACT });
    const { supplierReference } = await confirm(uuid);
    const departure_date = tours.startTime.open[1]!.date;
    const change = { adults: 2, children: 1, departure_date, name: 'Rui Lima' };
    await reseller.patch(`/api/tenant/bookings/${supplierReference}`, change);
    const booking = await read(uuid);
    expect(booking).toMatchObject({
      availabilityId: tours.startTime.open[1]!.id,
      contact: { fullName: 'Rui Lima' },
      unitItems: [{ uuid: unitItems[0]!.uuid, ...ADULT }, ADULT, CHILD],
    });
    expect(await read(uuid)).toEqual(booking);
  });

  it('a booking can be read after its tour became invisible', async () => {
    const site = await givenWebsite(api);
    const { uuid } = await reserve({}, {}, site);
    await api.db('tours').where({ id: tours.startTime.id }).update({ status: 'archived' });
    const answer = await site.get(at(uuid));
    await api.db('tours').where({ id: tours.startTime.id }).update({ status: 'published' });
    expect(expectOcto(answer, 'booking')).toMatchObject({ uuid, status: 'ON_HOLD' });
  });
});

describe('GET /octo/bookings', () => {
  it('GET /octo/bookings finds bookings by reference and by date, newest first, and no hold of REST', async () => {
    const site = await givenWebsite(api);
    const { open, slug } = tours.startTime;
    const [one, two] = [await reserve({ resellerReference: 'A' }, {}, site), await reserve({}, {}, site)];
    const { body } = await site.post(at(two.uuid, '/confirm'), { contact: CONTACT, resellerReference: 'B' });
    await site.hold(slug, { departure_date: open[0]!.date, quantity: 1, external_ref: 'A' });
    const ask = async (query: string) =>
      expectOcto(await site.get(`/octo/bookings?${query}`), 'bookings').map((one: OctoBooking) => one.uuid);
    expect(await ask('resellerReference=A')).toEqual([one.uuid]);
    expect(await ask('resellerReference=B')).toEqual([two.uuid]);
    expect(await ask(`supplierReference=${body.supplierReference}`)).toEqual([two.uuid]);
    expect(await ask(`localDate=${open[0]!.date}`)).toEqual([two.uuid, one.uuid]);
    expect(await ask(`localDateStart=${open[0]!.date}&localDateEnd=${open[2]!.date}`)).toHaveLength(2);
    expect(await ask(`localDate=${open[1]!.date}`)).toEqual([]);
    expect(await ask(`localDate=${open[0]!.date}&resellerReference=A`)).toEqual([one.uuid]);
  });

  it.each([
    '',
    'localDate=today',
    'localDateStart=2027-01-01',
    'localDateStart=2027-01-01&localDateEnd=2028-01-02',
    'localDateStart=2027-01-02&localDateEnd=2027-01-01',
    'localDate=2027-01-01&localDateStart=2027-01-01&localDateEnd=2027-01-02',
  ])('GET /octo/bookings refuses the parameters "%s"', async (query) => {
    expectRefused(await reseller.get(`/octo/bookings?${query}`), 'BAD_REQUEST');
  });

  it('GET /octo/bookings lists only the bookings that the scopes of the key allow', async () => {
    const site = await givenWebsite(api);
    const [held, sold] = [await reserve({}, {}, site), await reserve({}, {}, site)];
    await site.post(at(sold.uuid, '/confirm'), { contact: CONTACT });
    const query = `/octo/bookings?localDate=${tours.startTime.open[0]!.date}`;
    const withScopes = async (...scopes: string[]) => {
      await api.db('api_keys').where({ tenant_id: site.tenant.id }).update({ scopes });
      return site.get(query);
    };
    const uuids = ({ body }: Response) => body.map(({ uuid }: OctoBooking) => uuid);
    expect(uuids(await withScopes('booking:create'))).toEqual([held.uuid]);
    expect(uuids(await withScopes('booking:read'))).toEqual([sold.uuid]);
    expectOctoError(await withScopes('catalog:read'), 401, 'UNAUTHORIZED');
  });

  it('GET /octo/bookings refuses an answer of more than 1,000 bookings', async () => {
    const site = await givenWebsite(api);
    const { uuid } = await reserve({ resellerReference: 'many' }, {}, site);
    const hold_id = await holdIdOf(api, uuid);
    await api.db.raw(
      `with copies as (
         insert into seat_holds (tenant_id, departure_id, party, seats, hold_minutes, status, expires_at, ended_at, prices_minor,
           currency, currency_digits, price_breakdown, external_ref)
         select tenant_id, departure_id, party, seats, hold_minutes, 'released', expires_at, now(), prices_minor, currency,
           currency_digits, price_breakdown, external_ref from seat_holds, generate_series(1, 1000) where id = :hold_id
         returning id, tenant_id)
       insert into octo_bookings (tenant_id, uuid, hold_id, contact, unit_items, updated_at)
       select tenant_id, gen_random_uuid(), id, '{}', '[]', now() from copies`,
      { hold_id },
    );
    expectRefused(await site.get('/octo/bookings?resellerReference=many'), 'BAD_REQUEST');
    const others = api.db('octo_bookings').where({ tenant_id: site.tenant.id }).whereNot({ uuid });
    const [last] = await others.limit(1).pluck('uuid');
    await api.db('octo_bookings').where({ tenant_id: site.tenant.id, uuid: last }).delete();
    const body = expectOcto(await site.get('/octo/bookings?resellerReference=many'), 'bookings');
    expect(body).toHaveLength(1000);
  });
});
