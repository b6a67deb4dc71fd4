import { mintEmbedPass } from '../../services/api/credentials/embed-pass';
import { useTestApi } from '../support/api';
import { givenTenant } from '../support/given';
import { sendRaw } from '../support/send-raw';
import { givenUnusableTokens, givenWidgetToken, SHOP } from './given-widget';

const api = useTestApi();
let token: string;
let tokenId: string;

beforeAll(async () => {
  ({ token, id: tokenId } = await givenWidgetToken(api.db, await givenTenant(api.db)));
});

const ask = (headers: Record<string, string>, query: Record<string, string> = { token }) =>
  api.http.get('/api/widget/tours').query(query).set(headers);
const FOREIGN = { status: 403, code: 'origin_not_allowed' };

describe('the widget list and CORS', () => {
  it('the widget list echoes an origin that the token lists', async () => {
    const { status, headers } = await ask({ origin: SHOP });
    expect(status).toBe(200);
    expect(headers['access-control-allow-origin']).toBe(SHOP);
    expect(headers['access-control-expose-headers']).toBe(
      'X-Request-Id, X-Sandbox, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset',
    );
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each([
    'https://evil.example',
    'https://www.shop.example.com',
    'http://shop.example.com',
    'https://shop.example.com:8443',
    'https://shop.example.com.evil.example',
    'HTTPS://SHOP.EXAMPLE.COM',
    'null',
    'https://api.example.test',
  ])('the widget list refuses the origin %s without a CORS header', async (origin) => {
    const { body, headers } = await ask({ origin, 'sec-fetch-site': 'same-origin' });
    expect(body).toMatchObject(FOREIGN);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers.vary).toBe('Origin');
  });

  it('the widget list accepts a request without an Origin, unless Sec-Fetch-Site names another site', async () => {
    expect((await ask({})).status).toBe(200);
    for (const site of ['none', 'same-origin'])
      expect((await ask({ 'sec-fetch-site': site })).status).toBe(200);
    for (const site of ['cross-site', 'same-site']) {
      expect((await ask({ 'sec-fetch-site': site })).body).toMatchObject(FOREIGN);
    }
  });

  it('every answer has Vary: Origin', async () => {
    for (const answer of [
      await ask({}),
      await ask({ origin: SHOP }),
      await ask({ origin: SHOP }, {}),
      await ask({ origin: SHOP }, { token, limit: '0' }),
      await api.http.post('/api/widget/tours'),
      await api.http.options('/api/widget/tours'),
      await ask({ origin: SHOP, accept: 'a/b,'.repeat(400) }),
      await api.http.get('/api/widget/tours?token=%FF'),
      await api.http.get('/api/widget/tours/'),
      await api.http.get('/api/widget/tours/x'),
      await sendRaw(api, 'GET /api/widget/tours HTTP/1.1', 'Host: a', 'Host: b', 'Connection: close'),
    ]) {
      expect(answer.headers.vary).toBe('Origin');
    }
  });

  it.each([
    ['has too large headers', 400, `X: ${'a'.repeat(17_000)}`],
    ['has an invalid header', 400, 'X Y: a'],
  ])(
    'an answer to a request that %s has Vary: Origin, because its path is unknown',
    async (_title, status, header) => {
      const answer = await sendRaw(
        api,
        'GET /api/widget/tours HTTP/1.1',
        'Host: a',
        `Origin: ${SHOP}`,
        header,
      );
      expect([answer.status, answer.headers.vary]).toEqual([status, 'Origin']);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it('a listed page can read why its token is refused, and another page cannot', async () => {
    const { expired, revoked, paused } = await givenUnusableTokens(api.db);
    for (const [unusable, reason] of [
      [expired, 'The widget token has expired.'],
      [revoked, 'The widget token was revoked.'],
      [paused, 'The tenant of this widget token is not active.'],
    ] as const) {
      const listed = await ask({ origin: SHOP }, { token: unusable });
      expect(listed).toMatchObject({ status: 401, body: { detail: reason } });
      expect(listed.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
      expect(listed.headers['access-control-expose-headers']).toContain('X-Request-Id');
      const foreign = await ask({ origin: 'https://evil.example' }, { token: unusable });
      expect([foreign.status, foreign.headers.vary]).toEqual([401, 'Origin']);
      expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
      const forged = await ask({ origin: SHOP }, { token: unusable.replace(/.{10}$/, 'aaaaaaaaaa') });
      expect(forged.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('a listed page cannot read the answer to an expired pass, which is for the embed page alone', async () => {
    const old = mintEmbedPass(api.context.secrets.cursorKey, tokenId, Date.now() - 3_601_000);
    const answer = await ask({ origin: SHOP }, { pass: old });
    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('the widget list echoes the origin on a refusal if the token is known, so that the page can read the refusal', async () => {
    const bad = await ask({ origin: SHOP }, { token, limit: '0' });
    expect(bad.status).toBe(400);
    expect(bad.headers['access-control-allow-origin']).toBe(SHOP);
    const nobody = await ask({ origin: SHOP }, { token: 'x' });
    expect(nobody.status).toBe(401);
    expect(nobody.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('the widget list refuses every origin if neither the token nor its tenant has an origin', async () => {
    const { db } = api;
    const bare = await givenWidgetToken(db, await givenTenant(db), { origins: [] });
    expect((await ask({ origin: SHOP }, { token: bare.token })).body).toMatchObject(FOREIGN);
    expect((await ask({}, { token: bare.token })).status).toBe(200);
  });

  it('the widget list uses the tenant’s origins where the token has none of its own', async () => {
    const { db } = api;
    const tenant = await givenTenant(db);
    const follower = await givenWidgetToken(db, tenant, { origins: [] });
    await db('tenants')
      .where({ id: tenant.id })
      .update({ origins: ['https://new.example'] });
    expect((await ask({ origin: 'https://new.example' }, { token: follower.token })).status).toBe(200);
  });

  it('the widget list accepts the pass of the embed page only from a request of that page', async () => {
    const pass = mintEmbedPass(api.context.secrets.cursorKey, tokenId);
    expect((await ask({ 'sec-fetch-site': 'same-origin' }, { pass })).status).toBe(200);
    expect((await ask({ 'sec-fetch-site': 'none' }, { pass })).body).toMatchObject(FOREIGN);
    const shop = await ask({ origin: SHOP, 'sec-fetch-site': 'cross-site' }, { pass });
    expect(shop.body).toMatchObject(FOREIGN);
    expect(shop.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('a preflight', () => {
  const preflight = (headers: Record<string, string>, path = '/api/widget/tours') =>
    api.http.options(path).set({ 'access-control-request-method': 'GET', ...headers });

  it('the API grants a preflight to an origin that a live token lists', async () => {
    const { status, headers } = await preflight({ origin: SHOP });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers': 'x-svc-widget-token',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each(['https://evil.example', 'null', ''])(
    'the API grants no preflight to the origin %j',
    async (origin) => {
      const { status, headers } = await preflight(origin ? { origin } : {});
      expect(status).toBe(204);
      expect(headers).toMatchObject({ vary: 'Origin', allow: 'GET, HEAD, OPTIONS' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    },
  );

  it('the API grants no preflight once the token is revoked', async () => {
    const { db } = api;
    const origin = 'https://former.example';
    const { id } = await givenWidgetToken(db, await givenTenant(db), { origins: [origin] });
    expect((await preflight({ origin })).headers['access-control-allow-origin']).toBe(origin);
    await db('widget_tokens').where({ id }).update({ revoked_at: db.fn.now() });
    expect((await preflight({ origin })).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('the API grants no preflight on a route for servers', async () => {
    const { headers } = await preflight({ origin: SHOP }, '/api/tenant/catalog');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});
