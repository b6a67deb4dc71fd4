import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';

export async function listOriginsCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const { origins } = await findTenant(db, slug);
  output.answer({ tenant: slug, origins }, () => origins.join('\n'));
  if (origins.length === 0) output.note(`${slug} allows no site: tourctl origins add ${slug} https://…`);
}
