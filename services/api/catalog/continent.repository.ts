import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';

/** Steps from continent to continent through their index, and asks of each whether one visible tour is there. */
export async function findVisibleContinents(db: Db, tenant: Tenant): Promise<string[]> {
  const { rows } = await db.raw(
    `with recursive continents (continent) as (
       (select t.continent from tours t where t.status = 'published' order by t.continent limit 1)
       union all
       select (select t.continent from tours t where t.status = 'published' and t.continent > c.continent
               order by t.continent limit 1)
       from continents c where c.continent is not null
     )
     select c.continent
     from continents c
       left join visibility_continent_rules vc on vc.tenant_id = :tenantId and vc.continent = c.continent
     where c.continent is not null
       and (coalesce(vc.visible, :defaultVisible) and exists (
              select from tours t
              where t.status = 'published' and t.continent = c.continent
                and not exists (select from visibility_tour_rules r
                                where r.tenant_id = :tenantId and r.tour_id = t.id and not r.visible))
            or exists (
              select from visibility_tour_rules r join tours t on t.id = r.tour_id and t.status = 'published'
              where r.tenant_id = :tenantId and r.visible and r.continent = c.continent))
     order by c.continent`,
    { tenantId: tenant.id, defaultVisible: tenant.defaultVisible },
  );
  return rows.map((row: { continent: string }) => row.continent);
}
