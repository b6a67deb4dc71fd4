import {
  type ApiKey,
  type CredentialPage,
  type Scope,
  SCOPES,
} from '../../../services/api/credentials/credential';
import { issueApiKey } from '../../../services/api/credentials/issue-credential';
import { mayBeUsed } from '../../../services/api/tenants/tenant';
import type { Context, Terminal } from '../../engine/context';
import { describeExpiry, type IssueOptions, type RotateOptions } from '../../engine/credential-flags';
import { UsageError } from '../../engine/failure';
import { withContext } from '../../engine/open-database';
import { parseDuration } from '../../engine/values';
import { askOne, askSome } from '../../terminal/prompts';
import {
  type CredentialForm,
  describePrevious,
  issueCredential,
  listCredentialsCommand,
  revokeCredentialCommand,
  rotateCredentialCommand,
} from './credentials';

/** Converts a key for issue and rotate (CONTRACT section 6); `key` is null if a file has the secret. */
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

const KEYS: CredentialForm<'api_key'> = {
  kind: 'api_key',
  noun: 'key',
  name: 'key',
  toDocument: toKeyDocument,
  columns: [
    { heading: 'name', least: 8 },
    { heading: 'website', least: 10 },
    { heading: 'scopes', least: 12 },
  ],
  toCells: ({ name, website, scopes }) => [name, website, scopes.join(' ')],
};

export async function listKeysCommand(
  context: Context,
  page: Partial<CredentialPage>,
  slug?: string,
): Promise<void> {
  await listCredentialsCommand(context, KEYS, page, slug);
}

interface IssueKeyOptions extends IssueOptions {
  scope?: Scope[];
  name?: string;
  website?: string;
}

export async function issueKeyCommand(
  terminal: Terminal,
  options: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const rights = await completeRights(terminal, options);
  await withContext(terminal, {}, (context) => issue(context, rights, options, slug));
}

async function issue(
  context: Context,
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
  output.answer(document, () => document.key ?? '');
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

/** Lists the smallest bundle first, because Enter takes it. */
const BUNDLES: Record<string, readonly Scope[]> = {
  'read the catalog (catalog:read)': ['catalog:read'],
  'a whole shop (catalog:read, booking:create, booking:read)': [
    'catalog:read',
    'booking:create',
    'booking:read',
  ],
  'everything (also booking:manage: confirm, change and cancel)': SCOPES,
};
const EACH = 'choose each';
const LIFETIMES = ['90d', '30d', '365d', 'none'];

interface Rights {
  scopes: readonly Scope[];
  /** Seconds; null or absent: no expiry. */
  lifetimeSeconds?: number | null;
}

/**
 * Returns scopes and lifetime of a key from the flags, or asks for them if no scope is given.
 * @throws UsageError if no question can be asked
 */
export async function completeRights(
  { io, output }: Terminal,
  { scope, expiresIn }: { scope?: Scope[]; expiresIn?: number | null },
): Promise<Rights> {
  if (scope) return { scopes: scope, lifetimeSeconds: expiresIn };
  if (!io.isTTY || output.json) throw new UsageError('--scope is missing: what the key may do');
  const bundle = await askOne(io, 'What may the key do?', [...Object.keys(BUNDLES), EACH]);
  const scopes = BUNDLES[bundle] ?? ((await askSome(io, 'Which scopes?', SCOPES)) as Scope[]);
  if (expiresIn !== undefined) return { scopes, lifetimeSeconds: expiresIn };
  const lifetime = await askOne(io, 'When does it expire? (none: never)', LIFETIMES);
  return { scopes, lifetimeSeconds: parseDuration(lifetime) ?? null };
}

export async function rotateKeyCommand(context: Context, options: RotateOptions, id: string): Promise<void> {
  const { output } = context;
  const { credential, token, previous } = await rotateCredentialCommand(context, KEYS, options, id);
  const document = toIssuedKeyDocument(credential, options.out === undefined ? token : null);
  output.answer(document, () => document.key ?? '');
  output.note(`Key ${document.id} of ${document.tenant}: ${describeExpiry(document.expires_at)}`);
  output.note(describePrevious('key', previous));
  if (options.out !== undefined) output.note(`The secret is in ${options.out}`);
}

export async function revokeKeyCommand(context: Context, _: object, id: string): Promise<void> {
  await revokeCredentialCommand(context, KEYS, id);
}
