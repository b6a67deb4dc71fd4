import { useTestApi } from '../support/api';
import { startApiProcess } from '../support/api-process';
import { givenKey, givenTenant } from '../support/given';
import { givenWebsite } from '../support/website';
import { reservationOf, useConformance } from './conformance-api';
import { expectOcto, expectOctoError } from './schemas';

const api = useTestApi();
const { reseller, tours } = useConformance(api);

const post = (body: string, headers: Record<string, string> = {}) =>
  api.http
    .post('/octo/availability')
    .set({ authorization: reseller.authorization, 'content-type': 'application/json', ...headers })
    .send(body);

/** Reserves a seat. @returns the UUID of the booking */
async function reserve(): Promise<string> {
  return expectOcto(await reseller.post('/octo/bookings', reservationOf(tours.startTime)), 'booking').uuid;
}

describe('an error below /octo', () => {
  it('OCTO answers UNAUTHORIZED with WWW-Authenticate to a missing, malformed or wrong credential', async () => {
    const answers = [
      await api.http.get('/octo/products'),
      await api.http.get('/octo/products').set({ authorization: 'Bearer nonsense' }),
      await api.http.post('/octo/availability').set({ authorization: `${reseller.authorization}x` }),
    ];
    for (const answer of answers) {
      expectOctoError(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="api"/);
    }
  });

  it('OCTO answers UNAUTHORIZED and the name of the scope that the key lacks', async () => {
    const key = await givenKey(api.db, await givenTenant(api.db), ['booking:create']);
    const answer = await api.http.get('/octo/products').set({ authorization: `Bearer ${key}` });
    expectOctoError(answer, 401, 'UNAUTHORIZED');
    expect(answer.headers['www-authenticate']).toContain('scope="catalog:read"');
  });

  it('OCTO answers 404 NOT_FOUND to an unknown path', async () => {
    expectOctoError(await reseller.get('/octo'), 404, 'NOT_FOUND');
    expectOctoError(await reseller.get('/octo/nothing/here/'), 404, 'NOT_FOUND');
  });

  it('OCTO answers 405 with Allow to another method', async () => {
    const answer = await reseller.delete('/octo/products');
    expectOctoError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it('OCTO answers 400 to a body that is no JSON object, and 415 to another content type', async () => {
    expectOctoError(await post('{"productId":'), 400, 'BAD_REQUEST');
    expectOctoError(await post('[]'), 400, 'BAD_REQUEST');
    expectOctoError(await post('a=b', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('OCTO refuses a body above 64 KiB with 413, and reads a smaller body', async () => {
    const body = (length: number) =>
      JSON.stringify({
        productId: tours.startTime.id,
        optionId: 'DEFAULT',
        notes: 'x'.repeat(length),
        localDateStart: '2031-01-01',
        localDateEnd: '2031-01-02',
      });
    expect((await post(body(60_000))).status).toBe(200);
    const answer = await post(body(66_000));
    expectOctoError(answer, 413, 'BODY_TOO_LARGE');
    expect(answer.body.errorMessage).toBe('The body may have 64 KiB at most.');
  });

  it('OCTO answers BAD_REQUEST to a body of 15,000 levels with an Idempotency-Key', async () => {
    const deep = `{"x":${'['.repeat(15_000)}${']'.repeat(15_000)}}`;
    const headers = { authorization: reseller.authorization, 'content-type': 'application/json' };
    const path = `/octo/bookings/${await reserve()}/extend`;
    const answer = await api.http
      .post(path)
      .set({ ...headers, 'idempotency-key': 'deep' })
      .send(deep);
    expectOctoError(answer, 400, 'BAD_REQUEST');
  });

  it('OCTO answers BAD_REQUEST to a path that cannot be decoded', async () => {
    expectOctoError(await reseller.get('/octo/products/%ff'), 400, 'BAD_REQUEST');
  });

  it('OCTO answers 500 without any detail after a failure of the service', async () => {
    const { availability } = api.context.config.quotas;
    Object.defineProperty(api.context.config.quotas, 'availability', {
      configurable: true,
      get: () => {
        throw new Error('secret detail');
      },
    });
    try {
      const answer = await post('{}');
      expectOctoError(answer, 500, 'INTERNAL_ERROR');
      expect(answer.text).not.toContain('secret');
    } finally {
      Object.defineProperty(api.context.config.quotas, 'availability', { value: availability });
    }
  });

  it('a malformed header gets OCTO’s form below /octo, and a problem document elsewhere', async () => {
    const long = 'a/b,'.repeat(300);
    const send = async (path: string) => api.http.get(path).set('accept', long);
    expectOctoError(await send('/octo/products'), 400, 'BAD_REQUEST');
    expect((await send('/octopus')).type).toBe('application/problem+json');
  });

  it('every write answers BAD_REQUEST to a field of another type, and logs no error', async () => {
    const service = await startApiProcess(api.database.url);
    const body = reservationOf(tours.startTime);
    const uuid = await reserve();
    const wrong: [string, string, object][] = [
      ['POST', '', { ...body, unitItems: {} }],
      ['POST', '', { ...body, unitItems: [null] }],
      ['POST', '', { ...body, unitItems: ['adult'] }],
      ['POST', '', { ...body, unitItems: [{ unitId: 'adult', uuid: ['7'] }] }],
      ['POST', '', { ...body, unitItems: [{ unitId: 'adult', contact: 'Ana' }] }],
      ['POST', '', { ...body, uuid: {} }],
      ['POST', '', { ...body, notes: {} }],
      ['PATCH', `/${uuid}`, { contact: [] }],
      ['PATCH', `/${uuid}`, { contact: { locales: 'de' } }],
      ['PATCH', `/${uuid}`, { contact: { locales: [{}], emailAddress: 7 } }],
      ['PATCH', `/${uuid}`, { currency: 7 }],
      ['POST', `/${uuid}/confirm`, { contact: 'Ana', resellerReference: [] }],
      ['POST', `/${uuid}/extend`, { expirationMinutes: '30' }],
      ['POST', `/${uuid}/cancel`, { reason: {} }],
      ['DELETE', `/${uuid}`, { reason: ['ill'] }],
    ];
    const answers: [number, string][] = [];
    for (const [method, path, sent] of wrong) {
      const answer = await fetch(`${service.baseUrl}/octo/bookings${path}`, {
        method,
        headers: { authorization: reseller.authorization, 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      });
      answers.push([answer.status, ((await answer.json()) as { error: string }).error]);
    }
    await service.stop();
    expect(answers).toEqual(wrong.map(() => [400, 'BAD_REQUEST']));
    expect(service.log()).toBe('');
  });

  it('the message of an error names every invalid field', async () => {
    const answer = await post(JSON.stringify({ optionId: 7 }));
    expect(answer.body.errorMessage).toBe('productId is required. optionId must be a text.');
  });
});

describe('a call below /octo', () => {
  it.each(['/octo/supplier', '/octo/capabilities', '/octo/products'])(
    'a path with a slash at its end gets the same answer as without the slash: %s',
    async (path) => {
      const [bare, slashed] = [await reseller.get(path), await reseller.get(`${path}/`)];
      expect([bare.status, slashed.status]).toEqual([200, 200]);
      expect(slashed.body).toEqual(bare.body);
    },
  );

  it.each([
    ['a missing header', undefined, ''],
    ['an empty header', '', ''],
    ['both spellings in any order', 'content, octo/pricing', 'octo/pricing, octo/content'],
    ['unknown names', 'octo/cart, Octo/Pricing,, x', 'octo/pricing'],
  ])('OCTO answers the capabilities in effect for %s', async (_name, header, inEffect) => {
    const request = reseller.get('/octo/products');
    if (header !== undefined) void request.set('octo-capabilities', header);
    const answer = await request;
    expectOcto(answer, 'products');
    expect(answer.headers['octo-capabilities']).toBe(inEffect);
  });

  it('OCTO names the environment of the key, and refuses a request for the other environment', async () => {
    const sandbox = await givenWebsite(api, { sandbox: true });
    const live = await reseller.get('/octo/supplier').set('octo-env', 'live');
    expect([live.status, live.headers['octo-env'], live.headers['x-sandbox']]).toEqual([
      200,
      'live',
      undefined,
    ]);
    const test = await sandbox.get('/octo/supplier').set('octo-env', 'test');
    expect([test.status, test.headers['octo-env'], test.headers['x-sandbox']]).toEqual([200, 'test', 'true']);
    expectOctoError(await reseller.get('/octo/supplier').set('octo-env', 'test'), 400, 'BAD_REQUEST');
    expectOctoError(await sandbox.get('/octo/supplier').set('octo-env', 'live'), 400, 'BAD_REQUEST');
  });

  it('OCTO accepts unknown query parameters', async () => {
    expect((await reseller.get('/octo/products?utm=1')).status).toBe(200);
  });
});

describe('a key without a scope for bookings', () => {
  const withKey = async () => ({
    authorization: `Bearer ${await givenKey(api.db, reseller.tenant, ['catalog:read'])}`,
  });

  it.each(['patch', 'delete', 'post'] as const)(
    'a key without the scope does not get the stored answer of another key: %s',
    async (method) => {
      const path = `/octo/bookings/${await reserve()}${method === 'post' ? '/cancel' : ''}`;
      const send = (authorization: string) =>
        api.http[method](path)
          .set({ authorization, 'idempotency-key': `scope-${method}` })
          .send(method === 'patch' ? { contact: { fullName: 'Ana Lima' } } : {});
      expect((await send(reseller.authorization)).status).toBe(200);
      const repeated = await send((await withKey()).authorization);
      expectOctoError(repeated, 401, 'UNAUTHORIZED');
      expect(repeated.text).not.toContain('Ana Lima');
    },
  );

  it('a key that may only create bookings gets the same refusal when it confirms a known or an unknown UUID', async () => {
    const key = await givenKey(api.db, reseller.tenant, ['booking:create']);
    for (const uuid of [await reserve(), '01234567-89ab-4cde-8f01-23456789abcd']) {
      const path = `/octo/bookings/${uuid}/confirm`;
      const answer = await api.http
        .post(path)
        .set({ authorization: `Bearer ${key}` })
        .send({});
      expectOctoError(answer, 401, 'UNAUTHORIZED');
      expect(answer.headers['www-authenticate']).toContain('scope="booking:manage"');
    }
  });

  it.each([
    ['a reservation', 'booking:manage', 'booking:create'],
    ['a booking', 'booking:create', 'booking:manage'],
  ] as const)(
    'a key without the scope of %s is refused before its Idempotency-Key is read, and the refusal is not recorded',
    async (kind, scope, needed) => {
      const site = await givenWebsite(api);
      const { body: held } = await site.post('/octo/bookings', reservationOf(tours.startTime));
      const path = `/octo/bookings/${held.uuid}`;
      if (kind === 'a booking') await site.post(`${path}/confirm`, {});
      const authorization = `Bearer ${await givenKey(api.db, site.tenant, [scope])}`;
      const headers = { authorization, 'idempotency-key': 'two words' };
      for (const refused of [api.http.patch(path), api.http.delete(path), api.http.post(`${path}/cancel`)]) {
        const answer = await refused.set(headers).send({});
        expectOctoError(answer, 401, 'UNAUTHORIZED');
        expect(answer.headers['www-authenticate']).toContain(`scope="${needed}"`);
      }
      await api.context.refusals.write(api.db);
      expect(await api.db('sale_refusals').where({ tenant_id: site.tenant.id })).toEqual([]);
    },
  );

  it('a key without the scope gets the same refusal for a known and an unknown UUID', async () => {
    const headers = await withKey();
    for (const uuid of [await reserve(), '01234567-89ab-4cde-8f01-23456789abcd']) {
      const path = `/octo/bookings/${uuid}`;
      expectOctoError(await api.http.get(path).set(headers), 401, 'UNAUTHORIZED');
      expectOctoError(await api.http.patch(path).set(headers).send({}), 401, 'UNAUTHORIZED');
      expectOctoError(await api.http.delete(path).set(headers), 401, 'UNAUTHORIZED');
      for (const call of ['extend', 'confirm', 'cancel'])
        expectOctoError(await api.http.post(`${path}/${call}`).set(headers).send({}), 401, 'UNAUTHORIZED');
    }
  });
});
