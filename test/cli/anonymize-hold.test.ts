import { randomBytes, randomInt } from 'node:crypto';
import { eraseEndedHolds } from '../../services/api/holds/erase-ended-holds';
import { useTestApi } from '../support/api';
import { endHoldIn, givenSeats, type PlacedSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const RETENTION = { customerDays: 30, retentionDays: 400 };
let seats: PlacedSeats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 500 });
});

interface Person {
  name: string;
  phone: string;
  email: string;
}

/** Returns a person whom no other test uses. */
function somebody(): Person {
  const mark = randomBytes(4).toString('hex');
  return {
    name: `Xaver Quill${mark}`,
    phone: `+4930${randomInt(1e6, 9e6)}`,
    email: `x.${mark}@example.com`,
  };
}

const holdFor = async (customer: object, more: object = {}): Promise<string> =>
  (await site.hold(seats.tour, { departure_date: seats.date, quantity: 1, customer, ...more })).body.hold_id;
const bookFor = async (customer: object): Promise<string> =>
  (await site.book({ tour_id: seats.tour.slug, departure_date: seats.date, ...customer })).body.booking_ref;
const release = (id: string) => site.delete(`/api/gateway/holds/${id}`);
const rowOf = (id: string) => api.db('seat_holds').where({ id }).first();
const anonymize = (id: string) => terminal.json(`hold anonymize ${id} --yes`);
const search = async (...words: string[]) =>
  (await terminal.tourctl(['hold', 'list', '--search', ...words, '--json'])).json.items;

async function reserve(contact: object, more: object = {}) {
  const { body } = await site.post('/octo/bookings', {
    productId: seats.tour.id,
    optionId: 'DEFAULT',
    availabilityId: seats.departureId,
    unitItems: [{ unitId: 'adult', contact, resellerReference: 'T-1' }],
    contact,
    ...more,
  });
  return body;
}

async function holdOf(uuid: string): Promise<string> {
  return (await api.db('octo_bookings').where({ uuid }).first()).holdId;
}

/** Moves the end of a hold into the past. */
const endedDaysAgo = (id: string, days: number) =>
  api
    .db('seat_holds')
    .where({ id })
    .update({
      created_at: api.db.raw("created_at - ? * interval '1 day'", [days]),
      expires_at: api.db.raw("expires_at - ? * interval '1 day'", [days]),
    });

describe('tourctl hold list --search', () => {
  it('tourctl hold list --search finds released, expired and live holds by name, phone and e-mail, and masks the customer', async () => {
    const person = somebody();
    const live = await holdFor(person);
    const released = await holdFor(person);
    await release(released);
    const expired = await holdFor(person);
    await endHoldIn(api.db, expired, -1);
    await holdFor(somebody());
    for (const text of [person.name, person.phone.replace('+49', '0'), person.email]) {
      expect((await search(text)).map(({ id }: { id: string }) => id)).toEqual([expired, released, live]);
    }
    const [first] = await search(person.email);
    expect(first.customer.name).toMatch(/^X/);
    expect(JSON.stringify(first)).not.toContain(person.name);
  });
});

describe('tourctl hold anonymize', () => {
  it('tourctl hold anonymize erases the customer of a released hold, and names the rows of the same person', async () => {
    const person = somebody();
    const id = await holdFor(person, { external_ref: person.email });
    const other = await holdFor({ phone: person.phone });
    const ref = await bookFor({ ...person, name: 'X. Quill' });
    await bookFor({ ...somebody(), name: person.name });
    await release(id);
    const { json, code } = await terminal.tourctl(`hold anonymize ${id} --yes --json`);
    expect({ code, json }).toMatchObject({
      code: 0,
      json: { hold_id: id, references: [], others: { bookings: [ref], holds: [other] } },
    });
    expect(await rowOf(id)).toMatchObject({
      customerName: null,
      customerPhone: null,
      customerEmail: null,
      externalRef: null,
      anonymizedAt: expect.any(Date),
      status: 'released',
    });
    expect(await search(person.email)).toEqual([]);
    expect(await anonymize(id)).toMatchObject({ erased: { answers: 0 }, anonymized_at: json.anonymized_at });
  });

  it('tourctl booking anonymize names the holds and bookings with the same phone or e-mail', async () => {
    const person = somebody();
    const hold = await holdFor({ email: person.email.toUpperCase() });
    await release(hold);
    const [ref, other] = [await bookFor(person), await bookFor(person)];
    const { stdout } = await terminal.tourctl(`booking anonymize ${ref} --yes`);
    expect(stdout).toContain(`tourctl booking anonymize ${other}`);
    expect(stdout).toContain(`tourctl hold anonymize ${hold}`);
  });

  it('a hold that became a booking is refused, and the error names the booking', async () => {
    const id = await holdFor(somebody());
    const { body } = await site.book({ tour_id: seats.tour.slug, hold_id: id });
    const { code, error } = await terminal.tourctl(`hold anonymize ${id} --yes --json`);
    expect({ code, error }).toEqual({
      code: 1,
      error: { code: 'hold_state_conflict', message: expect.stringContaining(body.booking_ref) },
    });
  });

  it('an erased live hold keeps its seats, refuses a new customer with 409, and becomes a booking', async () => {
    const id = await holdFor(somebody());
    await anonymize(id);
    const path = `/api/gateway/holds/${id}`;
    const answers = [
      await site.patch(path, { customer: somebody() }),
      await site.patch(path, { external_ref: 'cart-81' }),
      await site.patch(path, { quantity: 2 }),
      await site.book({ tour_id: seats.tour.slug, hold_id: id, adults: 2 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 200, 201]);
  });

  it('an erased live hold of OCTO refuses new details, and its cancellation stores no reason', async () => {
    const { uuid } = await reserve({ fullName: somebody().name });
    await anonymize(await holdOf(uuid));
    const changed = await site.patch(`/octo/bookings/${uuid}`, { contact: { fullName: 'Ana Lima' } });
    const cancelled = await site.post(`/octo/bookings/${uuid}/cancel`, { reason: 'Ana Lima is ill' });
    expect([changed.status, cancelled.status]).toEqual([400, 200]);
    expect(cancelled.body).toMatchObject({ status: 'CANCELLED', cancellation: { reason: null } });
  });
});

describe('Holds that ended long ago', () => {
  it('an ended hold loses its customer after 30 days, and no other hold does', async () => {
    const person = somebody();
    const [old, young, live, booked] = [
      await holdFor(person, { external_ref: person.email }),
      await holdFor(person),
      await holdFor(person),
      await holdFor(person),
    ];
    for (const id of [old, young]) await release(id);
    await site.book({ tour_id: seats.tour.slug, hold_id: booked });
    await endedDaysAgo(old, 31);
    await endedDaysAgo(young, 29);
    await endedDaysAgo(booked, 31);
    expect(await eraseEndedHolds(api.db, RETENTION)).toEqual({ anonymized: 1, deleted: 0 });
    expect(await rowOf(old)).toMatchObject({
      customerName: null,
      customerPhone: null,
      customerEmail: null,
      externalRef: null,
    });
    for (const id of [young, live, booked])
      expect(await rowOf(id)).toMatchObject({ customerName: person.name });
    expect(await eraseEndedHolds(api.db, RETENTION)).toEqual({ anonymized: 0, deleted: 0 });
  });

  it('a cancelled reservation of OCTO loses its contacts, notes and reason after 30 days, and keeps its units', async () => {
    const person = somebody();
    const { uuid } = await reserve(
      { fullName: person.name, phoneNumber: person.phone },
      { notes: person.name },
    );
    await site.post(`/octo/bookings/${uuid}/cancel`, { reason: `${person.name} is ill` });
    await endedDaysAgo(await holdOf(uuid), 31);
    await eraseEndedHolds(api.db, RETENTION);
    const { body } = await site.get(`/octo/bookings/${uuid}`);
    expect(JSON.stringify(body)).not.toContain(person.name);
    expect(body).toMatchObject({ status: 'CANCELLED', unitItems: [{ resellerReference: 'T-1' }] });
  });

  it('an ended hold is deleted after 400 days with its history, unless a booking names it', async () => {
    const [old, booked] = [await holdFor(somebody()), await holdFor(somebody())];
    await site.patch(`/api/gateway/holds/${old}`, { quantity: 2 });
    await site.post(`/api/gateway/holds/${old}/extend`, { hold_minutes: 30 });
    await release(old);
    await site.book({ tour_id: seats.tour.slug, hold_id: booked });
    const { uuid } = await reserve({ fullName: somebody().name });
    await site.post(`/octo/bookings/${uuid}/cancel`, {});
    const octo = await holdOf(uuid);
    for (const id of [old, booked, octo]) await endedDaysAgo(id, 401);
    expect(await eraseEndedHolds(api.db, RETENTION)).toEqual({ anonymized: 0, deleted: 2 });
    expect([await rowOf(old), await rowOf(octo)]).toEqual([undefined, undefined]);
    expect(await rowOf(booked)).toBeDefined();
    expect((await site.get(`/api/gateway/holds/${old}`)).status).toBe(404);
  });
});
