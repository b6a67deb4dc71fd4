import type { CredentialPage, WidgetToken } from '../../../services/api/credentials/credential';
import { issueWidgetToken } from '../../../services/api/credentials/issue-credential';
import { listWidgetTokens, showWidgetToken } from '../../../services/api/credentials/list-credentials';
import { revokeWidgetToken } from '../../../services/api/credentials/revoke-credential';
import { rotateWidgetToken } from '../../../services/api/credentials/rotate-credential';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { explainEmbedding } from '../../../services/api/widget/explain-embedding';
import type { Context } from '../../engine/context';
import {
  DEFAULT_LIMIT,
  describeExpiry,
  type IssueOptions,
  printSpelling,
  type RotateOptions,
  toRotation,
} from '../../engine/credential-flags';
import { EXIT } from '../../engine/failure';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { readPastedToken, withSecretFile } from '../../engine/secrets';
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

export interface IssueWidgetOptions extends IssueOptions {
  origin?: string[];
  dev?: boolean;
}

export async function issueWidgetCommand(
  context: Context,
  { origin = [], dev, expiresIn, out }: IssueWidgetOptions,
  slug: string,
): Promise<void> {
  const { audited, output, secrets } = context;
  printSpelling(origin, dev, output);
  const given = { origins: origin, dev, lifetimeSeconds: expiresIn };
  const { keyPepper } = await secrets('keyPepper');
  const { credential, token } = await withSecretFile(out, (keep) =>
    audited({ action: 'widget.issue' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issueWidgetToken(trx, keyPepper, tenant, given);
      note(null, toWidgetDocument(issued.credential), { tenantId: tenant.id, subject: issued.credential.id });
      keep(issued.token);
      return issued;
    }),
  );
  announceWidget(context, credential, token, out);
}

/** Answers with a new token, as issue and rotate both do. */
export function announceWidget(
  { config, output }: Context,
  token: WidgetToken,
  secret: string,
  out: string | undefined,
): void {
  const document = toIssuedWidgetDocument(token, out === undefined ? secret : null, config.publicBaseUrl);
  output.answer(document, () => document.token ?? '');
  const origins = document.origins.join(', ') || 'no site';
  output.note(`Token ${token.id} of ${token.tenant} for ${origins}; ${describeExpiry(document.expires_at)}`);
  // stdout already shows the secret.
  if (document.snippet)
    output.note(`To paste into a page:\n${document.snippet.replaceAll(secret, '<the token>')}`);
  else output.note(`The token is in ${out}`);
  if (document.origins.length === 0) {
    output.warn(`no site may show it yet: tourctl origins add ${token.tenant} https://…`);
  }
}

export async function rotateWidgetCommand(
  context: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const { audited, confirm, db, output, secrets } = context;
  const old = await showWidgetToken(db, id);
  if (options.grace === 0) await confirm(`Refuse the widget token ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  const { credential, token, previous } = await withSecretFile(options.out, (keep) =>
    audited({ action: 'widget.rotate', tenantId: old.tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateWidgetToken(trx, keyPepper, id, toRotation(options));
      const successor = toWidgetDocument(rotated.credential);
      note(toWidgetDocument(rotated.before), { ...toWidgetDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
  announceWidget(context, credential, token, options.out);
  const until = previous.expiresAt?.toISOString();
  output.note(
    previous.status === 'revoked' ? `The token ${id} was revoked` : `The token ${id} serves until ${until}`,
  );
}

export async function revokeWidgetCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showWidgetToken(db, id);
  await confirm(`Refuse the widget token ${id} from now on?`);
  const document = await audited({ action: 'widget.revoke', tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeWidgetToken(trx, id);
    note(toWidgetDocument(before), toWidgetDocument(after));
    return toWidgetDocument(after);
  });
  output.answer(document, () => `The widget token ${id} of ${document.tenant} is revoked`);
}
