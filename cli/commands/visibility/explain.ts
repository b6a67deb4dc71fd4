import { explainVisibility } from '../../../services/api/catalog/explain-visibility';
import { findTour } from '../../../services/api/catalog/find-tour';
import type { VisibilityRule } from '../../../services/api/catalog/visibility';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { shown } from './visibility-document';

export async function explainVisibilityCommand(
  { db, output }: Context,
  _: object,
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const tour = await findTour(db, idOrSlug);
  const { visible, published, decidedBy, beaten } = await explainVisibility(db, tenant, tour);
  const { id, slug: tourSlug, name, continent, status } = tour;
  const document = {
    tenant: slug,
    tour: { id, slug: tourSlug, name, continent, status },
    visible,
    decided_by: published ? decidedBy : { kind: 'status', visible: false },
    beaten: published ? beaten : [decidedBy, ...beaten],
  };
  const inWords = (rule: VisibilityRule) => {
    const of = { tour: tourSlug, continent, default: 'everything' }[rule.kind];
    return `the ${rule.kind} rule (${of}: ${shown(rule.visible)})`;
  };
  output.answer(document, () => {
    const reason = published ? inWords(decidedBy) : `its status: a ${status} tour is shown to nobody`;
    const losers = (published ? beaten : [decidedBy, ...beaten]).map(
      (rule) => `\n  it beats ${inWords(rule)}`,
    );
    return `${tourSlug} is ${shown(visible)} for ${slug}\n  decided by ${reason}${losers.join('')}`;
  });
}
