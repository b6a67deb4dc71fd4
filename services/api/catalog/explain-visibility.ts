import type { Db } from '../../platform/database';
import type { Tenant } from '../tenants/tenant';
import type { CatalogTour } from './catalog-tour';
import { rankVisibilityRules, type VisibilityRule } from './visibility';
import { findRulesOfTour } from './visibility-rule.repository';

/** Why a tenant sees a tour or does not. */
export interface VisibilityExplanation {
  visible: boolean;
  /** False: it is a draft or archived, and no rule can show it. */
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
  const [decidedBy, ...beaten] = rankVisibilityRules(tenant.defaultVisible, rules);
  const published = tour.status === 'published';
  return { visible: published && decidedBy!.visible, published, decidedBy: decidedBy!, beaten };
}
