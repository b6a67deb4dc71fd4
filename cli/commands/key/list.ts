import type { CredentialPage } from '../../../services/api/credentials/credential';
import { listApiKeys } from '../../../services/api/credentials/list-credentials';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../context';
import { DEFAULT_LIMIT } from '../../credential-flags';
import { noteWarnings, STATUS_TONES, WARNING_TONES, warningLabels } from '../../credential-warnings';
import { answerPage, oneMoreThan } from '../../list-page';
import { table, type Column } from '../../table';
import { toKeyDocument } from './key-document';

const COLUMNS: Column[] = [
  'id',
  { heading: 'status', tones: STATUS_TONES },
  { heading: 'warning', least: 12, tones: WARNING_TONES },
  { heading: 'name', least: 8 },
  { heading: 'website', least: 10 },
  { heading: 'scopes', least: 12 },
  'created',
  'expires',
  'last used',
  'successor',
];

export async function listKeysCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, status, after }: Partial<CredentialPage>,
  slug: string,
): Promise<void> {
  const page = { status, after, limit: oneMoreThan(limit) };
  const keys = await listApiKeys(db, await findTenant(db, slug), page);
  const found = keys.map((key) => ({ ...toKeyDocument(key), warnings: key.warnings }));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((key) => {
      const days = [key.created_at, key.expires_at, key.last_used_at].map(
        (time) => time?.slice(0, 10) ?? null,
      );
      const rights = [key.name, key.website, key.scopes.join(' ')];
      return [key.id, key.status, warningLabels(key.warnings), ...rights, ...days, key.replaced_by];
    });
    return table(COLUMNS, rows, 'No keys', screen);
  });
  noteWarnings(output, 'key', keys.slice(0, limit));
}
