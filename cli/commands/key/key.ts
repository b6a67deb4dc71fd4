import {
  type ApiKey,
  type CredentialPage,
  type Scope,
  SCOPES,
} from '../../../services/api/credentials/credential';
import { type Inspection, inspectToken, type Verdict } from '../../../services/api/credentials/inspect-token';
import { issueApiKey } from '../../../services/api/credentials/manage-credentials';
import {
  type CredentialKind,
  diagnoseToken,
  parseToken,
  type TokenIssue,
} from '../../../services/api/credentials/token';
import { mayBeUsed } from '../../../services/api/tenants/tenant';
import { listEndpoints } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { NAME_MAX } from '../../../services/platform/forms/lengths';
import { flag, type Verb } from '../../engine/command';
import { mayAsk } from '../../engine/confirm';
import type { AuditedContext, Context, OpeningTerminal, Terminal } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { OUT_FLAG, readPastedToken } from '../../engine/secrets';
import { domain, line, parseDuration } from '../../engine/values';
import { askOne, askSome, type Choice } from '../../terminal/prompts';
import { properties } from '../../terminal/table';
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
} from './credentials';

const KEYS: CredentialForm<'api_key'> = {
  kind: 'api_key',
  noun: 'key',
  name: 'key',
  toDocument: toKeyDocument,
  columns: [
    { heading: 'name', least: 8 },
    { heading: 'website', least: 10 },
    { heading: 'scopes', least: 12, cell: ({ scopes }) => scopes.join(' ') },
  ],
  warnOfRest: warnOfSubscriptions,
};

export const keyVerbs: Verb[] = [
  {
    usage: 'issue <slug>',
    about: 'Issue a key; its secret is printed only once',
    flags: [
      flag('--scope <scope>', 'what the key may do; give as few as possible; asked for on a terminal', {
        choices: SCOPES,
        repeats: true,
      }),
      flag('--name <name>', 'what the key is for', { parse: line(NAME_MAX) }),
      flag('--website <domain>', 'domain of the site that the key is issued for', { parse: domain }),
      EXPIRES_FLAG,
      OUT_FLAG,
    ],
    examples: [
      'key issue acme --scope catalog:read --scope booking:create --website acme.example --expires-in 90d',
      'key issue acme --scope catalog:read --out acme.key',
    ],
    // The command opens the database itself: if no scope is given, it first asks for one, or refuses.
    needs: 'database-on-demand',
    audits: true,
    run: issueKeyCommand,
  },
  {
    ...LIST_FORM,
    usage: 'list [slug]',
    about:
      'List the keys of a tenant, or of all tenants, newest first; warns of keys seen in a browser, never used or soon to expire',
    examples: ['key list acme', 'key list --status live --json'],
    run: (context: Context, page: Partial<CredentialPage>, slug?: string) =>
      listCredentialsCommand(context, KEYS, page, slug),
  },
  {
    ...ROTATE_FORM,
    about: 'Issue a successor with the same rights and quota',
    examples: ['key rotate 4nL0pQ8sTzX2 --grace 48h'],
    audits: true,
    run: rotateKeyCommand,
  },
  {
    ...REVOKE_FORM,
    about: 'Refuse a key from now on',
    examples: ['key revoke 4nL0pQ8sTzX2', 'key revoke 4nL0pQ8sTzX2 --yes'],
    audits: true,
    run: (context: AuditedContext, _: object, id: string) => revokeCredentialCommand(context, KEYS, id),
  },
  {
    usage: 'inspect',
    about: 'Check a key or widget token that is read from standard input, or pasted',
    flags: [flag('--offline', 'check only its form and checksum, without a database')],
    examples: ['key inspect < suspicious.key', 'key inspect --offline < suspicious.key'],
    // The command opens the database itself, and only for a well-formed token.
    needs: 'database-on-demand',
    run: inspectTokenCommand,
  },
];

/** Converts a key for `key issue` and `key rotate`. `key` is null if the secret was written to a file (--out). */
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

/** Converts a key for lists and the audit log, without its secret. */
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

interface IssueKeyOptions extends IssueOptions {
  scope?: Scope[];
  name?: string;
  website?: string;
}

async function issueKeyCommand(
  terminal: OpeningTerminal<AuditedContext>,
  options: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const rights = await completeRights(terminal, options);
  await terminal.withDatabase({}, (context) => issue(context, rights, options, slug));
}

async function issue(
  context: AuditedContext,
  { scopes, lifetimeSeconds }: Rights,
  { name, website, out }: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const { output } = context;
  const given = { scopes: [...scopes], name, website, lifetimeSeconds };
  const { keyPepper } = await context.secrets('keyPepper');
  const { tenant, credential, token } = await issueCredential(context, KEYS, { slug, out }, (trx, tenant) =>
    issueApiKey(trx, keyPepper, tenant, given),
  );
  const document = toIssuedKeyDocument(credential, out === undefined ? token : null);
  await output.answer(document, () => document.key ?? '');
  output.note(
    `Key ${document.id} of ${slug}: ${document.scopes.join(', ')}; ${describeExpiry(document.expires_at)}`,
  );
  output.note(
    out === undefined ? 'The secret is shown only once: keep it on a server.' : `The secret is in ${out}`,
  );
  if (lifetimeSeconds === undefined) output.note('With --expires-in 90d a forgotten key expires by itself.');
  if (!mayBeUsed(tenant))
    output.warn(`${slug} is ${tenant.status}: the key is refused until it is activated`);
}

/** The scopes of a server that sells: it reads the catalog, holds, books, and confirms, changes and cancels its bookings. */
export const WHOLE_SHOP: readonly Scope[] = SCOPES;

interface Bundle extends Choice {
  scopes: readonly Scope[];
}

/** Lists the whole shop first, because Enter selects the first bundle and a newcomer wants to book. */
const BUNDLES: Bundle[] = [
  bundle('a whole shop', WHOLE_SHOP, 'reads, holds, books, confirms, changes and cancels'),
  bundle(
    'sell only',
    ['catalog:read', 'booking:create', 'booking:read'],
    'cannot confirm, change or cancel a booking',
  ),
  bundle('read the catalog', ['catalog:read'], 'cannot hold or book'),
];
const EACH = 'choose each';
const LIFETIMES = ['90d', '30d', '365d', 'none'];

function bundle(value: string, scopes: readonly Scope[], meaning: string): Bundle {
  return { value, scopes, description: `${scopes.join(', ')}: ${meaning}` };
}

interface Rights {
  scopes: readonly Scope[];
  /** Seconds; null or absent: no expiry. */
  lifetimeSeconds?: number | null;
}

/**
 * Returns the scopes and the lifetime of a key from the flags. If no scope is given, asks a person for both.
 * @throws UsageError if nobody can be asked
 */
export async function completeRights(
  terminal: Terminal,
  { scope, expiresIn }: { scope?: Scope[]; expiresIn?: number | null },
): Promise<Rights> {
  if (scope) return { scopes: scope, lifetimeSeconds: expiresIn };
  if (!mayAsk(terminal)) throw new UsageError('--scope is missing: what the key may do');
  const { io } = terminal;
  const chosen = await askOne(io, 'What may the key do?', [...BUNDLES, EACH]);
  const { scopes } = BUNDLES.find(({ value }) => value === chosen) ?? {
    scopes: (await askSome(io, 'Which scopes?', SCOPES)) as Scope[],
  };
  if (expiresIn !== undefined) return { scopes, lifetimeSeconds: expiresIn };
  const lifetime = await askOne(io, 'When does it expire? (none: never)', LIFETIMES);
  return { scopes, lifetimeSeconds: parseDuration(lifetime) ?? null };
}

async function rotateKeyCommand(context: AuditedContext, options: RotateOptions, id: string): Promise<void> {
  const { output } = context;
  const { credential, token, previous } = await rotateCredentialCommand(context, KEYS, options, id);
  const document = toIssuedKeyDocument(credential, options.out === undefined ? token : null);
  await output.answer(document, () => document.key ?? '');
  output.note(`Key ${document.id} of ${document.tenant}: ${describeExpiry(document.expires_at)}`);
  output.note(describePrevious('key', previous));
  if (options.out !== undefined) output.note(`The secret is in ${options.out}`);
  if (previous.status === 'revoked') await awaitEnd(context, KEYS, id, `tourctl key revoke ${id}`);
}

/** Warns of the subscriptions of OCTO that a revoked key made, because notifications go on to their addresses. */
async function warnOfSubscriptions({ db, output }: Context, id: string): Promise<void> {
  for (const subscription of await listEndpoints(db, { apiKeyId: id }))
    output.warn(
      `The key made a subscription of OCTO, which stays: ${subscription.url}. If nobody knows the address: ` +
        `tourctl webhook remove ${subscription.id}`,
    );
}

/** The verdict of the database; `well_formed` if the database was not asked. */
type Status = Verdict | 'well_formed';

const MEANING: Record<Exclude<Status, 'malformed'>, string> = {
  well_formed: 'well-formed with a valid checksum; only the database knows whether it is accepted',
  unknown: 'well-formed, but never issued here',
  wrong_secret: 'the id exists, but the secret is wrong (or was stored under another KEY_PEPPER)',
  revoked: 'revoked',
  expired: 'expired',
  tenant_inactive: 'its tenant is suspended or closed',
  usable: 'accepted',
};
const MALFORMED: Record<TokenIssue, string> = {
  foreign: 'not a credential of this platform: those begin with svc_live_ or svc_widget_',
  unknown_kind: 'an unknown kind: credentials begin with svc_live_ or svc_widget_',
  characters: 'mistyped: it contains characters that no key contains',
  length: 'cut off, or followed by other text',
  checksum: 'mistyped or invented: its last six characters are not the checksum of the others',
};

/** Checks form and checksum first: a malformed key needs no database. */
async function inspectTokenCommand(
  terminal: OpeningTerminal<Context>,
  { offline = false }: { offline?: boolean },
): Promise<void> {
  const { io, output } = terminal;
  const token = await readPastedToken(io, output, 'key inspect');
  const malformation = diagnoseToken(token);
  const document =
    offline || malformation
      ? toOfflineDocument(token, malformation)
      : await terminal.withDatabase({}, async ({ db, secrets }) => {
          const { keyPepper } = await secrets('keyPepper');
          return toInspectionDocument(await inspectToken(db, keyPepper, token));
        });
  await output.answer(document, (screen) => properties({ ...known(document), ...inWords(document) }, screen));
}

function toInspectionDocument({
  verdict,
  kind,
  id,
  tenant,
  scopes,
  origins,
  expiresAt,
  credential,
}: Inspection) {
  const time = (at: Date | null | undefined) => at?.toISOString() ?? null;
  const inBrowser = credential && 'browserSeenAt' in credential ? credential.browserSeenAt : null;
  return {
    /** Null: the database was not asked. */
    usable: (verdict === 'usable') as boolean | null,
    status: verdict as Status,
    reason: null as TokenIssue | null,
    kind,
    id,
    tenant,
    scopes,
    origins,
    created_at: time(credential?.createdAt),
    expires_at: time(expiresAt),
    last_used_at: time(credential?.lastUsedAt),
    browser_seen_at: time(inBrowser),
  };
}

function toOfflineDocument(token: string, malformation: TokenIssue | undefined) {
  const { kind, id } = parseToken(token) ?? { kind: null, id: null };
  const nothing = { tenant: null, scopes: null, origins: null, expiresAt: null, credential: null };
  const document = toInspectionDocument({ verdict: 'malformed', kind, id, ...nothing });
  if (malformation) return { ...document, reason: malformation };
  return { ...document, usable: null, status: 'well_formed' as const };
}

/** Leaves out the fields that are null, so that the screen shows only what is known. */
function known(document: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

function inWords({ status, reason, kind, id }: Described): Record<string, string> {
  if (status === 'malformed') return { meaning: MALFORMED[reason!] };
  const serves = ['well_formed', 'wrong_secret', 'tenant_inactive', 'usable'].includes(status);
  const noun = kind === 'api_key' ? 'key' : 'widget';
  return {
    meaning: MEANING[status],
    ...(serves ? { 'if it leaked': `tourctl ${noun} revoke ${id}` } : {}),
  };
}

interface Described {
  status: Status;
  reason: TokenIssue | null;
  kind: CredentialKind | null;
  id: string | null;
}
