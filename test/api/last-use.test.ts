import { mintCredentialToken } from '../../services/api/credentials/token';
import { useTestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';

const api = useTestApi();

const given = async () => givenKey(api.db, await givenTenant(api.db));
const row = (key: string) =>
  api
    .db('api_keys')
    .where('id', key.split('_')[2]!)
    .first<{ lastUsedAt: Date | null; browserSeenAt: Date | null }>();

describe('the last use of an API key', () => {
  const use = async (key: string) => {
    await api.http
      .get('/api/tenant/catalog')
      .set({ authorization: `Bearer ${key}` })
      .expect(200);
    await api.context.uses.stop();
  };

  it('the API stores the time of the first use of a key in the background', async () => {
    const key = await given();
    expect((await row(key)).lastUsedAt).toBeNull();
    await use(key);
    expect(Date.now() - (await row(key)).lastUsedAt!.getTime()).toBeLessThan(60_000);
  });

  it('an earlier time of use never replaces a later one', async () => {
    const key = await given();
    const later = new Date(Date.now() + 3_600_000);
    await api.db('api_keys').where('id', key.split('_')[2]!).update({ last_used_at: later });
    await use(key);
    expect((await row(key)).lastUsedAt).toEqual(later);
  });
});

describe('an API key in a browser', () => {
  const seen = async (key: string) => {
    const { lastUsedAt, browserSeenAt } = await row(key);
    return { used: lastUsedAt !== null, inBrowser: browserSeenAt !== null };
  };

  it.each([
    ['with an Origin', { origin: 'https://shop.example' }],
    ['from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['typed into the address bar', { 'sec-fetch-site': 'none' }],
  ])(
    'the API accepts a key that a browser sends, and records this: %s',
    async (_, headers: Record<string, string>) => {
      const key = await given();
      await api.http.get(`/api/tenant/catalog?api_key=${key}`).set(headers).expect(200);
      await api.context.uses.stop();
      expect(await seen(key)).toEqual({ used: true, inBrowser: true });
    },
  );

  it('a server that uses fetch is not recorded as a browser', async () => {
    const key = await given();
    const answer = await fetch(`${api.baseUrl}/api/tenant/catalog`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await api.context.uses.stop();
    expect([answer.status, await seen(key)]).toEqual([200, { used: true, inBrowser: false }]);
  });

  it('the API refuses and records an API key that a browser sends as a widget token', async () => {
    const key = await given();
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe' };
    await api.http.get(`/embed/tours?token=${key}`).set(frame).expect(401);
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: false, inBrowser: true });
  });

  it('the API records nothing when the secret of the key is wrong', async () => {
    const key = await given();
    const wrong = mintCredentialToken('api_key').token.replace(/^svc_live_.{12}/, key.slice(0, 21));
    await api.http.get(`/api/tenant/catalog?api_key=${wrong}`).set('origin', 'https://a.example').expect(401);
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: false, inBrowser: false });
  });

  it('the API keeps the record of a browser after a server uses the key', async () => {
    const key = await given();
    const {
      http,
      context: { uses },
    } = api;
    const call = () => http.get(`/api/tenant/catalog?api_key=${key}`);
    await call().set('origin', 'https://a.example');
    await call();
    await uses.stop();
    await call();
    await uses.stop();
    expect(await seen(key)).toEqual({ used: true, inBrowser: true });
  });

  it('recording the use of a key in a browser does not raise the version that instances poll', async () => {
    const key = await given();
    const version = () => api.db('change_version').first('version');
    const before = await version();
    await api.http.get(`/api/tenant/catalog?api_key=${key}`).set('origin', 'https://a.example');
    await api.context.uses.stop();
    expect(await seen(key)).toEqual({ used: true, inBrowser: true });
    expect(await version()).toEqual(before);
  });
});
