import { isContinentOfSomeTour } from '../../../services/api/catalog/catalog-tour.repository';
import { findTour } from '../../../services/api/catalog/find-tour';
import {
  clearVisibility,
  readVisibility,
  setVisibility,
} from '../../../services/api/catalog/manage-visibility';
import type { VisibilityTarget } from '../../../services/api/catalog/visibility';
import { findTenantForChange } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Db, Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import type { Output } from '../../terminal/output';
import { describeVisibility, rulesOf, toVisibilityDocument } from './read';

type Step = (trx: Trx, tenant: Tenant, target: VisibilityTarget) => Promise<unknown>;

export async function allowCommand(context: Context, options: TargetOptions, slug: string): Promise<void> {
  await change(context, 'allow', options, slug, (trx, tenant, target) =>
    setVisibility(trx, tenant, target, true),
  );
}

export async function denyCommand(context: Context, options: TargetOptions, slug: string): Promise<void> {
  await change(context, 'deny', options, slug, (trx, tenant, target) =>
    setVisibility(trx, tenant, target, false),
  );
}

export async function clearCommand(context: Context, options: TargetOptions, slug: string): Promise<void> {
  await change(context, 'clear', options, slug, async (trx, tenant, target) => {
    if (target.kind !== 'default') await clearVisibility(trx, tenant, target);
  });
}

async function change(
  { audited, output }: Context,
  verb: string,
  options: TargetOptions,
  slug: string,
  step: Step,
): Promise<void> {
  const changed = await audited({ action: `visibility.${verb}`, subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const targets = await readTargets(trx, output, options);
    const before = await readVisibility(trx, tenant);
    for (const target of targets) await step(trx, tenant, target);
    const after = await readVisibility(trx, await findTenantForChange(trx, slug));
    note(rulesOf(targets, before), rulesOf(targets, after), { tenantId: tenant.id });
    return after;
  });
  output.answer(toVisibilityDocument(slug, changed), () => describeVisibility(changed));
}

export interface TargetOptions {
  tour?: string[];
  continent?: string[];
}

/** Returns the targets of the flags, or the tenant's default if there are none. */
export async function readTargets(
  db: Db,
  output: Output,
  options: TargetOptions,
): Promise<VisibilityTarget[]> {
  const targets: VisibilityTarget[] = [];
  for (const slug of options.tour ?? [])
    targets.push({ kind: 'tour', tourId: (await findTour(db, slug)).id });
  for (const continent of options.continent ?? []) {
    if (!(await isContinentOfSomeTour(db, continent)))
      output.warn(`no tour is in the continent ${continent}`);
    targets.push({ kind: 'continent', continent });
  }
  return targets.length > 0 ? targets : [{ kind: 'default' }];
}
