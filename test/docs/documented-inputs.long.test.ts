import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Response } from 'supertest';
import { isEmail } from '../../services/platform/forms/text-forms';
import { useTestApi } from '../support/api';
import { CUSTOMER, givenSeats, givenWebsite, type Website } from '../support/website';

const api = useTestApi();
let website: Website;
let calls: Record<string, (body: object) => Promise<Response>>;
let schemaOf: (name: string) => ValidateFunction;

beforeAll(async () => {
  const ajv = addFormats(new Ajv2020({ strict: false })).addFormat('idn-email', isEmail);
  ajv.addSchema({ ...(await api.http.get('/openapi.3.1.json')).body, $id: 'document' });
  schemaOf = (name) => ajv.getSchema(`document#/components/schemas/${name}`)!;
  website = await givenWebsite(api);
  const { tour, date } = await givenSeats(api.db, {
    seats: 1000,
    prices: { adult: 50_000, child: 25_000 },
  });
  const hold = { departure_date: date, quantity: 1 };
  const booking = { tour_id: tour.slug, departure_date: date };
  const { hold_id } = (await website.hold(tour, hold)).body;
  const { booking_ref } = (await website.book(booking)).body;
  calls = {
    HoldBody: (body) => website.hold(tour, { ...hold, ...body }),
    HoldPatch: (body) => website.patch(`/api/gateway/holds/${hold_id}`, body),
    BookingBody: (body) => website.book({ ...booking, ...body }),
    BookingPatch: (body) => website.patch(`/api/tenant/bookings/${booking_ref}`, body),
    CancelBody: async (body) => {
      const { body: booked } = await website.book(booking);
      return website.post(`/api/tenant/bookings/${booked.booking_ref}/cancel`, body);
    },
  };
});

/** Returns the body as the call sends it, with the required fields that the call adds. */
const sentAs = (schema: string, body: object): object => {
  if (schema === 'HoldBody') return { departure_date: '2031-05-01', quantity: 1, ...body };
  return schema === 'BookingBody' ? { tour_id: 'a-tour', ...CUSTOMER, ...body } : body;
};

const TEXTS = ['', ' ', 'a', 'a\u0000b', 'a\u0085b', '\u2067a\u2069', 'a\u2028b', 'a\nb', ' 123456 '];
/** Texts with a mark of direction that does not end in them. A pattern cannot tell them from those that are accepted. */
const WITHOUT_END = ['a\u202eb', '\u2066'];
const FIELDS: Record<string, string[]> = {
  HoldBody: ['external_ref', 'customer.name', 'customer.phone'],
  HoldPatch: ['external_ref', 'customer.name', 'customer.phone'],
  BookingBody: ['name', 'phone', 'external_ref', 'notes'],
  BookingPatch: ['name', 'phone', 'external_ref', 'notes'],
  CancelBody: ['reason'],
};

const BODIES: [schema: string, body: object][] = [
  ['HoldPatch', {}],
  ['HoldPatch', { customer: {} }],
  ['HoldBody', { customer: {} }],
  ['BookingPatch', {}],
  ['BookingPatch', { expected_total: 500 }],
  ['BookingPatch', { phone_country: 'DE' }],
  ['BookingPatch', { phone_country: 'DE', phone: '030 901820' }],
  ['BookingBody', { adults: 0 }],
  ['BookingBody', { adults: 0, children: 0 }],
  ['BookingBody', { adults: 0, children: 1 }],
  ['CancelBody', {}],
];

describe('the body of a request', () => {
  it.each(Object.entries(FIELDS))(
    'the document and the API accept the same texts in %s',
    async (schema, fields) => {
      for (const field of fields) {
        for (const text of TEXTS) {
          const [first, second] = field.split('.') as [string, string?];
          await expectSame(schema, { [first]: second === undefined ? text : { [second]: text } });
        }
      }
    },
  );

  it('the API refuses a name and notes with a mark of direction that does not end in them', async () => {
    for (const field of ['name', 'notes', 'external_ref'])
      for (const text of WITHOUT_END) {
        const { status } = await calls.BookingBody!({ [field]: text });
        expect([field, text, status]).toEqual([field, text, 400]);
      }
  });

  it.each(BODIES)('the document allows %s %j exactly if the API accepts it', (schema, body) =>
    expectSame(schema, body),
  );

  async function expectSame(schema: string, body: object): Promise<void> {
    const { status } = await calls[schema]!(body);
    const isDescribed = schemaOf(schema)(sentAs(schema, body));
    expect({ body, isAccepted: isDescribed }).toEqual({ body, isAccepted: status !== 400 });
  }
});

describe('a text in a query', () => {
  it.each([
    ['listTours', '/api/tenant/catalog', ['q', 'tag', 'continent', 'country', 'cursor']],
    ['listBookings', '/api/tenant/bookings', ['external_ref']],
    ['octoListBookings', '/octo/bookings', ['resellerReference', 'supplierReference']],
  ])(
    'the API and the document refuse the same texts in the query of %s',
    async (operationId, path, names) => {
      const { body } = await api.http.get('/openapi.3.1.json');
      const { parameters } = body.paths[path].get as { parameters: { name: string; schema: object }[] };
      expect(body.paths[path].get.operationId).toBe(operationId);
      const ajv = addFormats(new Ajv2020({ strict: false }));
      for (const name of names) {
        const isDescribed = ajv.compile(parameters.find((one) => one.name === name)!.schema);
        for (const text of ['', 'a\u0001', 'a\u202e']) {
          const { status } = await website.get(`${path}?${name}=${encodeURIComponent(text)}`);
          expect([name, text, isDescribed(text), status]).toEqual([name, text, false, 400]);
        }
        expect([name, isDescribed('de')]).toEqual([name, true]);
      }
    },
  );
});
