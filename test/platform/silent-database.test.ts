import { openDatabase } from '../../services/platform/database';
import { useTestDatabase } from '../support/database';
import { startTcpProxy } from '../support/tcp-proxy';

const database = useTestDatabase();

describe('a database connection that receives no more bytes', () => {
  it('fails its statement in time and is closed, so that the next statement has another (T19)', async () => {
    const proxy = await startTcpProxy(Number(new URL(database.url).port));
    const through = new URL(database.url);
    through.host = `127.0.0.1:${proxy.port}`;
    const db = openDatabase(through.href, { applicationName: 'test', poolMax: 1, answerTimeoutMs: 300 });
    try {
      await db.raw('select 1');
      proxy.hang();
      await expect(db.raw('select 2')).rejects.toThrow(/timeout/);
      proxy.heal();
      expect((await db.raw('select 3 as n')).rows).toEqual([{ n: 3 }]);
    } finally {
      await db.destroy();
      await proxy.stop();
    }
  });
});
