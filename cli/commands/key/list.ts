import { listApiKeys } from '../../../services/api/credentials/list-credentials';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { table } from '../../table';
import { toKeyDocument } from './key-document';

const COLUMNS = ['id', 'status', 'name', 'website', 'scopes', 'created', 'expires', 'last used', 'successor'];

export async function listKeysCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT }: { limit?: number },
  slug: string,
): Promise<void> {
  const keys = await listApiKeys(db, await findTenant(db, slug), limit);
  const items = keys.map(toKeyDocument);
  output.answer({ items }, () => {
    const rows = items.map((key) => {
      const days = [key.created_at, key.expires_at, key.last_used_at].map(
        (time) => time?.slice(0, 10) ?? null,
      );
      return [key.id, key.status, key.name, key.website, key.scopes.join(' '), ...days, key.replaced_by];
    });
    return table(COLUMNS, rows, 'No keys');
  });
}
