import { loadConfig } from '../../services/platform/config/config';
import { useTestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';
import { useWebsite } from '../support/website';

const { webhooks } = loadConfig({});
const api = useTestApi({ webhooks: { ...webhooks, allowPrivateTargets: true } });
const reseller = useWebsite(api);

const SUBSCRIPTIONS = '/octo/notifications/subscriptions';
const URL = 'https://reseller.example/octo';

/** Returns the public id of an API key. */
const idOf = (key: string) => key.slice('svc_live_'.length, 'svc_live_'.length + 12);

async function subscribe(): Promise<string> {
  const wish = { url: URL, notificationTypes: ['PRODUCT_UPDATE'], headers: { 'Api-Key': 'a secret' } };
  const { status, body } = await reseller.post(SUBSCRIPTIONS, wish);
  expect(status).toBe(200);
  return body.id;
}

const audits = (subject: string) => api.db('audit_log').where({ subject }).orderBy('id');

afterEach(async () => {
  const { body } = await reseller.get(SUBSCRIPTIONS);
  for (const { id } of body as { id: string }[]) await reseller.delete(`${SUBSCRIPTIONS}/${id}`);
});

describe('the audit log of subscriptions', () => {
  it('has one entry for the creation, with the key and without secrets', async () => {
    const id = await subscribe();
    const entries = await audits(id);
    expect(entries).toEqual([
      expect.objectContaining({
        actor: `key ${idOf(reseller.key)}`,
        host: 'api',
        action: 'webhook.add',
        tenantId: reseller.tenant.id,
        before: null,
        after: {
          id,
          tenant: reseller.tenant.slug,
          url: URL,
          format: 'octo',
          events: ['octo.product_update'],
          status: 'active',
          api_key: idOf(reseller.key),
          headers: ['Api-Key'],
        },
      }),
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/a secret|whsec/);
  });

  it('has an entry for each change with the state before and after, and none for a request that changes nothing', async () => {
    const id = await subscribe();
    const path = `${SUBSCRIPTIONS}/${id}`;
    await reseller.patch(path, { notificationTypes: ['PRODUCT_UPDATE'] });
    await reseller.patch(path, { notificationTypes: ['AVAILABILITY_UPDATE'] });
    await reseller.patch(path, { headers: { 'X-New': 'b' } });
    const [, ...changes] = await audits(id);
    expect(changes).toMatchObject([
      {
        action: 'webhook.set',
        before: { events: ['octo.product_update'] },
        after: { events: ['octo.availability_update'] },
      },
      { action: 'webhook.set', before: { headers: ['Api-Key'] }, after: { headers: ['X-New'] } },
    ]);
  });

  it('has an entry for the deletion, and names the key that deleted', async () => {
    const id = await subscribe();
    const second = await givenKey(api.db, reseller.tenant);
    await api.http.delete(`${SUBSCRIPTIONS}/${id}`).set({ authorization: `Bearer ${second}` });
    const entry = (await audits(id)).at(-1);
    expect(entry).toMatchObject({
      actor: `key ${idOf(second)}`,
      action: 'webhook.remove',
      before: { status: 'active' },
      after: { status: 'removed' },
    });
  });

  it('has no entry for a subscription of another tenant that a request names', async () => {
    const id = await subscribe();
    const second = await givenKey(api.db, await givenTenant(api.db));
    await api.http.delete(`${SUBSCRIPTIONS}/${id}`).set({ authorization: `Bearer ${second}` });
    expect(await audits(id)).toHaveLength(1);
  });
});

describe('the key of a subscription', () => {
  const keyOf = (id: string) => api.db('webhook_endpoints').where({ id }).pluck('api_key_id');

  it('is the one that made it, until another one gives it another address', async () => {
    const id = await subscribe();
    const second = await givenKey(api.db, reseller.tenant);
    const change = async (body: object) =>
      api.http
        .patch(`${SUBSCRIPTIONS}/${id}`)
        .set({ authorization: `Bearer ${second}` })
        .send(body);
    await change({ notificationTypes: ['AVAILABILITY_UPDATE'] });
    expect(await keyOf(id)).toEqual([idOf(reseller.key)]);
    await change({ url: `${URL}?mine` });
    expect(await keyOf(id)).toEqual([idOf(second)]);
  });
});
