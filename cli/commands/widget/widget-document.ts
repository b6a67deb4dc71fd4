import type { WidgetToken } from '../../../services/api/credentials/credential';

/** The answer of issue and rotate (CONTRACT section 6); what has the secret in it is null where that went to a file. */
export function toIssuedWidgetDocument(token: WidgetToken, secret: string | null, publicBaseUrl: string) {
  const embed_url = secret && `${publicBaseUrl}/embed/tours?token=${secret}`;
  return {
    id: token.id,
    token: secret,
    tenant: token.tenant,
    origins: token.origins,
    expires_at: token.expiresAt?.toISOString() ?? null,
    embed_url,
    snippet: embed_url && snippetOf(publicBaseUrl, secret, embed_url),
  };
}

/** A token in lists and in the audit log: never a secret. */
export function toWidgetDocument(token: WidgetToken) {
  return {
    id: token.id,
    tenant: token.tenant,
    origins: token.origins,
    follows_tenant: token.followsTenant,
    status: token.status,
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null,
    replaced_by: token.replacedBy,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
  };
}

/** The list where the lines stand, with the visitor's JavaScript as high as it is, and without it too. */
function snippetOf(publicBaseUrl: string, secret: string, embedUrl: string): string {
  const style = 'width: 100%; height: 900px; border: 0';
  return [
    `<script async src="${publicBaseUrl}/embed/widget.js" data-token="${secret}"></script>`,
    `<noscript><iframe title="Tours" style="${style}" src="${embedUrl}"></iframe></noscript>`,
  ].join('\n');
}
