import type { ApiKey } from '../../../services/api/credentials/credential';

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
