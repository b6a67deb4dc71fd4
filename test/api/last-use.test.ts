import { mintCredentialToken } from '../../services/api/credentials/token';
import { useTestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';

const api = useTestApi();

describe('the last use of an API key', () => {
  it('is written in the background and never moves back', async () => {
    const {
      db,
      context: { uses },
    } = api;
    const key = await givenKey(db, await givenTenant(db));
    const row = () =>
      db('api_keys').where('id', key.split('_')[2]!).first<{ lastUsedAt: Date | null }>('last_used_at');
    expect((await row()).lastUsedAt).toBeNull();

    await api.http
      .get('/api/tenant/catalog')
      .set({ authorization: `Bearer ${key}` })
      .expect(200);
    await uses.stop();
    expect(Date.now() - (await row()).lastUsedAt!.getTime()).toBeLessThan(60_000);

    const later = new Date(Date.now() + 3_600_000);
    await db('api_keys').where('id', key.split('_')[2]!).update({ last_used_at: later });
    await api.http
      .get('/api/tenant/catalog')
      .set({ authorization: `Bearer ${key}` })
      .expect(200);
    await uses.stop();
    expect((await row()).lastUsedAt).toEqual(later);
  });
});

describe('an API key in a browser', () => {
  const seen = async (key: string) => {
    const row = await api
      .db('api_keys')
      .where('id', key.split('_')[2]!)
      .first<{ lastUsedAt: Date | null; browserSeenAt: Date | null }>();
    return { used: row.lastUsedAt !== null, inBrowser: row.browserSeenAt !== null };
  };
  const given = async () => givenKey(api.db, await givenTenant(api.db));

  it.each([
    ['with an Origin', { origin: 'https://shop.example' }],
    ['from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }],
  ])('is accepted, and the use in a browser is recorded: %s', async (_, headers: Record<string, string>) => {
    const key = await given();
    await api.http.get(`/api/tenant/catalog?api_key=${key}`).set(headers).expect(200);
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: true, inBrowser: true });
  });

  it('is not recorded for a server that uses fetch', async () => {
    const key = await given();
    const answer = await fetch(`${api.baseUrl}/api/tenant/catalog`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await api.context.uses.stop();
    expect([answer.status, await seen(key)]).toEqual([200, { used: true, inBrowser: false }]);
  });

  it('is recorded and refused when it is sent as a widget token', async () => {
    const key = await given();
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    await api.http.get(`/embed/tours?token=${key}`).set(frame).expect(401);
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: false, inBrowser: true });
  });

  it('is not recorded when the secret is wrong', async () => {
    const key = await given();
    const wrong = mintCredentialToken('api_key').token.replace(/^svc_live_.{12}/, key.slice(0, 21));
    await api.http.get(`/api/tenant/catalog?api_key=${wrong}`).set('origin', 'https://a.example').expect(401);
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: false, inBrowser: false });
  });

  it('stays recorded after a server uses the key, and does not change the version that instances poll', async () => {
    const key = await given();
    const {
      db,
      context: { uses },
    } = api;
    const version = () => db('change_version').first('version');
    const before = await version();
    const call = () => api.http.get(`/api/tenant/catalog?api_key=${key}`);
    await call().set('origin', 'https://a.example');
    await call();
    await uses.stop();
    await call();
    await uses.stop();
    expect(await seen(key)).toEqual({ used: true, inBrowser: true });
    expect(await version()).toEqual(before);
  });
});
