import type { Db } from '../../services/platform/database/database';
import { parseEndpointUrl, REFUSED_PORTS } from '../../services/webhook-queue/sending/allowed-target';
import { showDelivery } from '../../services/webhook-queue/deliveries/find-deliveries';
import { useTestDatabase } from '../support/database';
import { add, book, createTenant, startFastWorker, whenAll } from './queue-fixture';

const REFUSED = Object.values(REFUSED_PORTS).flat();
const accepts = (url: string, httpAllowed: boolean): boolean => {
  try {
    parseEndpointUrl(url, httpAllowed);
    return true;
  } catch {
    return false;
  }
};

describe('the port of a webhook address', () => {
  it('the port of a target is 443, or one from 1024 on that no well-known service uses', () => {
    const accepted = Array.from({ length: 65_536 }, (_, port) => port).filter((port) =>
      accepts(`https://example.com:${port}/`, false),
    );
    expect(accepted).toHaveLength(1 + (65_536 - 1024) - REFUSED.length);
    expect(accepted[0]).toBe(443);
    expect(accepted[1]).toBe(1024);
    for (const port of REFUSED) expect(accepted).not.toContain(port);
    for (const port of [3000, 4000, 8000, 8080, 8443, 9000, 65_535]) expect(accepted).toContain(port);
  });

  it('a target may also have the port 80 where http is allowed, and no other low port', () => {
    for (const scheme of ['http', 'https']) {
      for (const port of ['', ':80', ':443', ':8080'])
        expect(accepts(`${scheme}://127.0.0.1${port}/`, true)).toBe(true);
      for (const port of [0, 22, 25, 81, 1023, 2375, 5432, 6379])
        expect(accepts(`${scheme}://127.0.0.1:${port}/`, true)).toBe(false);
    }
    expect(accepts('https://example.com:80/', false)).toBe(false);
  });

  it('the ports of the services of this product are refused: PostgreSQL, PgBouncer, Redis, etcd and Patroni', () => {
    for (const port of [5432, 6432, 6379, 2379, 2380, 8008])
      expect(accepts(`https://example.com:${port}/`, true)).toBe(false);
  });

  it('no ephemeral port is refused', () => {
    expect(Math.max(...REFUSED)).toBeLessThan(32_768);
    expect(Math.min(...REFUSED)).toBeGreaterThan(1023);
    expect(new Set(REFUSED).size).toBe(REFUSED.length);
  });
});

describe('a delivery to an endpoint that was added before its port was refused', () => {
  const database = useTestDatabase();
  let db: Db;
  beforeAll(() => void (db = database.db));

  it.each([true, false])(
    'a delivery to a refused port connects to nothing, and ends as dead (private targets: %s)',
    async (allowPrivateTargets) => {
      const tenantId = await createTenant(db);
      const { id } = await add(db, tenantId, 'https://127.0.0.1:20022/hook');
      await db('webhook_endpoints').where({ id }).update({ url: 'https://127.0.0.1:6379/hook' });
      await book(db, tenantId);
      const worker = startFastWorker(db, { allowPrivateTargets, retryScheduleSeconds: [0, 0.01, 0.01] });
      const [delivery] = await whenAll(db, tenantId, 'dead').finally(() => worker.stop());
      const { tries } = await showDelivery(db, delivery!.id);
      expect(tries).toHaveLength(3);
      for (const attempt of tries)
        expect(attempt).toMatchObject({
          outcome: 'blocked',
          statusCode: null,
          peer: null,
          phases: null,
          signature: null,
          reason:
            'The address is refused: port 6379 is the usual port of a cache or a search engine: use another one.',
        });
    },
  );
});
