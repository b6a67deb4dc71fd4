import type { Db, Trx } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import { updateTenant } from '../tenants/update-tenant';
import type { Visibility, VisibilityTarget } from './visibility';
import {
  deleteContinentRule,
  deleteTourRule,
  findVisibilityRules,
  putContinentRule,
  putTourRule,
} from './visibility-rule.repository';

export async function readVisibility(db: Db, tenant: Tenant): Promise<Visibility> {
  return { defaultVisible: tenant.defaultVisible, ...(await findVisibilityRules(db, tenant.id)) };
}

/**
 * Shows or hides what the target names. The next request of the tenant, on any instance, is judged by it.
 * @param tenant locked by findTenantForChange
 */
export async function setVisibility(
  trx: Trx,
  tenant: Tenant,
  target: VisibilityTarget,
  visible: boolean,
): Promise<Visibility> {
  let changed = tenant;
  if (target.kind === 'tour') await putTourRule(trx, tenant.id, target.tourId, visible);
  else if (target.kind === 'continent') await putContinentRule(trx, tenant.id, target.continent, visible);
  else changed = await updateTenant(trx, tenant, { defaultVisible: visible });
  return readVisibility(trx, changed);
}

/** Takes a rule back, if there is one: what it spoke of is judged by the next weaker rule. */
export async function clearVisibility(
  trx: Trx,
  tenant: Tenant,
  target: Exclude<VisibilityTarget, { kind: 'default' }>,
): Promise<Visibility> {
  if (target.kind === 'tour') await deleteTourRule(trx, tenant.id, target.tourId);
  else await deleteContinentRule(trx, tenant.id, target.continent);
  return readVisibility(trx, tenant);
}
