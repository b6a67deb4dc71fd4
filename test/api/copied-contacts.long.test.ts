import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { useTerminalOf } from '../cli/terminal';
import { useTestApi } from '../support/api';
import { BIRTH_DATES, EMAILS, NAMES, PHONES } from '../support/contact-cases';
import { earlierFingerprint } from '../support/earlier-digests';
import { expectProblem, expectReplay } from '../support/responses';
import { givenSeats, type PlacedSeats, useWebsite } from '../support/website';

const api = useTestApi();
const terminal = useTerminalOf(api);
const website = useWebsite(api, { country: 'DE', bookingRpm: 100_000, holdRpm: 100_000 });
let seats: PlacedSeats;

beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 1000 });
});

/** Returns the fields that an answer refuses. Undefined: it is a success. */
const refused = ({ status, body }: Response): string[] | undefined =>
  status < 300 ? undefined : body.errors.map(({ field }: { field: string }) => field);

async function givenReference(): Promise<string> {
  return (await website.book({ tour_id: seats.tour.id })).body.booking_ref;
}

const customerOf = async (ref: string) => (await website.get(`/api/tenant/bookings/${ref}`)).body.customer;

async function contactOfHold(id: string): Promise<Record<string, string>> {
  const {
    customerName: name,
    customerPhone: phone,
    customerEmail: email,
  } = await api.db('seat_holds').where({ id }).first();
  return { name, phone, email };
}

/** Returns the hold of a reservation. */
async function holdOf(uuid: string): Promise<string> {
  const { holdId } = await api.db('octo_bookings').where({ uuid }).first('hold_id');
  return holdId;
}

describe('a contact that was copied from an address book', () => {
  const CONTACTS = [
    ...EMAILS.map(([sent, stored]) => ({ field: 'email', sent, stored })),
    ...PHONES.map(([sent, stored]) => ({ field: 'phone', sent, stored })),
    ...NAMES.map(([sent, stored]) => ({ field: 'name', sent, stored })),
  ];

  it.each(CONTACTS)('a booking by REST stores the $field $sent as $stored', async (one) => {
    const { field, sent, stored } = one;
    const booking = await website.book({ tour_id: seats.tour.id, [field]: sent });
    const result = refused(booking) ?? (await customerOf(booking.body.booking_ref))[field];
    expect(result).toEqual(stored ?? [field]);
  });

  it('the change of a booking and a hold read contacts in the same way', async () => {
    const path = `/api/tenant/bookings/${await givenReference()}`;
    for (const { field, sent, stored } of CONTACTS) {
      const change = await website.patch(path, { [field]: sent });
      const body = { departure_date: seats.date, quantity: 1, customer: { [field]: sent } };
      const hold = await website.hold(seats.tour, body);
      const held = refused(hold) ?? (await contactOfHold(hold.body.hold_id))[field];
      const changed = refused(change) ?? change.body.customer[field];
      expect([sent, changed, held]).toEqual([sent, stored ?? [field], stored ?? [`customer.${field}`]]);
      await website.delete(`/api/gateway/holds/${hold.body.hold_id}`);
    }
  });

  it('OCTO stores the same contacts, and counts an empty text as missing', async () => {
    const names: Record<string, string> = { email: 'emailAddress', phone: 'phoneNumber', name: 'fullName' };
    for (const { field, sent, stored } of CONTACTS.filter(({ sent: text }) => text !== '')) {
      const contact = { [names[field]!]: sent };
      const { status, body } = await website.post('/octo/bookings', {
        productId: seats.tour.id,
        optionId: 'DEFAULT',
        availabilityId: seats.departureId,
        unitItems: [{ unitId: 'adult', contact }],
        contact,
      });
      const held = status === 200 ? (await contactOfHold(await holdOf(body.uuid)))[field] : status;
      expect([sent, held]).toEqual([sent, stored ?? 400]);
      await website.delete(`/octo/bookings/${body.uuid}`);
    }
  });

  it('tourctl booking change reads the same contacts', async () => {
    const ref = await givenReference();
    for (const { field, sent, stored } of CONTACTS) {
      const { code } = await terminal.tourctl(['booking', 'change', ref, `--${field}=${sent}`, '--json']);
      const changed = code === 0 ? (await customerOf(ref))[field] : 'refused';
      expect([field, sent, changed]).toEqual([field, sent, stored ?? 'refused']);
    }
  });

  it('a note keeps its marks of direction if they end in it, also over several lines', async () => {
    const book = (notes: string) => website.book({ tour_id: seats.tour.id, notes });
    const { body } = await book('\u2067שלום\nרותי\u2069');
    expect((await website.get(`/api/tenant/bookings/${body.booking_ref}`)).body.notes).toBe(
      '\u2067שלום\nרותי\u2069',
    );
    expect(refused(await book('\u202eAna\n'))).toEqual(['notes']);
  });

  it('the terminal shows a name without the marks of direction that it keeps', async () => {
    const ref = await givenReference();
    await website.patch(`/api/tenant/bookings/${ref}`, { name: '\u2068Ana Lima\u2069' });
    expect((await terminal.tourctl(['booking', 'show', ref])).stdout).toContain('A… L…');
    expect((await terminal.tourctl(['booking', 'show', ref, '--reveal'])).stdout).toContain(' Ana Lima, ');
  });
});

describe('the birth date of a traveller', () => {
  it.each(BIRTH_DATES)('a booking with the birth date %s stores %s', async (birth_date, stored) => {
    const traveller = { category: 'adult', first_name: 'Rui', last_name: 'Lima', birth_date };
    const booking = await website.book({ tour_id: seats.tour.id, travellers: [traveller] });
    const field = 'travellers.0.birth_date';
    expect(refused(booking)).toEqual(stored === undefined ? [field] : undefined);
    const change = { travellers: [traveller] };
    const path = `/api/tenant/bookings/${await givenReference()}`;
    expect(refused(await website.patch(path, change))).toEqual(stored === undefined ? [field] : undefined);
  });
});

describe('an e-mail address with signs around it, which an earlier release has stored as sent', () => {
  it('a repeat gets the stored answer, also if it has the address alone', async () => {
    const key = randomUUID();
    const body = { tour_id: seats.tour.id, notes: 'One', name: 'Ana Lima', phone: '+4930901820' };
    const book = (email: string) =>
      website.post('/api/tenant/bookings', { ...body, email }, { 'idempotency-key': key });
    const first = await book('ana@example.com;');
    expectReplay(await book('<ana@example.com>'), first);
    const read = {
      departureDate: null,
      party: { adult: 1, child: 0, single_supplement: 0 },
      travellers: null,
      customer: { name: 'Ana Lima', email: 'ana@example.com;', phone: '+4930901820' },
      paymentMethod: null,
      holdId: null,
      expectedTotal: null,
      externalRef: null,
      notes: 'One',
    };
    const value = { subject: { tour: seats.tour.id, hold: null }, body: read };
    const stored = async () =>
      (await api.db('idempotency_keys').where({ key }).first('fingerprint')).fingerprint as Buffer;
    const present = { ...value, body: { ...read, customer: { ...read.customer, email: 'ana@example.com' } } };
    expect(await stored()).toEqual(earlierFingerprint('DE', [2, present]));
    for (const digested of [[2, value], value]) {
      await api
        .db('idempotency_keys')
        .where({ key })
        .update({ fingerprint: earlierFingerprint('DE', digested) });
      expectReplay(await book('ana@example.com;'), first);
      expectProblem(await book('rui@example.com;'), 422, 'idempotency_key_reused');
    }
  });
});
