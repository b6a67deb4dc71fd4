import type { CredentialPage, WidgetToken } from '../../../services/api/credentials/credential';
import { listWidgetTokens } from '../../../services/api/credentials/list-credentials';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { explainEmbedding } from '../../../services/api/widget/explain-embedding';
import type { Context } from '../../engine/context';
import { DEFAULT_LIMIT } from '../../engine/credential-flags';
import { EXIT } from '../../engine/failure';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { readPastedToken } from '../../engine/pasted-token';
import { type Column, properties, table } from '../../terminal/table';
import { printWarnings, STATUS_TONES, WARNING_TONES, warningLabels } from '../key/credential-warnings';

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

const COLUMNS: Column[] = [
  'id',
  { heading: 'status', tones: STATUS_TONES },
  { heading: 'warning', least: 12, tones: WARNING_TONES },
  { heading: 'origins', least: 20 },
  'created',
  'expires',
  'last used',
  'successor',
];

export async function listWidgetsCommand(
  { db, output }: Context,
  { limit = DEFAULT_LIMIT, status, after }: Partial<CredentialPage>,
  slug: string,
): Promise<void> {
  const page = { status, after, limit: oneMoreThan(limit) };
  const tokens = await listWidgetTokens(db, await findTenant(db, slug), page);
  const found = tokens.map((token) => ({ ...toWidgetDocument(token), warnings: token.warnings }));
  answerPage(output, found, { limit, after: ({ id }) => id }, (items, screen) => {
    const rows = items.map((token) => {
      const days = [token.created_at, token.expires_at, token.last_used_at].map(
        (time) => time?.slice(0, 10) ?? null,
      );
      const origins = token.follows_tenant ? "the tenant's" : token.origins.join(' ');
      return [token.id, token.status, warningLabels(token.warnings), origins, ...days, token.replaced_by];
    });
    return table(COLUMNS, rows, 'No widget tokens', screen);
  });
  printWarnings(output, 'widget', tokens.slice(0, limit));
}

/** @returns 1 where the page may not show it */
export async function explainEmbeddingCommand(
  { db, io, output, secrets }: Context,
  { token, origin }: { token?: string; origin: string },
): Promise<number> {
  const asked = token ?? (await readPastedToken(io, output, 'widget doctor'));
  const { keyPepper } = await secrets('keyPepper');
  const embedding = await explainEmbedding(db, keyPepper, asked, origin);
  output.answer(embedding, (screen) => properties({ ...embedding }, screen));
  return embedding.allowed ? EXIT.done : EXIT.refused;
}
