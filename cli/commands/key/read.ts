import type { ApiKey, CredentialPage } from '../../../services/api/credentials/credential';
import { listApiKeys } from '../../../services/api/credentials/list-credentials';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { table, type Column } from '../../terminal/table';
import { printWarnings, STATUS_TONES, WARNING_TONES, warningLabels } from './credential-warnings';

/** The answer of issue and rotate (CONTRACT section 6); `key` is null where the secret went to a file. */
export function toIssuedKeyDocument(key: ApiKey, secret: string | null) {
  return {
    id: key.id,
    key: secret,
    tenant: key.tenant,
    scopes: key.scopes,
    name: key.name,
    expires_at: key.expiresAt?.toISOString() ?? null,
  };
}

/** A key in lists and in the audit log: never a secret. */
export function toKeyDocument(key: ApiKey) {
  return {
    id: key.id,
    tenant: key.tenant,
    name: key.name,
    website: key.website,
    scopes: key.scopes,
    status: key.status,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    browser_seen_at: key.browserSeenAt?.toISOString() ?? null,
  };
}

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
  printWarnings(output, 'key', keys.slice(0, limit));
}
