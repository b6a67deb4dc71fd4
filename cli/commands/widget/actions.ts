import type { CredentialPage, WidgetToken } from '../../../services/api/credentials/credential';
import { issueWidgetToken } from '../../../services/api/credentials/issue-credential';
import { explainEmbedding } from '../../../services/api/widget/explain-embedding';
import type { Context } from '../../engine/context';
import {
  describeExpiry,
  type IssueOptions,
  printSpelling,
  type RotateOptions,
} from '../../engine/credential-flags';
import { EXIT } from '../../engine/failure';
import { readPastedToken } from '../../engine/secrets';
import { properties } from '../../terminal/table';
import {
  type CredentialForm,
  describePrevious,
  issueCredential,
  listCredentialsCommand,
  revokeCredentialCommand,
  rotateCredentialCommand,
} from '../key/credentials';

/** Converts a token for issue and rotate (CONTRACT section 6); fields with the secret are null if a file has it. */
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

/** Converts a token for lists and the audit log, without its secret. */
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

/** Returns HTML that shows the tours: a script with automatic height, or an iframe without JavaScript. */
function snippetOf(publicBaseUrl: string, secret: string, embedUrl: string): string {
  const style = 'width: 100%; height: 900px; border: 0; color-scheme: light dark';
  return [
    `<script async src="${publicBaseUrl}/embed/widget.js" data-token="${secret}"></script>`,
    `<noscript><iframe title="Tours" style="${style}" src="${embedUrl}"></iframe></noscript>`,
  ].join('\n');
}

const TOKENS: CredentialForm<'widget_token'> = {
  kind: 'widget_token',
  noun: 'widget',
  name: 'widget token',
  toDocument: toWidgetDocument,
  columns: [{ heading: 'origins', least: 20 }],
  toCells: ({ followsTenant, origins }) => [followsTenant ? "the tenant's" : origins.join(' ')],
};

export async function listWidgetsCommand(
  context: Context,
  page: Partial<CredentialPage>,
  slug: string,
): Promise<void> {
  await listCredentialsCommand(context, TOKENS, page, slug);
}

/** @returns exit code 1 if the page may not show the widget */
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

interface IssueWidgetOptions extends IssueOptions {
  origin?: string[];
  dev?: boolean;
}

export async function issueWidgetCommand(
  context: Context,
  { origin = [], dev, expiresIn, out }: IssueWidgetOptions,
  slug: string,
): Promise<void> {
  printSpelling(origin, dev, context.output);
  const given = { origins: origin, dev, lifetimeSeconds: expiresIn };
  const { keyPepper } = await context.secrets('keyPepper');
  const { credential, token } = await issueCredential(context, TOKENS, { slug, out }, (trx, tenant) =>
    issueWidgetToken(trx, keyPepper, tenant, given),
  );
  announceWidget(context, credential, token, out);
}

/** Answers issue and rotate with the new token. */
function announceWidget(
  { config, output }: Context,
  token: WidgetToken,
  secret: string,
  out: string | undefined,
): void {
  const document = toIssuedWidgetDocument(token, out === undefined ? secret : null, config.publicBaseUrl);
  output.answer(document, () => document.token ?? '');
  const origins = document.origins.join(', ') || 'no site';
  output.note(`Token ${token.id} of ${token.tenant} for ${origins}; ${describeExpiry(document.expires_at)}`);
  // The token is public: a page contains it.
  if (document.snippet) output.note(`To paste into a page:\n${document.snippet}`);
  else output.note(`The token is in ${out}`);
  if (document.origins.length === 0) {
    output.warn(`no site may show the widget yet: tourctl origins add ${token.tenant} https://…`);
  }
}

export async function rotateWidgetCommand(
  context: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const { credential, token, previous } = await rotateCredentialCommand(context, TOKENS, options, id);
  announceWidget(context, credential, token, options.out);
  context.output.note(describePrevious('token', previous));
}

export async function revokeWidgetCommand(context: Context, _: object, id: string): Promise<void> {
  await revokeCredentialCommand(context, TOKENS, id);
}
