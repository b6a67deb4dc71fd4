import { findTenantForChange } from '../../../services/api/tenants/find-tenant';
import { updateTenant } from '../../../services/api/tenants/update-tenant';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toTenantDocument } from './tenant-document';
import { toSettings, type TenantOptions } from './tenant-options';

export async function setTenantCommand(
  { audited, output }: Context,
  options: TenantOptions,
  slug: string,
): Promise<void> {
  const document = await audited({ action: 'tenant.set', subject: slug }, async (trx, note) => {
    const tenant = await findTenantForChange(trx, slug);
    const changed = toTenantDocument(await updateTenant(trx, tenant, toSettings(options)));
    note(toTenantDocument(tenant), changed, { tenantId: tenant.id });
    return changed;
  });
  output.answer(document, () => properties(document));
}
