import { awaitInstances } from '../../services/platform/read-cache/instance.repository';
import { inTransaction } from '../../services/platform/database/database';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { type Ask, askOnce, hammer, pause } from '../support/hammer';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { ORIGIN, type Shop, startTwoInstances, type TwoInstances } from './two-instances';

/** Repetitions of each of the nine kinds of change. */
const REPETITIONS = Number(process.env.REPETITIONS ?? 6);
/** Longer than the read-cache validity. */
const PAST_VALIDITY_MS = 1_300;

let two: TwoInstances;
beforeAll(async () => {
  two = await startTwoInstances();
}, 60_000);
afterAll(async () => two.stop());

interface Case {
  ask: Ask;
  change: () => Promise<number>;
}
const command = (line: string) => async () => (await two.tourctl(line)).at;
const served = (status: number) => status === 200;

const withKey = ({ authorization }: Shop, where: string, isOld: Ask['isOld'] = served): Ask => ({
  path: where,
  headers: { authorization },
  isOld,
});
const tourOf = (shop: Shop) => `/api/tenant/tours/${shop.tour}`;
const list = (shop: Shop): Ask => withKey(shop, '/api/tenant/catalog?limit=5');
const widgetList = ({ widgetToken }: Shop): Ask => ({
  path: `/api/widget/tours?token=${widgetToken}`,
  headers: { origin: ORIGIN },
  isOld: served,
});

const CASES: Record<string, (shop: Shop) => Case> = {
  'a key is revoked': (shop) => ({ ask: list(shop), change: command(`key revoke ${shop.keyId}`) }),
  'a key is rotated without grace': (shop) => ({
    ask: withKey(shop, tourOf(shop)),
    change: command(`key rotate ${shop.keyId} --grace 0`),
  }),
  'a tenant is suspended': (shop) => ({
    ask: withKey(shop, tourOf(shop)),
    change: command(`tenant suspend ${shop.slug}`),
  }),
  'a widget token is revoked': (shop) => ({
    ask: widgetList(shop),
    change: command(`widget revoke ${shop.widgetId}`),
  }),
  'an origin is removed': (shop) => ({
    ask: widgetList(shop),
    change: command(`origins remove ${shop.slug} ${ORIGIN}`),
  }),
  'a tour is hidden': (shop) => ({
    ask: withKey(shop, tourOf(shop)),
    change: command(`visibility deny ${shop.slug} --tour ${shop.tour}`),
  }),
  'a price is changed': (shop) => ({
    ask: withKey(shop, tourOf(shop), (_, body) => body.includes('"price_from":500,')),
    change: command(`pricing add ${shop.slug} --price 400`),
  }),
  'a departure is cancelled': (shop) => ({
    ask: withKey(
      shop,
      `/api/gateway/tours/${shop.tour}/availability?departure_date=${shop.date}`,
      (_, body) => body.includes('"available":true'),
    ),
    change: command(`departure cancel ${shop.tour} ${shop.date}`),
  }),
  // The terminal has no command that takes a scope away. The test changes the row, and then waits for the instances.
  'a scope is taken away': (shop) => ({
    ask: list(shop),
    change: async () => {
      await inTransaction(two.db, (trx) =>
        trx('api_keys')
          .where({ id: shop.keyId })
          .update({ scopes: ['booking:read'] }),
      );
      await awaitInstances(two.db);
      return performance.now();
    },
  }),
};

describe('two instances under constant requests', () => {
  // Runs the cases concurrently, so that each case raises the change version while the others run.
  it('both instances apply every change from the instant at which its command returns', async () => {
    const hitsBefore = await two.hits();
    for (let n = 0; n < REPETITIONS; n++) {
      const outcomes = Object.entries(CASES).map(async ([name, prepare]) => {
        const { ask, change } = prepare(await two.givenShop());
        return [name, await hammer(two.baseUrls, ask, change)] as const;
      });
      for (const [name, outcome] of await Promise.all(outcomes)) {
        expect([name, outcome.oldAfter]).toEqual([name, 0]);
        expect(outcome.oldBefore).toBeGreaterThan(0);
        expect(outcome.after).toBeGreaterThan(0);
      }
    }
    // Checks that the cache was used.
    expect((await two.hits()) - hitsBefore).toBeGreaterThan(1_000);
  }, 180_000);

  it('both instances convert prices by a new selling currency and by new rates from the instant at which the command returns', async () => {
    const shop = await two.givenShop();
    const isOldAfter = (old: string) =>
      withKey(shop, tourOf(shop), (status, body) => status === 200 && body.includes(old));
    await two.tourctl('rates set USD 2');
    const steps: [line: string, old: string][] = [
      [`tenant set ${shop.slug} --sell-in USD`, '"currency":"EUR"'],
      ['rates set USD 4', '"price_from":1000,'],
      [`tenant set ${shop.slug} --sell-in CHF`, '"price_from":2000,'],
    ];
    for (const [line, old] of steps) {
      const outcome = await hammer(two.baseUrls, isOldAfter(old), command(line));
      expect([line, outcome.oldAfter]).toEqual([line, 0]);
      expect([line, outcome.oldBefore]).not.toEqual([line, 0]);
    }
  }, 60_000);

  it('both instances apply a change that a command in another process makes', async () => {
    const shop = await two.givenShop();
    for (const line of [`tenant suspend ${shop.slug}`, `key revoke ${shop.keyId}`]) {
      const outcome = await hammer(two.baseUrls, withKey(shop, tourOf(shop)), () => two.tourctlProcess(line));
      expect([line, outcome.oldAfter]).toEqual([line, 0]);
      expect(outcome.oldBefore).toBeGreaterThan(0);
      await two.tourctl(`tenant activate ${shop.slug}`);
    }
  }, 60_000);

  it('both instances refuse a key from the instant of its expiry, by the clock of the database', async () => {
    const shop = await two.givenShop();
    const { db } = two;
    await inTransaction(db, (trx) =>
      trx('api_keys')
        .where({ id: shop.keyId })
        .update({ expires_at: trx.raw("clock_timestamp() + interval '1.5 seconds'") }),
    );
    const outcome = await hammer(two.baseUrls, list(shop), async () => {
      await db.raw('select pg_sleep_until((select expires_at from api_keys where id = ?))', [shop.keyId]);
      return performance.now();
    });
    expect(outcome.oldAfter).toBe(0);
    expect(outcome.oldBefore).toBeGreaterThan(0);
  });
});

describe('an instance that cannot reach the database', () => {
  let proxy: TcpProxy;
  let instance: ApiProcess;
  beforeEach(async () => {
    const url = new URL(two.databaseUrl);
    proxy = await startTcpProxy(Number(url.port));
    url.port = `${proxy.port}`;
    url.hostname = '127.0.0.1';
    instance = await startApiProcess(url.href);
  });
  afterEach(async () => {
    await instance.kill();
    await proxy.stop();
  });

  const untilStatus = async (ask: Ask, wanted: number) => {
    const isWanted = (status: number) => status === wanted;
    while (!(await askOnce(instance.baseUrl, { ...ask, isOld: isWanted }, 2_000)).old) await pause(100);
  };

  it('an instance whose connection hangs gives no outdated answer, and serves again later', async () => {
    const shop = await two.givenShop();
    const ask = withKey(shop, tourOf(shop));
    await untilStatus(ask, 200);

    const began = performance.now();
    const outcome = await hammer([instance.baseUrl], ask, async () => {
      proxy.hang();
      const { at } = await two.tourctl(`key revoke ${shop.keyId}`);
      // Closes the connection to the database a second after the command has answered, so that no request hangs.
      setTimeout(() => proxy.refuse(), 1_000);
      return at;
    });
    expect(outcome.oldAfter).toBe(0);
    expect(outcome.oldBefore).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(10_000);

    proxy.resume();
    const other = await two.givenShop();
    const asked = withKey(other, tourOf(other));
    await untilStatus(asked, 200);
    await untilStatus(ask, 401);
  }, 60_000);

  it('an instance uses no cached data after a long pause when its polls fail', async () => {
    const shop = await two.givenShop();
    const ask = withKey(shop, tourOf(shop));
    await untilStatus(ask, 200);
    instance.pause();
    await two.tourctl(`key revoke ${shop.keyId}`);
    // Delays each poll beyond its timeout, so that the resumed process cannot renew its read-cache validity.
    proxy.delay(1_200);
    instance.resume();
    const outcome = await hammer([instance.baseUrl], ask, async () => {
      const resumed = performance.now();
      await pause(2_500);
      return resumed;
    });
    expect(outcome.after).toBeGreaterThan(0);
    expect(outcome.oldAfter + outcome.oldBefore).toBe(0);
    proxy.resume();
    await untilStatus(ask, 401);
  }, 60_000);

  it('an instance with a slow connection gives no outdated answer', async () => {
    proxy.delay(300);
    for (let n = 0; n < 2; n++) {
      const shop = await two.givenShop();
      const ask = withKey(shop, tourOf(shop));
      await untilStatus(ask, 200);
      const outcome = await hammer([instance.baseUrl], ask, command(`key revoke ${shop.keyId}`));
      expect(outcome.oldAfter).toBe(0);
      expect(outcome.oldBefore).toBeGreaterThan(0);
    }
  }, 60_000);

  it('an instance that has died delays only the next command', async () => {
    const shop = await two.givenShop();
    const waited = async () => {
      const begun = performance.now();
      await inTransaction(two.db, (trx) => trx('tenants').where({ slug: shop.slug }).update({ name: 'x' }));
      await awaitInstances(two.db);
      return performance.now() - begun;
    };
    await pause(PAST_VALIDITY_MS);
    await instance.kill();
    expect(await waited()).toBeGreaterThan(1_000);
    expect(await waited()).toBeLessThan(1_000);
    expect((await two.db('api_instances')).length).toBe(2);
  });
});
