import { clearVisibility, readVisibility, setVisibility } from '../../../services/api/catalog/set-visibility';
import type { VisibilityTarget } from '../../../services/api/catalog/visibility';
import { findTenantForChange } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../context';
import { describeVisibility, rulesOf, toVisibilityDocument } from './visibility-document';
import { readTargets, type TargetOptions } from './visibility-targets';

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
