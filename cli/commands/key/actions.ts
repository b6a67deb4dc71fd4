import {
  type ApiKey,
  type CredentialPage,
  type Scope,
  SCOPES,
} from '../../../services/api/credentials/credential';
import { issueApiKey } from '../../../services/api/credentials/issue-credential';
import { listApiKeys, showApiKey } from '../../../services/api/credentials/list-credentials';
import { revokeApiKey } from '../../../services/api/credentials/revoke-credential';
import { rotateApiKey } from '../../../services/api/credentials/rotate-credential';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import { mayBeUsed } from '../../../services/api/tenants/tenant';
import { type Context, type Terminal } from '../../engine/context';
import { withContext } from '../../engine/open-database';
import { describeExpiry, type IssueOptions, type RotateOptions } from '../../engine/credential-flags';
import { UsageError } from '../../engine/failure';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { withSecretFile } from '../../engine/secrets';
import { parseDuration } from '../../engine/values';
import { askOne, askSome } from '../../terminal/prompts';
import { type Column, tableOf } from '../../terminal/table';
import {
  type CredentialKindActions,
  describePrevious,
  lifeCells,
  printWarnings,
  revokeCredential,
  rotateCredential,
  STATUS_TONES,
  WARNING_TONES,
  warningLabels,
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
  answerPage(output, found, { limit, after: ({ id }) => id }, describeKeys);
  printWarnings(output, 'key', keys.slice(0, limit));
}

const describeKeys = tableOf<ReturnType<typeof toKeyDocument> & Pick<ApiKey, 'warnings'>>(
  COLUMNS,
  (key) => [
    ...[key.id, key.status, warningLabels(key.warnings), key.name, key.website, key.scopes.join(' ')],
    ...[...lifeCells(key), key.replaced_by],
  ],
  'No keys',
);

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
  await withContext(terminal, 'up-to-date', (context) => issue(context, rights, options, slug));
}

async function issue(
  { audited, output, secrets }: Context,
  { scopes, lifetimeSeconds }: Rights,
  { name, website, out }: IssueKeyOptions,
  slug: string,
): Promise<void> {
  const given = { scopes: [...scopes], name, website, lifetimeSeconds };
  const { keyPepper } = await secrets('keyPepper');
  const { tenant, credential, token } = await withSecretFile(out, (keep) =>
    audited({ action: 'key.issue' }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issueApiKey(trx, keyPepper, tenant, given);
      note(null, toKeyDocument(issued.credential), { tenantId: tenant.id, subject: issued.credential.id });
      keep(issued.token);
      return { tenant, ...issued };
    }),
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
  'read, hold and book (all but booking:manage)': ['catalog:read', 'booking:create', 'booking:read'],
  everything: SCOPES,
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

const KEYS: CredentialKindActions<ApiKey> = {
  noun: 'key',
  name: 'key',
  show: showApiKey,
  rotate: rotateApiKey,
  revoke: revokeApiKey,
  toDocument: toKeyDocument,
};

export async function rotateKeyCommand(context: Context, options: RotateOptions, id: string): Promise<void> {
  const { output } = context;
  const { credential, token, previous } = await rotateCredential(context, KEYS, options, id);
  const document = toIssuedKeyDocument(credential, options.out === undefined ? token : null);
  output.answer(document, () => document.key ?? '');
  output.note(`Key ${document.id} of ${document.tenant} ${describeExpiry(document.expires_at)}`);
  output.note(describePrevious('key', previous));
  if (options.out !== undefined) output.note(`The secret is in ${options.out}`);
}

export async function revokeKeyCommand(context: Context, _: object, id: string): Promise<void> {
  await revokeCredential(context, KEYS, id);
}
