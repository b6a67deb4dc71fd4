import { changeTenantStatus } from '../../../services/api/tenants/change-tenant-status';
import { findTenant, findTenantForChange } from '../../../services/api/tenants/find-tenant';
import type { TenantStatus } from '../../../services/api/tenants/tenant';
import type { Context } from '../../context';
import { toTenantDocument } from './tenant-document';

export async function activateTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await change(context, 'activate', slug, 'active');
}

export async function suspendTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Refuse every key and widget token of ${slug} from now on?`);
  await change(context, 'suspend', slug, 'suspended');
}

export async function closeTenantCommand(context: Context, _: object, slug: string): Promise<void> {
  await findTenant(context.db, slug);
  await context.confirm(`Close ${slug}, and refuse every key and widget token of it from now on?`);
  await change(context, 'close', slug, 'closed');
}

async function change(
  { audited, output }: Context,
  verb: string,
  slug: string,
  status: TenantStatus,
): Promise<void> {
  const document = await audited({ action: `tenant.${verb}`, subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const changed = toTenantDocument(await changeTenantStatus(trx, tenant, status));
    note({ status: tenant.status }, { status: changed.status }, { tenantId: tenant.id });
    return changed;
  });
  output.answer(document, () => `${slug} is ${status}`);
}
