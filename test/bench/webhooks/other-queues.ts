import { openDatabase } from '../../../services/platform/database/database';
import { prepareGraphile } from './consume-graphile';
import { PG_BOSS_QUEUE, preparePgBoss } from './consume-pg-boss';
import type { Queue } from './queue';

export async function openGraphileQueue(url: string): Promise<Queue> {
  await prepareGraphile(url);
  return openQueue(url, {
    add: `
      select graphile_worker.add_jobs(array_agg(row('deliver', json_build_object('url', t.url, 'body', :body::text),
        null, null, null, null, null, null)::graphile_worker.job_spec order by n))
      from generate_series(1, :each::integer) as n, unnest(:urls::text[]) as t (url)`,
    clear: 'truncate graphile_worker._private_jobs',
    left: 'select count(*) as left from graphile_worker._private_jobs',
  });
}

export async function openPgBossQueue(url: string): Promise<Queue> {
  await preparePgBoss(url);
  return openQueue(url, {
    add: `
      insert into pgboss.job (name, policy, data)
      select '${PG_BOSS_QUEUE}', 'standard', jsonb_build_object('url', t.url, 'body', :body::text)
      from generate_series(1, :each::integer) as n, unnest(:urls::text[]) as t (url)`,
    clear: 'truncate pgboss.job',
    left: `select count(*) as left from pgboss.job where state <> 'completed'`,
  });
}

function openQueue(url: string, sql: { add: string; clear: string; left: string }): Queue {
  const db = openDatabase(url, { applicationName: 'bench', poolMax: 2 });
  return {
    url,
    add: async (urls, each, body) => void (await db.raw(sql.add, { urls, each, body })),
    clear: async () => {
      await db.raw(sql.clear);
      await db.raw('vacuum analyze');
    },
    left: async () => (await db.raw<{ rows: [{ left: number }] }>(sql.left)).rows[0].left,
    close: () => db.destroy(),
  };
}
