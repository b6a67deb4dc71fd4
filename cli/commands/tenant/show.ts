import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { properties } from '../../table';
import { toTenantDocument } from './tenant-document';

export async function showTenantCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const document = toTenantDocument(await findTenant(db, slug));
  output.answer(document, () => properties(document));
}
