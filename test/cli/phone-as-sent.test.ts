import { useTestApi } from '../support/api';
import { givenSeats, type PlacedSeats, useWebsite } from '../support/website';
import { useTerminalOf } from './terminal';

const api = useTestApi();
const terminal = useTerminalOf(api);
const site = useWebsite(api);
const TEXT = '030 901820 / 0176 12345678 (Anna)';
let seats: PlacedSeats;
beforeAll(async () => {
  seats = await givenSeats(api.db, { seats: 20 });
});

const bookingOf = async (ref: string) => (await site.get(`/api/tenant/bookings/${ref}`)).body;
const book = async (phone: string, more: object = {}): Promise<string> =>
  (await site.book({ tour_id: seats.tour.slug, departure_date: seats.date, phone, ...more })).body
    .booking_ref;
const hold = async (customer: object): Promise<string> =>
  (await site.hold(seats.tour, { departure_date: seats.date, quantity: 1, customer })).body.hold_id;
const holdOf = async (id: string) => (await site.get(`/api/gateway/holds/${id}`)).body;

describe('A phone number that was sent with more text', () => {
  it('a booking keeps the text beside the first number, until another number replaces it', async () => {
    const ref = await book(TEXT);
    expect((await bookingOf(ref)).customer).toEqual({
      name: 'Ana Lima',
      phone: '+4930901820',
      phone_as_sent: TEXT,
      email: 'ana@example.com',
    });
    const changed = await site.patch(`/api/tenant/bookings/${ref}`, { phone: '030 901820 ext. 12' });
    expect(changed.body.customer).toMatchObject({
      phone: '+4930901820',
      phone_as_sent: '030 901820 ext. 12',
    });
    await site.patch(`/api/tenant/bookings/${ref}`, { name: 'Ana Sol' });
    expect((await bookingOf(ref)).customer.phone_as_sent).toBe('030 901820 ext. 12');
    await site.patch(`/api/tenant/bookings/${ref}`, { phone: '030 901821' });
    expect((await bookingOf(ref)).customer).toEqual({
      name: 'Ana Sol',
      phone: '+4930901821',
      email: 'ana@example.com',
    });
  });

  it('a hold answers the text only if there is one, and a change keeps or replaces it', async () => {
    const plain = await hold({ phone: '030 901820' });
    expect(await holdOf(plain)).not.toHaveProperty('customer');
    const id = await hold({ name: 'Ana Lima', phone: TEXT });
    expect((await holdOf(id)).customer).toEqual({
      name: 'Ana Lima',
      phone: '+4930901820',
      phone_as_sent: TEXT,
      email: null,
    });
    await site.patch(`/api/gateway/holds/${id}`, { customer: { email: 'ana@example.com' } });
    expect((await holdOf(id)).customer).toMatchObject({ phone_as_sent: TEXT, email: 'ana@example.com' });
    await site.patch(`/api/gateway/holds/${id}`, { customer: { phone: '030 901821' } });
    expect(await holdOf(id)).not.toHaveProperty('customer');
  });

  it('events have the number alone', async () => {
    const ref = await book(TEXT);
    await site.post(`/api/tenant/bookings/${ref}/confirm`);
    const bodies = await api.db('webhook_events').where({ booking_ref: ref }).pluck('body');
    expect(bodies.map((body: string) => JSON.parse(body).customer)).toEqual([
      { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' },
    ]);
  });

  it('a booking by OCTO keeps the contact as sent, and its REST answer has the first number and the text', async () => {
    const contact = { fullName: 'Ana Lima', phoneNumber: TEXT };
    const { body } = await site.post('/octo/bookings', {
      productId: seats.tour.id,
      optionId: 'DEFAULT',
      availabilityId: seats.departureId,
      unitItems: [{ unitId: 'adult' }],
      contact,
    });
    expect(body.contact.phoneNumber).toBe(TEXT);
    const confirmed = await site.post(`/octo/bookings/${body.uuid}/confirm`, {});
    expect(confirmed.body.contact.phoneNumber).toBe(TEXT);
    expect((await bookingOf(confirmed.body.supplierReference)).customer).toMatchObject({
      phone: '+4930901820',
      phone_as_sent: TEXT,
    });
  });

  it('the same text of the same request is a repeat, and the number with another text is another request', async () => {
    const key = { 'Idempotency-Key': 'phone-as-sent' };
    const order = { tour_id: seats.tour.slug, phone: TEXT };
    const first = await site.book(order, key);
    const [repeat, other] = [
      await site.book(order, key),
      await site.book({ ...order, phone: '030 901820' }, key),
    ];
    expect([first.status, repeat.status, other.status]).toEqual([201, 201, 422]);
    expect(repeat.text).toBe(first.text);
  });

  it('a Mexican number with and without the former prefix 1 is one number, also in the search', async () => {
    const [old, now] = [await book('+52 1 55 9876 5432'), await book('+52 55 9876 5432')];
    expect((await bookingOf(old)).customer).toEqual((await bookingOf(now)).customer);
    for (const spelling of ['+52 1 55 9876 5432', '+525598765432']) {
      const { json } = await terminal.tourctl(['booking', 'list', '--search', spelling, '--json']);
      expect(json.items.map((item: { booking_ref: string }) => item.booking_ref)).toEqual([now, old]);
    }
  });

  it('the terminal finds a booking by each number and by the words of the text, and masks the text', async () => {
    const ref = await book('030 555777 / 0176 98765432 (Doris)');
    for (const text of ['030555777', '+49 176 98765432', 'doris']) {
      const { json } = await terminal.tourctl(['booking', 'list', '--search', text, '--json']);
      expect(json.items).toMatchObject([{ booking_ref: ref, customer: { phone_as_sent: '03…32' } }]);
    }
    const shown = await terminal.json(`booking show ${ref} --reveal`);
    expect(shown.customer.phone_as_sent).toBe('030 555777 / 0176 98765432 (Doris)');
  });

  it('a revealed manifest and export have the text too, and mask it otherwise', async () => {
    const ref = await book('030 901820 (Anna, after 6)');
    const manifest = `departure manifest ${seats.tour.slug} ${seats.date}`;
    const bookingIn = async (flags: string) =>
      (await terminal.json(`${manifest}${flags}`)).bookings.find(
        (one: { booking_ref: string }) => one.booking_ref === ref,
      );
    expect(await bookingIn(' --reveal')).toMatchObject({
      phone: '+4930901820',
      phone_as_sent: '030 901820 (Anna, after 6)',
    });
    expect(await bookingIn('')).toMatchObject({ phone: '+49…20', phone_as_sent: '03…06' });
    const paper = await terminal.tourctl([...manifest.split(' '), '--reveal']);
    expect(paper.stdout).toContain('Ana Lima, 030 901820 (Anna, after 6)\n');
    for (const command of [`${manifest} --csv`, 'booking export']) {
      const revealed = (await terminal.tourctl([...command.split(' '), '--reveal'])).stdout;
      expect(revealed).toMatch(/^[^\r]*phone_as_sent\r\n/);
      expect(revealed).toMatch(new RegExp(`${ref},.*,"030 901820 \\(Anna, after 6\\)"\r\n`));
      expect((await terminal.tourctl(command.split(' '))).stdout).not.toContain('Anna');
    }
  });

  it('tourctl booking change reads the text like REST', async () => {
    const ref = await book('030 901820');
    await terminal.tourctl(['booking', 'change', ref, '--phone', TEXT, '--yes']);
    expect((await bookingOf(ref)).customer).toMatchObject({ phone: '+4930901820', phone_as_sent: TEXT });
  });

  it('an erasure erases the text, and references that contain any of its numbers', async () => {
    const ref = await book(TEXT, { external_ref: 'cart-017612345678' });
    await terminal.json(`booking anonymize ${ref} --yes`);
    const { rows } = await api.db.raw(
      'select row_to_json(l)::text as row from booking_leads l where booking_ref = ?',
      [ref],
    );
    expect(rows[0].row).not.toMatch(/901820|12345678|Anna/);
  });

  it('a text with fewer than 6 digits is 400', async () => {
    const { status, body } = await site.book({ tour_id: seats.tour.slug, phone: 'Anna 12345' });
    expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ field: 'phone' }] });
  });
});
