import { startTestApi, type TestApi } from '../support/api';
import { givenKey, givenTenant } from '../support/given';

let api: TestApi;
beforeAll(async () => (api = await startTestApi()));
afterAll(() => api.stop());

describe('the last use of an API key', () => {
  it('is written in the background, and only ever moves forward', async () => {
    const { db, uses } = api.context;
    const key = await givenKey(db, await givenTenant(db));
    const row = () =>
      db('api_keys').where('id', key.split('_')[2]!).first<{ last_used_at: Date | null }>('last_used_at');
    expect((await row()).last_used_at).toBeNull();

    await api.http
      .get('/api/tenant/catalog')
      .set({ authorization: `Bearer ${key}` })
      .expect(200);
    await uses.stop();
    expect(Date.now() - (await row()).last_used_at!.getTime()).toBeLessThan(60_000);

    const later = new Date(Date.now() + 3_600_000);
    await db('api_keys').where('id', key.split('_')[2]!).update({ last_used_at: later });
    await api.http
      .get('/api/tenant/catalog')
      .set({ authorization: `Bearer ${key}` })
      .expect(200);
    await uses.stop();
    expect((await row()).last_used_at).toEqual(later);
  });
});
