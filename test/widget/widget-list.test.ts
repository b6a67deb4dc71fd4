import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import type { Tenant } from '../../services/api/tenants/tenant';
import { useTestApi } from '../support/api';
import { withAnotherSecret } from '../support/forged-token';
import { givenDeparture, givenKey, givenTenant, givenTour } from '../support/given';
import { givenUnusableTokens, givenWidgetToken } from './given-widget';

const api = useTestApi();
let tenant: Tenant;
let token: string;
let tokenId: string;

beforeAll(async () => {
  const { db } = api;
  tenant = await givenTenant(db, { linkTemplate: 'https://shop.example.com/tours/{slug}' });
  ({ id: tokenId, token } = await givenWidgetToken(db, tenant));
  await givenDeparture(db, await givenTour(db, { slug: 'ha-long', name: 'Hà Long Bay Cruise' }));
  await givenTour(db, { slug: 'alps', name: 'Alpine Huts', continent: 'europe' });
  await givenTour(db, { slug: 'zagreb', name: 'Zagreb Café Walk', continent: 'europe' });
});

const list = (query: Record<string, string> = {}) => api.http.get('/api/widget/tours').query(query);
const slugsOf = (body: { items: { slug: string }[] }) => body.items.map((item) => item.slug);

describe('GET /api/widget/tours', () => {
  it('GET /api/widget/tours answers exactly the public fields', async () => {
    const { status, body } = await list({ token, q: 'hà long' });

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['items', 'next_cursor']);
    expect(Object.keys(body.items[0])).toEqual([
      'id',
      'slug',
      'name',
      'summary',
      'continent',
      'country',
      'duration_days',
      'image_url',
      'tags',
      'currency',
      'price_from',
      'next_departure_date',
      'url',
    ]);
    expect(body.items[0]).toMatchObject({
      price_from: 500,
      url: 'https://shop.example.com/tours/ha-long',
    });
  });

  it('GET /api/widget/tours shows the tenant’s price and never the platform’s', async () => {
    const { db } = api;
    const dear = await givenTenant(db);
    await db('price_rules').insert({ tenant_id: dear.id, kind: 'percent', percent: 10 });
    const { text } = await list({ token: (await givenWidgetToken(db, dear)).token, q: 'alpine' });

    expect(JSON.parse(text).items[0]).toMatchObject({ price_from: 550, url: null });
    expect(text).not.toMatch(/"(prices|base_price|seats\w*|tenant_prices|updated_at)"/);
  });

  it('GET /api/widget/tours answers the tiers of the cancellation policy', async () => {
    const { db } = api;
    const policy = { tiers: [{ until: '3d', refund_percent: 100 }] };
    const tour = await givenTour(db, { name: 'Stated Walk', cancellation: policy });
    const { body } = await list({ token, q: 'stated walk' });
    expect(body.items[0].cancellation).toEqual(policy);
    await db('tours').where({ id: tour.id }).update({ status: 'archived' });
  });

  it('GET /api/widget/tours filters by continent and by part of a name, whatever the case and accents', async () => {
    expect(slugsOf((await list({ token, continent: 'europe' })).body)).toEqual(['alps', 'zagreb']);
    expect(slugsOf((await list({ token, q: 'CAFE' })).body)).toEqual(['zagreb']);
    expect(slugsOf((await list({ token, continent: 'Europe' })).body)).toEqual(['alps', 'zagreb']);
    expect(slugsOf((await list({ token, continent: 'atlantis' })).body)).toEqual([]);
    expect((await list({ token, q: '\\' })).status).toBe(200);
  });

  it('GET /api/widget/tours links the next page without a credential', async () => {
    const first = await list({ token, limit: '2', utm_source: 'mail' });
    expect(slugsOf(first.body)).toEqual(['alps', 'ha-long']);

    const link = /^<(https:\/\/api\.example\.test\/api\/widget\/tours\?[^>]+)>; rel="next"$/.exec(
      first.headers.link!,
    );
    expect(link![1]).not.toContain('svc_');
    const query = Object.fromEntries(new URL(link![1]!).searchParams);
    const second = await list({ ...query, token });
    expect(slugsOf(second.body)).toEqual(['zagreb']);
    expect(second.body.next_cursor).toBeNull();
    expect(second.headers.link).toBeUndefined();
  });

  it('GET /api/widget/tours refuses a cursor of another tenant or of other filters', async () => {
    const cursor = (await list({ token, limit: '1' })).body.next_cursor;
    const stranger = await givenWidgetToken(api.db, await givenTenant(api.db));

    for (const answer of [
      await list({ token, cursor, continent: 'europe' }),
      await list({ token: stranger.token, cursor }),
      await list({ token, cursor: `${cursor}x` }),
    ]) {
      expect(answer.body).toMatchObject({ status: 400, code: 'invalid_cursor' });
    }
  });

  it('GET /api/widget/tours ignores unknown parameters', async () => {
    const { status, body } = await list({ token, utm_source: 'mail', lang: 'pt-BR', fbclid: 'x' });
    expect(status).toBe(200);
    expect(body.items).toHaveLength(3);
  });

  it.each([
    ['limit=0', 'limit', 'must be at least 1'],
    ['limit=31', 'limit', 'must be at most 30'],
    ['limit=abc', 'limit', 'must be a whole number'],
    ['limit=1.5', 'limit', 'must be a whole number'],
    ['q=', 'q', 'must not be empty'],
    ['q=a%00b', 'q', 'must not contain control characters'],
    [`q=${'x'.repeat(101)}`, 'q', 'must have at most 100 characters'],
    ['lang=xx_XX', 'lang', expect.any(String)],
    [`lang=${'de-'.repeat(11)}deu`, 'lang', expect.any(String)],
    ['utm_source=', 'utm_source', 'must not be empty'],
  ])('the list and the page both answer 400 to %s', async (query, field, message) => {
    const fault = { status: 400, code: 'validation_failed', errors: [{ in: 'query', field, message }] };
    const answer = await api.http.get(`/api/widget/tours?token=${token}&${query}`);
    expect(answer.body).toMatchObject(fault);
    const page = await api.http.get(`/embed/tours?token=${token}&${query}`);
    expect(page.body).toMatchObject(fault);
  });

  it('GET /api/widget/tours answers 400 to a repeated parameter', async () => {
    const answer = await api.http.get(`/api/widget/tours?token=${token}&q=a&q=b`);
    expect(answer.body).toMatchObject({ status: 400, code: 'duplicate_parameter' });
  });
});

describe('the token of GET /api/widget/tours', () => {
  it('GET /api/widget/tours accepts the token in the query or, deprecated, in a header', async () => {
    const old = await list().set('x-svc-widget-token', token);
    expect(old.status).toBe(200);
    expect(old.headers.deprecation).toMatch(/^@\d+$/);
    expect((await list({ token })).headers.deprecation).toBeUndefined();
  });

  it('GET /api/widget/tours reads the token from one parameter with exactly this name', async () => {
    const ask = (query: string) => api.http.get(`/api/widget/tours?${query}`);
    const repeated = await ask(`token=${token}&token=${token}`);
    expect(repeated.body).toMatchObject({ status: 400, code: 'duplicate_parameter' });
    for (const name of ['token[]', 'token[x]', 'Token', 'token%00'])
      expect((await ask(`${name}=${token}`)).body).toMatchObject({
        status: 401,
        code: 'invalid_widget_token',
      });
  });

  it('the answer 401 gives its reason only if the secret of the widget token is right', async () => {
    const { expired, revoked, paused } = await givenUnusableTokens(api.db);
    const forged = withAnotherSecret(token);
    const missing = 'The widget token is missing or not valid.';
    for (const [sent, detail] of [
      [undefined, missing],
      ['x', missing],
      [`${token}x`, missing],
      [forged, missing],
      [withAnotherSecret(revoked), missing],
      [expired, 'The widget token has expired.'],
      [revoked, 'The widget token was revoked.'],
      [paused, 'The tenant of this widget token is not active.'],
    ]) {
      const { body } = await list(sent ? { token: sent } : {});
      expect({ ...body, instance: '', request_id: '' }).toEqual({
        type: 'https://api.example.test/docs/errors/invalid_widget_token',
        title: 'Unauthorized',
        status: 401,
        detail,
        instance: '',
        ok: false,
        code: 'invalid_widget_token',
        request_id: '',
        retryable: false,
      });
    }
  });

  it('GET /api/widget/tours accepts a token beside the Basic credentials of a reverse proxy', async () => {
    const response = await api.http
      .get(`/api/widget/tours?token=${token}`)
      .set({ authorization: 'Basic b2xnYTpzZWNyZXQ=' });
    expect(response.status).toBe(200);
  });

  it('GET /api/widget/tours refuses an API key as a widget token, and a widget token as an API key', async () => {
    const key = await givenKey(api.db, tenant);
    const wrong = { status: 401, code: 'wrong_credential_type' };
    expect((await list({ token: key })).body).toMatchObject(wrong);
    const authorization = `Bearer ${token}`;
    expect((await api.http.get('/api/tenant/catalog').set({ authorization })).body).toMatchObject(wrong);
  });

  it('GET /api/widget/tours answers 400 to two different credentials in one request', async () => {
    const {
      db,
      context: { secrets },
    } = api;
    const other = await givenWidgetToken(db, tenant);
    const pass = mintEmbedPass(secrets.cursorKey, tokenId);
    const twice = { status: 400, code: 'multiple_credentials' };
    expect((await list({ token }).set('x-svc-widget-token', other.token)).body).toMatchObject(twice);
    expect((await list({ token }).set('x-svc-widget-token', token)).status).toBe(200);
    expect((await list({ token, pass })).body).toMatchObject(twice);
    expect((await list({ token, pass }).set('x-svc-widget-token', token)).body).toMatchObject(twice);
  });
});

describe('the quota of GET /api/widget/tours', () => {
  it('GET /api/widget/tours counts each request whatever its answer, and refuses the 121st from one address', async () => {
    const { db } = api;
    const busy = await givenWidgetToken(db, await givenTenant(db));
    const ask = (query = {}) => list({ token: busy.token, ...query });

    expect((await ask()).headers).toMatchObject({
      'ratelimit-limit': '1000000',
      'ratelimit-policy': expect.stringMatching(/^"widget"/),
    });
    expect((await ask({ limit: '0' })).headers['ratelimit-remaining']).toBe('999998');
    expect((await ask().set('origin', 'https://evil.example')).headers['ratelimit-remaining']).toBe('999997');
    for (let sent = 3; sent < 120; sent++) expect((await ask()).status).toBe(200);

    const refused = await ask();
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect((await api.http.get('/embed/tours').query({ token: busy.token })).status).toBe(429);
  });
});
