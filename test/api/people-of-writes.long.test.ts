import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { rotateCredential } from '../../services/api/credentials/manage-credentials';
import { inTransaction } from '../../services/platform/database/database';
import type { Scope } from '../../services/api/credentials/credential';
import { useTestApi } from '../support/api';
import { givenKey, PEPPER } from '../support/given';
import { givenSeats, givenWebsite, type PlacedSeats, type Website } from '../support/website';

/** The answer of a write shows a person's data only to a key that may read them, or that has sent them. */
const api = useTestApi();

const WRITES_ONLY: Scope[] = ['catalog:read', 'booking:create', 'booking:manage'];
const MARK = 'Lindqvist';
const PERSON = { name: `Ana ${MARK}`, phone: '+49 30 901820 evenings', email: `ana@${MARK}.example` };
const CONTACT = { fullName: `Ana ${MARK}`, emailAddress: `ana@${MARK}.example`, phoneNumber: '+4930901820' };
const TRAVELLERS = [{ category: 'adult', first_name: 'Leo', last_name: MARK, note: MARK }];
const PERSONAL = { ...PERSON, notes: `Call ${MARK}`, travellers: TRAVELLERS };
const NO_CUSTOMER = { name: null, phone: null, email: null };

interface Shop extends PlacedSeats {
  /** Sends all personal data. It may not read bookings. */
  sender: Website;
  /** Another key of the tenant, with the same scopes. */
  other: Send;
  /** A key of the tenant that may read bookings too. */
  reader: Send;
}

type Send = (
  method: 'post' | 'patch' | 'delete',
  path: string,
  body?: object,
  key?: string,
) => Promise<Response>;

function sendAs(token: string): Send {
  return async (method, path, body, key) =>
    api.http[method](path)
      .set({ authorization: `Bearer ${token}`, ...(key && { 'idempotency-key': key }) })
      .send(body);
}

async function givenShop(): Promise<Shop> {
  const sender = await givenWebsite(api, {}, WRITES_ONLY);
  const other = sendAs(await givenKey(api.db, sender.tenant, WRITES_ONLY));
  const reader = sendAs(await givenKey(api.db, sender.tenant, [...WRITES_ONLY, 'booking:read']));
  return { ...(await givenSeats(api.db)), sender, other, reader };
}

async function givenBooking({ sender, tour, date }: Shop): Promise<string> {
  const { body } = await sender.book({ ...PERSONAL, tour_id: tour.id, departure_date: date, adults: 2 });
  return `/api/tenant/bookings/${body.booking_ref}`;
}

async function givenReservation({ sender, tour, departureId }: Shop): Promise<string> {
  const uuid = randomUUID();
  const body = {
    uuid,
    productId: tour.id,
    optionId: 'DEFAULT',
    availabilityId: departureId,
    unitItems: [{ unitId: 'adult', contact: CONTACT }],
    contact: CONTACT,
    notes: MARK,
  };
  await sender.post('/octo/bookings', body);
  return `/octo/bookings/${uuid}`;
}

/** The writes whose answer has personal data: the method, the path below the booking, the body, and what comes before. */
const WRITES: Record<
  string,
  { of: (shop: Shop) => Promise<string>; before?: string; call: [Parameters<Send>[0], string, object?] }
> = {
  'PATCH of a booking': { of: givenBooking, call: ['patch', '', PERSONAL] },
  'cancel of a booking': { of: givenBooking, call: ['post', '/cancel', { reason: `${MARK} is ill` }] },
  'OCTO confirm': { of: givenReservation, call: ['post', '/confirm', { contact: CONTACT }] },
  'OCTO PATCH': {
    of: givenReservation,
    before: '/confirm',
    call: [
      'patch',
      '',
      { contact: CONTACT, notes: MARK, unitItems: [{ unitId: 'adult', contact: CONTACT }] },
    ],
  },
  'OCTO cancel': { of: givenReservation, before: '/confirm', call: ['post', '/cancel', { reason: MARK }] },
  'OCTO DELETE': { of: givenReservation, before: '/confirm', call: ['delete', '', { reason: MARK }] },
};

/** Returns the paths of an answer whose values differ from those of another answer, with the values. */
function differencesOf(before: unknown, after: unknown, path = ''): [string, unknown][] {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return before === after ? [] : [[path, after]];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) =>
    differencesOf(
      (before as Record<string, unknown>)[key],
      (after as Record<string, unknown>)[key],
      path ? `${path}.${key}` : key,
    ),
  );
}

describe('the replay of an answer with personal data', () => {
  it.each(Object.entries(WRITES))(
    '%s: its key and its successor get the same bytes, another key without booking:read has null for each person',
    async (_, { of, before, call: [method, below, body] }) => {
      const shop = await givenShop();
      const path = await of(shop);
      const sender = sendAs(shop.sender.key);
      if (before) await sender('post', path + before, {});
      const send = (as: Send) => as(method, path + below, body, 'k1');
      const first = await send(sender);
      expect([first.status, first.text.includes(MARK)]).toEqual([200, true]);
      const keyId = shop.sender.key.split('_')[2]!;
      const { token } = await inTransaction(api.db, (trx) =>
        rotateCredential(trx, PEPPER, 'api_key', keyId, { graceSeconds: 3600 }),
      );
      for (const as of [sender, sendAs(token), shop.reader]) expect((await send(as)).text).toBe(first.text);
      const masked = await send(shop.other);
      expect([masked.status, masked.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(masked.text).not.toContain(MARK);
      const differences = differencesOf(first.body, masked.body);
      expect(differences.length).toBeGreaterThan(0);
      expect(differences.filter(([, value]) => value !== null)).toEqual([]);
      expect(Object.keys(masked.body)).toEqual(Object.keys(first.body));
      expect((await send(sender)).text).toBe(first.text);
    },
  );

  it('an answer that an earlier release has stored is without people for a key that may not read bookings', async () => {
    const shop = await givenShop();
    const path = await givenBooking(shop);
    const sender = sendAs(shop.sender.key);
    await sender('patch', path, PERSONAL, 'k1');
    await api.db('idempotency_keys').where({ tenant_id: shop.sender.tenant.id }).update({ key_family: null });
    expect((await sender('patch', path, PERSONAL, 'k1')).text).not.toContain(MARK);
    expect((await shop.reader('patch', path, PERSONAL, 'k1')).text).toContain(MARK);
  });
});

describe('the first answer of a write of a booking whose person another key has sent', () => {
  it('PATCH has the fields that the request sends, and null for the others', async () => {
    const shop = await givenShop();
    const path = await givenBooking(shop);
    const answer = async (body: object) => (await shop.other('patch', path, body)).body;
    const nothing = { customer: NO_CUSTOMER, notes: null, travellers: null };
    expect(await answer({ external_ref: 'R-1' })).toMatchObject({ ...nothing, external_ref: 'R-1' });
    expect(await answer({ name: 'Bo Berg', phone: '030 123456' })).toMatchObject({
      ...nothing,
      customer: { name: 'Bo Berg', phone: '+4930123456', email: null },
    });
    expect(await answer({ notes: 'By train' })).toMatchObject({ ...nothing, notes: 'By train' });
    const read = (await shop.reader('patch', path, { external_ref: 'R-2' })).body;
    expect(read).toMatchObject({ customer: { name: 'Bo Berg', email: PERSON.email }, notes: 'By train' });
  });

  it('a second cancellation has no reason of the first one, for a key that may not read it', async () => {
    const shop = await givenShop();
    const path = await givenBooking(shop);
    const cancel = async (as: Send, reason: string) =>
      (await as('post', `${path}/cancel`, { reason })).body.cancel_reason;
    expect(await cancel(sendAs(shop.sender.key), `${MARK} is ill`)).toBe(`${MARK} is ill`);
    expect(await cancel(shop.other, `${MARK} is ill`)).toBeNull();
    expect(await cancel(shop.reader, 'Rain')).toBe(`${MARK} is ill`);
  });

  it('an adjustment has its amount, and its reason only for a key that may read bookings', async () => {
    const shop = await givenShop();
    const path = await givenBooking(shop);
    await api
      .db('booking_leads')
      .where({ booking_ref: path.split('/').at(-1) })
      .update({
        adjustment_minor: -500,
        adjustment_reason: `${MARK} is a widow`,
        total_minor: api.db.raw('total_minor - 500'),
      });
    const adjustmentFor = async (as: Send, method: 'patch' | 'post', below: string) =>
      (await as(method, path + below, method === 'patch' ? { external_ref: 'R-1' } : {})).body.adjustment;
    for (const [method, below] of [
      ['patch', ''],
      ['post', '/confirm'],
      ['post', '/cancel'],
    ] as const) {
      expect(await adjustmentFor(shop.other, method, below)).toEqual({ amount: -5, reason: null });
      expect(await adjustmentFor(shop.reader, method, below)).toEqual({
        amount: -5,
        reason: `${MARK} is a widow`,
      });
    }
  });

  it('a repeated confirmation of OCTO has no person, and the one that confirms the reservation has all', async () => {
    const shop = await givenShop();
    const path = await givenReservation(shop);
    const confirm = async (as: Send) => (await as('post', `${path}/confirm`, { contact: CONTACT })).body;
    const confirmed = await confirm(shop.other);
    expect(confirmed).toMatchObject({ contact: CONTACT, unitItems: [{ contact: CONTACT }], notes: MARK });
    const again = await confirm(shop.other);
    expect(JSON.stringify(again)).not.toContain(MARK);
    const differences = differencesOf(confirmed, again);
    expect(differences.filter(([, value]) => value !== null)).toEqual([]);
    expect(await confirm(shop.reader)).toEqual(confirmed);
  });

  it('a change of OCTO has the contacts that it sends, and null for the others', async () => {
    const shop = await givenShop();
    const path = await givenReservation(shop);
    await sendAs(shop.sender.key)('post', `${path}/confirm`, {});
    const { body } = await shop.other('patch', path, {
      contact: { firstName: 'Bo' },
      resellerReference: 'R-1',
    });
    expect(body).toMatchObject({
      resellerReference: 'R-1',
      contact: { firstName: 'Bo', emailAddress: null, phoneNumber: null },
      notes: null,
      unitItems: [{ contact: { fullName: null, emailAddress: null } }],
    });
    expect(JSON.stringify(body)).not.toContain(MARK);
    const cancelled = await shop.other('post', `${path}/cancel`, { reason: 'Rain' });
    expect(cancelled.body.cancellation.reason).toBe('Rain');
    expect(cancelled.text).not.toContain(MARK);
  });

  it('a change of a reservation has all people, because each key that changes reservations may read them', async () => {
    const shop = await givenShop();
    const path = await givenReservation(shop);
    for (const [method, below, body] of [
      ['patch', '', { resellerReference: 'R-1' }],
      ['post', '/extend', { expirationMinutes: 30 }],
      ['post', '/cancel', {}],
    ] as const)
      expect((await shop.other(method, path + below, body)).body).toMatchObject({
        contact: CONTACT,
        notes: MARK,
      });
  });
});
