import { readVisibility } from '../../../services/api/catalog/set-visibility';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { describeVisibility, toVisibilityDocument } from './visibility-document';

export async function showVisibilityCommand({ db, output }: Context, _: object, slug: string): Promise<void> {
  const visibility = await readVisibility(db, await findTenant(db, slug));
  output.answer(toVisibilityDocument(slug, visibility), () => describeVisibility(visibility));
}
