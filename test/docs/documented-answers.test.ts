import { useTestApi } from '../support/api';
import { checkAnswer } from '../support/documented-answers';
import { givenSeats, givenWebsite } from '../support/website';

const api = useTestApi();

/** Tests `checkAnswer` of test/support, which runs on every answer of every test. It must find each kind of error. */
describe('the check of each answer against the OpenAPI document', () => {
  it.each([
    ['a field that is missing', (hold: Fields) => delete hold.expires_at, /required property 'expires_at'/],
    ['a field that is not described', (hold: Fields) => (hold.secret = 1), /"additionalProperty":"secret"/],
    ['a field of another type', (hold: Fields) => (hold.quantity = '2'), /body\.quantity must be integer/],
    [
      'a value that is not in the list of values',
      (hold: Fields) => (hold.status = 'gone'),
      /body\.status must be equal to one of/,
    ],
    ['a malformed time', (hold: Fields) => (hold.created_at = 'now'), /body\.created_at must match format/],
    ['a null that is not described', (hold: Fields) => (hold.tour = null), /body\.tour must be object/],
  ])(
    'the check of each answer against the OpenAPI document finds an answer with %s',
    async (_, spoil, message) => {
      const answer = await heldSeats();
      expect(() => checkAnswer(answer)).not.toThrow();
      spoil(answer.body);
      expect(() => checkAnswer(answer)).toThrow(message);
    },
  );

  it('the check of each answer against the OpenAPI document finds a status, code, media type or header that is not in the document, and a missing header', async () => {
    const held = await heldSeats();
    expect(() => checkAnswer({ ...held, status: 202, type: held.type } as never)).toThrow('no status 202');
    expect(() => checkAnswer({ ...held, type: 'text/plain' } as never)).toThrow('text/plain instead of');
    expect(() => checkAnswer({ ...held, headers: {} } as never)).toThrow('X-Request-Id is missing');
    const headers = (changed: object) => ({ ...held, headers: { ...held.headers, ...changed } }) as never;
    expect(() => checkAnswer(headers({ 'x-new': '1' }))).toThrow('the header x-new is not described');
    expect(() => checkAnswer(headers({ 'ratelimit-reset': 'soon' }))).toThrow(
      'RateLimit-Reset: body must be',
    );
    expect(() => checkAnswer(headers({ ratelimit: undefined }))).toThrow('the header RateLimit is missing');
    const refused = await (await givenWebsite(api)).get('/api/tenant/tours/none');
    refused.body.code = 'booking_not_found';
    expect(() => checkAnswer(refused)).toThrow(/code booking_not_found with status 404/);
  });

  it('the error names the call without its query', async () => {
    const answer = await api.http.get('/api/tenant/catalog?api_key=svc_live_secret');
    answer.body.extra = 1;
    expect(() => checkAnswer(answer)).toThrow(/to GET \/api\/tenant\/catalog:\n/);
  });

  it('the check of each answer against the OpenAPI document accepts pages beside the API, and refusals of unknown paths', async () => {
    for (const path of ['/docs', '/openapi.json', '/nowhere', '/api/tenant/nowhere'])
      await expect(api.http.get(path)).resolves.toBeDefined();
    expect((await api.http.put('/api/tenant/catalog')).status).toBe(405);
  });
});

type Fields = Record<string, unknown>;

async function heldSeats() {
  const website = await givenWebsite(api);
  const { tour, date } = await givenSeats(api.db);
  const answer = await website.hold(tour, { departure_date: date, quantity: 2 });
  // Copies the answer, so that its members can be changed.
  const { status, type, headers, text, body } = answer;
  const { req, request } = answer as unknown as { req: object; request: object };
  return { status, type, headers, text, body, req, request } as unknown as typeof answer;
}
