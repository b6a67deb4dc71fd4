import { cachedCredentials } from '../../services/api/credentials/credential-source';
import { mintCredentialToken } from '../../services/api/credentials/token';
import {
  createRenewableValidity,
  type RenewableValidity,
} from '../../services/platform/read-cache/read-cache';
import { useTestApi } from '../support/api';
import { expectProblem } from '../support/responses';
import { givenWebsite, useWebsite } from '../support/website';
import { withAnotherSecret } from '../support/forged-token';
import { givenWidgetToken } from '../widget/given-widget';

const CATALOG = '/api/tenant/catalog';
const LIST = '/api/widget/tours';

const api = useTestApi();
const reader = useWebsite(api, {}, ['catalog:read']);
let validity: RenewableValidity;
let widget: { id: string; token: string };
beforeAll(async () => {
  widget = await givenWidgetToken(api.db, reader.tenant);
  validity = createRenewableValidity();
  api.context.credentials = cachedCredentials(api.db, validity);
});

/** Renews the validity of the read cache, like a poll that has read this change version. */
const renew = (version = 1) =>
  validity.renew({ version, databaseTime: Date.now() }, { monotonic: performance.now(), wall: Date.now() });

const withKey = (key: string) => () => api.http.get(CATALOG).set({ authorization: `Bearer ${key}` });
const withToken = (token: string) => () => api.http.get(LIST).set('x-svc-widget-token', token);

/** Records the SQL statements of one request. Also counts the counters that the request adds to the quota store. */
async function workOf(send: () => PromiseLike<{ status: number }>): Promise<object> {
  const statements: string[] = [];
  const buckets: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  const { quotas } = api.context;
  api.context.quotas = {
    consume: (bucket, limit) => (buckets.push(bucket), quotas.consume(bucket, limit)),
  };
  api.db.on('query', note);
  renew();
  const { status } = await send();
  api.db.removeListener('query', note);
  api.context.quotas = quotas;
  return { status, statements, buckets };
}

describe('a wrong secret for a known id', () => {
  it.each([
    ['key', () => withKey(reader.key), () => reader.key, withKey, 'api_key'],
    ['widget token', () => withToken(widget.token), () => widget.token, withToken, 'widget_token'],
    ['key where a widget token belongs', () => withKey(reader.key), () => reader.key, withToken, 'api_key'],
  ] as const)(
    'a wrong secret causes the same queries as an unknown id: %s',
    async (_what, good, token, offer, kind) => {
      renew();
      await good()();
      expect(await workOf(good())).toMatchObject({ status: 200 });

      const known = await workOf(offer(withAnotherSecret(token())));
      expect(known).toMatchObject({
        status: 401,
        statements: [expect.any(String)],
        buckets: [expect.any(String)],
      });
      expect(await workOf(offer(mintCredentialToken(kind).token))).toEqual(known);

      const again = withAnotherSecret(token());
      await workOf(offer(again));
      expect(await workOf(offer(again))).toEqual(known);
    },
  );

  it('a wrong secret of a revoked key causes the same queries as an unknown id', async () => {
    const { db } = api;
    const revoked = await givenWebsite(api, {}, ['catalog:read']);
    await db('api_keys').where({ tenant_id: revoked.tenant.id }).update({ revoked_at: db.fn.now() });
    renew();
    expectProblem(await withKey(revoked.key)(), 401, 'key_revoked');
    const refused = await workOf(withKey(withAnotherSecret(revoked.key)));
    expect(await workOf(withKey(mintCredentialToken('api_key').token))).toEqual(refused);
  });
});

describe('a key in the read cache', () => {
  it('the API accepts a key in the read cache without a query for keys', async () => {
    const { db } = api;
    const brief = await givenWebsite(api, {}, ['catalog:read']);
    renew();
    await withKey(brief.key)();
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => void statements.push(sql);
    db.on('query', note);
    renew();
    expect((await withKey(brief.key)()).status).toBe(200);
    db.removeListener('query', note);
    expect(statements.filter((sql) => sql.includes('api_keys'))).toEqual([]);
  });

  it('the API refuses a revoked key from the next version of the read cache on', async () => {
    const { db } = api;
    const brief = await givenWebsite(api, {}, ['catalog:read']);
    renew();
    expect((await withKey(brief.key)()).status).toBe(200);
    await db('api_keys').where({ tenant_id: brief.tenant.id }).update({ revoked_at: db.fn.now() });
    renew(2);
    expectProblem(await withKey(brief.key)(), 401, 'key_revoked');
  });
});
