import { useTestApi } from '../support/api';
import { daysFromToday, unique } from '../support/given';
import { expectInvalidFields } from '../support/responses';
import { CUSTOMER, givenSeats, givenWebsite, useWebsite } from '../support/website';

const api = useTestApi();
const website = useWebsite(api);

/** Books with these texts. @returns the booking as GET shows it */
async function booked(body: object, who = website) {
  const { tour } = await givenSeats(api.db);
  const booking = await who.book({ tour_id: tour.id, ...body });
  expect(booking.status).toBe(201);
  return (await who.get(`/api/tenant/bookings/${booking.body.booking_ref}`)).body;
}

describe("a customer's phone number", () => {
  it.each([
    ['030 901820', 'DE', '+4930901820'],
    ['(030) 90 18-20', 'DE', '+4930901820'],
    ['090 1234 567', 'VN', '+84901234567'],
    ['+49 30 901820', 'VN', '+4930901820'],
    ['0049 30 901820', 'DE', '+4930901820'],
    ['٠٣٠ ٩٠١٨٢٠', 'DE', '+4930901820'],
    ['+999 123-456', 'DE', '+999123456'],
    ['999999 9999999999999 99', 'DE', '+49999999'],
  ])('the API stores the phone number %s for a tenant in %s as %s', async (phone, country, expected) => {
    const local = await givenWebsite(api, { country });
    expect((await booked({ phone }, local)).customer.phone).toBe(expected);
  });

  it('the API reads a phone number without a country code as a number of the country in phone_country', async () => {
    const { customer } = await booked({ phone: '06 12 34 56 78', phone_country: 'FR' });
    expect(customer.phone).toBe('+33612345678');
  });

  it.each(['XX', 'fr', '', 33])('the API refuses the phone_country %j', async (phone_country) => {
    const { tour } = await givenSeats(api.db);
    const order = { tour_id: tour.id, phone: '06 12 34 56 78', phone_country };
    expectInvalidFields(await website.book(order), ['phone_country']);
  });

  it.each(['12345', '+1 2345', 'no number', '1-2-3-4-5', '', '   ', '0'.repeat(41)])(
    'the API refuses the phone number %j',
    async (phone) => {
      expectInvalidFields(await website.book({ tour_id: 'some-tour', phone }), ['phone']);
    },
  );
});

describe("a customer's e-mail address", () => {
  it('the API accepts an e-mail address with letters outside ASCII', async () => {
    const { customer } = await booked({ email: 'jürgen@müller.example' });
    expect(customer.email).toBe('jürgen@müller.example');
  });
});

describe("a customer's text", () => {
  it('the API stores text in NFC, and keeps the lines of notes', async () => {
    const notes = 'Zwei Kinder\r\nund ein Hund\n\u00e9';
    const { customer, ...booking } = await booked({
      name: 'Jose\u0301 Nguye\u0302\u0303n',
      external_ref: 'e\u0301',
      notes,
    });
    expect(customer.name).toBe('Jos\u00e9 Nguy\u1ec5n');
    expect([booking.notes, booking.external_ref]).toEqual(['Zwei Kinder\nund ein Hund\né', '\u00e9']);
  });

  it('the API removes invisible characters from single-line fields, except those that a writing system needs', async () => {
    const { customer, ...booking } = await booked({
      name: '\ufeffAna\u200b Li\u00adma\u061c\u200e علی\u200cرضا',
      external_ref: 'order\u2060-81',
      email: 'ana@exam\u200bple.com',
      notes: 'Donau\u00addampfschiff',
    });
    expect(customer).toMatchObject({ name: 'Ana Lima علی\u200cرضا', email: 'ana@example.com' });
    expect([booking.external_ref, booking.notes]).toEqual(['order-81', 'Donau\u00addampfschiff']);
    const { body } = await website.get('/api/tenant/bookings?external_ref=order%E2%81%A0-81');
    expect(body.items).toHaveLength(1);
  });

  it("the limits of a customer's texts count characters, not bytes", async () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.de`;
    expect(email).toHaveLength(254);
    const texts = { name: '🛶'.repeat(200), external_ref: '界'.repeat(128), notes: '🛶'.repeat(2000), email };
    const { customer, external_ref, notes } = await booked(texts);
    expect({ ...customer, external_ref, notes }).toEqual({ phone: CUSTOMER.phone, ...texts });
  });

  it.each([
    ['name', 'x'.repeat(201)],
    ['name', ''],
    ['name', '   '],
    ['name', 'Ana\nLima'],
    ['name', 'Ana\u0000'],
    ['name', 'Ana\u0085'],
    ['name', 'Ana\u202e'],
    ['name', 'Ana\u2066'],
    ['name', '\ufeff\u200b\u3164'],
    ['name', '\ud83d'],
    ['name', null],
    ['name', 7],
    ['name', ['Ana']],
    ['external_ref', 'x'.repeat(129)],
    ['external_ref', ''],
    ['external_ref', 'a\tb'],
    ['external_ref', null],
    ['notes', 'x'.repeat(2001)],
    ['notes', 'a\u0007b'],
    ['notes', ''],
    ['email', `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(59)}.de`],
    ['email', 'ana'],
    ['email', 'ana@example'],
    ['email', 'ana lima@example.com'],
    ['email', 'a@b@example.com'],
    ['email', 'ana@example.com\r\nBcc: x@example.com'],
    ['hold_id', ''],
    ['hold_id', null],
    ['hold_id', 'a\u0000b'],
    ['expected_total', '59.97'],
    ['expected_total', null],
    ['adults', 0],
    ['adults', 51],
    ['adults', 1.5],
    ['adults', '2'],
    ['adults', null],
    ['tour_id', 5],
    ['departure_date', ''],
  ])('the API refuses a booking whose %s is %j', async (field, value) => {
    expectInvalidFields(await website.book({ tour_id: unique('tour'), [field]: value }), [field]);
  });

  it('the refusal of a booking names each missing field of the customer', async () => {
    expectInvalidFields(await website.post('/api/tenant/bookings', {}), [
      'tour_id',
      'name',
      'phone',
      'email',
    ]);
  });
});

describe('combining marks', () => {
  const marks = (times: number) => `a${'\u0323\u0301'.repeat(times / 2)}`;

  it('the API accepts up to 30 combining marks in a row, in every text and in a search', async () => {
    const { tour } = await givenSeats(api.db);
    const book = (text: string) =>
      website.book({ tour_id: tour.id, name: text, notes: text, external_ref: text });
    expect((await book(marks(30))).status).toBe(201);
    expectInvalidFields(await book(marks(32)), ['name', 'external_ref', 'notes']);
    const search = (q: string) => website.get(`/api/tenant/catalog?q=${encodeURIComponent(q)}`);
    expect((await search(marks(30))).status).toBe(200);
    expectInvalidFields(await search(marks(32)), ['q']);
  });

  it('the API answers a single error for thousands of combining marks', async () => {
    const notes = `a${['\u0345', '\u0301', '\u0323', '\u0327'].map((mark) => mark.repeat(1900)).join('')}`;
    const { body } = await website.book({ tour_id: 'some-tour', notes });
    const message = 'must not have more than 30 combining marks in a row';
    expect(body.errors).toEqual([{ in: 'body', field: 'notes', message }]);
  });
});

describe("a hold's customer", () => {
  it('a hold accepts some fields of a customer, or none', async () => {
    const { db } = api;
    const { tour, date } = await givenSeats(db);
    for (const customer of [{}, { name: 'Jose\u0301' }, { phone: '030 901820', email: 'ana@example.com' }]) {
      const hold = await website.hold(tour, { departure_date: date, quantity: 1, customer });
      expect(hold.status).toBe(201);
      expect(hold.body).not.toHaveProperty('customer');
    }
    const rows = await db('seat_holds')
      .whereIn('departure_id', db('departures').select('id').where({ tour_id: tour.id }))
      .orderBy('created_at')
      .select('customer_name as name', 'customer_phone as phone', 'customer_email as email');
    expect(rows).toEqual([
      { name: null, phone: null, email: null },
      { name: 'José', phone: null, email: null },
      { name: null, phone: '+4930901820', email: 'ana@example.com' },
    ]);
  });

  it.each([
    ['customer.name', { name: 'x'.repeat(201) }],
    ['customer.name', { name: '' }],
    ['customer.name', { name: null }],
    ['customer.phone', { phone: '12345' }],
    ['customer.email', { email: 'ana' }],
    ['customer', null],
    ['customer', 'Ana'],
    ['customer', ['Ana']],
  ])('the API refuses a hold with a wrong %s', async (field, customer) => {
    const body = { departure_date: daysFromToday(3), quantity: 1, customer };
    expectInvalidFields(await website.hold('some-tour', body), [field]);
  });
});
