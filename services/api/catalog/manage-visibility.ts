import type { Db, Trx } from '../../platform/database/database';
import type { Tenant } from '../tenants/tenant';
import { updateTenant } from '../tenants/manage-tenants';
import {
  rankVisibilityRules,
  type Visibility,
  type VisibilityRule,
  type VisibilityTarget,
} from './visibility';
import {
  deleteContinentRule,
  deleteTourRule,
  findRulesOfTour,
  findVisibilityRules,
  putContinentRule,
  putTourRule,
} from './visibility-rule.repository';

import type { CatalogTour } from './tour';

export async function readVisibility(db: Db, tenant: Tenant): Promise<Visibility> {
  return { defaultVisible: tenant.defaultVisible, ...(await findVisibilityRules(db, tenant.id)) };
}

/**
 * Shows or hides the target. After the commit, the change applies to each request of the tenant, on every instance.
 * @param tenant a tenant that findTenantForChange has locked
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

/** Removes the rule of the target if there is one. Then a continent rule or the default decides. */
export async function clearVisibility(
  trx: Trx,
  tenant: Tenant,
  target: Exclude<VisibilityTarget, { kind: 'default' }>,
): Promise<Visibility> {
  if (target.kind === 'tour') await deleteTourRule(trx, tenant.id, target.tourId);
  else await deleteContinentRule(trx, tenant.id, target.continent);
  return readVisibility(trx, tenant);
}

/** The reason why a tenant sees a tour or not. */
interface VisibilityExplanation {
  visible: boolean;
  /** False for a draft or archived tour, which no rule can show. */
  published: boolean;
  decidedBy: VisibilityRule;
  beaten: VisibilityRule[];
}

export async function explainVisibility(
  db: Db,
  tenant: Tenant,
  tour: Pick<CatalogTour, 'id' | 'continent' | 'status'>,
): Promise<VisibilityExplanation> {
  const rules = await findRulesOfTour(db, tenant.id, tour);
  const [decidedBy, ...beaten] = rankVisibilityRules({ ...rules, default: tenant.defaultVisible });
  const published = tour.status === 'published';
  return { visible: published && decidedBy!.visible, published, decidedBy: decidedBy!, beaten };
}
