import { createTenant } from '../../../services/api/tenants/create-tenant';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toTenantDocument } from './tenant-document';
import { toSettings, type TenantOptions } from './tenant-options';

export async function createTenantCommand(
  { audited, output }: Context,
  options: TenantOptions & { slug: string; name: string },
): Promise<void> {
  const { slug, name } = options;
  const document = await audited({ action: 'tenant.create', subject: slug }, async (trx, note) => {
    const tenant = await createTenant(trx, { ...toSettings(options), slug, name });
    const created = toTenantDocument(tenant);
    note(null, created, { tenantId: tenant.id });
    return created;
  });
  output.answer(document, () => properties(document));
  output.note(`Created. Next: tourctl key issue ${slug} --scope catalog:read`);
}
