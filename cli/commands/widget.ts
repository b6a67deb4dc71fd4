import type { CredentialPage, WidgetToken } from '../../services/api/credentials/credential';
import { issueWidgetToken } from '../../services/api/credentials/manage-credentials';
import { explainEmbedding, isReachable } from '../../services/api/widget/explain-embedding';
import { ADDRESS_MAX, NAME_MAX } from '../../services/platform/forms/lengths';
import { flag, type Verb } from '../engine/command';
import type { AuditedContext, Context } from '../engine/context';
import { EXIT, refuseMistakes } from '../engine/failure';
import { REPLACE_FLAG, forceWithoutFile } from '../engine/output-file';
import { OUT_FLAG, readPastedToken } from '../engine/secrets';
import { fileName, line } from '../engine/values';
import { properties } from '../terminal/table';
import { printElementCommand } from './element';
import {
  awaitEnd,
  type CredentialForm,
  describeExpiry,
  describePrevious,
  EXPIRES_FLAG,
  issueCredential,
  type IssueOptions,
  LIST_FORM,
  listCredentialsCommand,
  REVOKE_FORM,
  revokeCredentialCommand,
  ROTATE_FORM,
  rotateCredentialCommand,
  type RotateOptions,
} from './key/credentials';
import { checkOrigins, DEV_FLAG, printSpelling } from './origins';

const TOKENS: CredentialForm<'widget_token'> = {
  kind: 'widget_token',
  noun: 'widget',
  name: 'widget token',
  toDocument: toWidgetDocument,
  columns: [
    {
      heading: 'origins',
      least: 20,
      cell: ({ followsTenant, origins }) => (followsTenant ? "the tenant's" : origins.join(' ')),
    },
  ],
};

export const widgetVerbs: Verb[] = [
  {
    usage: 'issue <slug>',
    about: 'Issue a token, with the lines to paste into a page',
    flags: [
      flag('--origin <origin>', 'a site that may show the widget', {
        repeats: true,
        otherwise: "the tenant's sites, also when they change",
      }),
      DEV_FLAG,
      EXPIRES_FLAG,
      OUT_FLAG,
    ],
    check: ({ origin = [], dev }: { origin?: string[]; dev?: boolean }) =>
      checkOrigins(origin, dev, '--origin'),
    examples: ['widget issue acme', 'widget issue acme --origin https://acme.example --expires-in 365d'],
    audits: true,
    run: issueWidgetCommand,
  },
  {
    ...LIST_FORM,
    about: 'List the tokens of a tenant, newest first',
    examples: ['widget list acme', 'widget list acme --status live'],
    run: (context: Context, page: Partial<CredentialPage>, slug: string) =>
      listCredentialsCommand(context, TOKENS, page, slug),
  },
  {
    ...ROTATE_FORM,
    about: 'Issue a successor with the same origins',
    examples: ['widget rotate 4nL0pQ8sTzX2 --grace 48h'],
    audits: true,
    run: rotateWidgetCommand,
  },
  {
    ...REVOKE_FORM,
    about: 'Refuse a token from now on',
    examples: ['widget revoke 4nL0pQ8sTzX2 --yes'],
    audits: true,
    run: (context: AuditedContext, _: object, id: string) => revokeCredentialCommand(context, TOKENS, id),
  },
  {
    usage: 'doctor',
    about: 'Explain whether a page may show the widget, and why; exit 1 if it may not',
    flags: [
      // A widget token is not secret: the page contains it.
      flag('--token <token>', 'the widget token of the page', {
        otherwise: 'read from standard input',
        parse: line(NAME_MAX),
      }),
      flag(
        '--origin <address>',
        'the page, as its address is copied from the browser; then each page around it',
        {
          must: true,
          repeats: true,
          parse: line(ADDRESS_MAX),
        },
      ),
    ],
    examples: ['widget doctor --token svc_widget_4nL0pQ8sTzX2_… --origin https://www.acme.example/tours'],
    run: explainEmbeddingCommand,
  },
  {
    usage: 'element',
    about: 'Print the script tag of the element <tour-booking>, which sells a tour in your own page',
    flags: [
      flag('--out <file>', 'also write the script to a new file, for a site that serves it itself', {
        parse: fileName,
      }),
      REPLACE_FLAG,
    ],
    check: (options: { force?: boolean; out?: string }) => refuseMistakes([forceWithoutFile(options)]),
    examples: ['widget element', 'widget element --out public/booking.v1.js'],
    needs: 'configuration',
    run: printElementCommand,
  },
];

/**
 * Converts a token for `widget issue` and `widget rotate`. The fields with the secret are null if the secret was written to a file (--out).
 */
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

/** @returns exit code 1 if the page may not show the widget */
async function explainEmbeddingCommand(
  { config, db, io, output, secrets }: Context,
  { token, origin }: { token?: string; origin: string[] },
): Promise<number> {
  const asked = token ?? (await readPastedToken(io, output, 'widget doctor'));
  const { keyPepper } = await secrets('keyPepper');
  const embedding = await explainEmbedding(db, keyPepper, asked, origin);
  const { around, ...page } = embedding;
  const shown = around.length > 0 ? { ...page, around: around.join(', ') } : page;
  // A list that is refused has its reason. An allowed one can still be missing, because browsers do not reach the platform.
  const reachable = embedding.allowed ? await isReachable(config.publicBaseUrl) : null;
  await output.answer({ ...embedding, reachable }, (screen) => properties(shown, screen));
  if (reachable === false) {
    output.warn(`${config.publicBaseUrl} (PUBLIC_BASE_URL) does not answer from here: do browsers reach it?`);
  }
  if (embedding.allowed) {
    output.note(
      'If the list does not appear, the console of the page says why, in a line that begins with "Tour list:".',
    );
  }
  return embedding.allowed ? EXIT.done : EXIT.refused;
}

interface IssueWidgetOptions extends IssueOptions {
  origin?: string[];
  dev?: boolean;
}

async function issueWidgetCommand(
  context: AuditedContext,
  { origin = [], dev, expiresIn, out }: IssueWidgetOptions,
  slug: string,
): Promise<void> {
  printSpelling(origin, dev, context.output);
  const given = { origins: origin, dev, lifetimeSeconds: expiresIn };
  const { keyPepper } = await context.secrets('keyPepper');
  const { credential, token } = await issueCredential(context, TOKENS, { slug, out }, (trx, tenant) =>
    issueWidgetToken(trx, keyPepper, tenant, given),
  );
  await announceWidget(context, credential, token, out);
}

/** Answers issue and rotate with the new token. */
async function announceWidget(
  { config, output }: Context,
  token: WidgetToken,
  secret: string,
  out: string | undefined,
): Promise<void> {
  const document = toIssuedWidgetDocument(token, out === undefined ? secret : null, config.publicBaseUrl);
  await output.answer(document, () => document.token ?? '');
  const origins = document.origins.join(', ') || 'no site';
  output.note(`Token ${token.id} of ${token.tenant} for ${origins}; ${describeExpiry(document.expires_at)}`);
  // Prints the widget token: it is public, because every page contains it.
  if (document.snippet) output.note(`To paste into a page:\n${document.snippet}`);
  else output.note(`The token is in ${out}`);
  if (document.origins.length === 0) {
    output.warn(`no site may show the widget yet: tourctl origins add ${token.tenant} https://…`);
  }
}

async function rotateWidgetCommand(
  context: AuditedContext,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const { credential, token, previous } = await rotateCredentialCommand(context, TOKENS, options, id);
  await announceWidget(context, credential, token, options.out);
  context.output.note(describePrevious('token', previous));
  if (previous.status === 'revoked') await awaitEnd(context, TOKENS, id, `tourctl widget revoke ${id}`);
}
