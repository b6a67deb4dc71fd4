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
import { type Context, type Terminal, withContext } from '../../engine/context';
import {
  DEFAULT_LIMIT,
  describeExpiry,
  type IssueOptions,
  type RotateOptions,
  toRotation,
} from '../../engine/credential-flags';
import { UsageError } from '../../engine/failure';
import { answerPage, oneMoreThan } from '../../engine/list-page';
import { withSecretFile } from '../../engine/secrets';
import { parseDuration } from '../../engine/values';
import { askOne, askSome } from '../../terminal/prompts';
import { type Column, table } from '../../terminal/table';
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

export interface IssueKeyOptions extends IssueOptions {
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
    out === undefined ? 'The secret is shown this once: keep it on a server.' : `The secret is in ${out}`,
  );
  if (lifetimeSeconds === undefined)
    output.note('With --expires-in 90d it would end by itself, if forgotten.');
  if (!mayBeUsed(tenant))
    output.warn(`${slug} is ${tenant.status}: the key is refused until it is activated`);
}

/** The smallest bundle is first, because Enter takes it. */
const BUNDLES: Record<string, readonly Scope[]> = {
  'read the catalog (catalog:read)': ['catalog:read'],
  'read, hold and book (all but booking:manage)': ['catalog:read', 'booking:create', 'booking:read'],
  everything: SCOPES,
};
const EACH = 'choose each';
const LIFETIMES = ['90d', '30d', '365d', 'none'];

export interface Rights {
  scopes: readonly Scope[];
  /** Seconds; null or absent: for ever. */
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
  if (!io.isTTY || output.json) throw new UsageError('--scope is missing: what it may do');
  const bundle = await askOne(io, 'What may it do?', [...Object.keys(BUNDLES), EACH]);
  const scopes = BUNDLES[bundle] ?? ((await askSome(io, 'Which scopes?', SCOPES)) as Scope[]);
  if (expiresIn !== undefined) return { scopes, lifetimeSeconds: expiresIn };
  const lifetime = await askOne(io, 'How long does it serve? (none: for ever)', LIFETIMES);
  return { scopes, lifetimeSeconds: parseDuration(lifetime) ?? null };
}

export async function rotateKeyCommand(
  { audited, confirm, db, output, secrets }: Context,
  options: RotateOptions,
  id: string,
): Promise<void> {
  const old = await showApiKey(db, id);
  if (options.grace === 0) await confirm(`Refuse the key ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  const { credential, token, previous } = await withSecretFile(options.out, (keep) =>
    audited({ action: 'key.rotate', tenantId: old.tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateApiKey(trx, keyPepper, id, toRotation(options));
      const successor = toKeyDocument(rotated.credential);
      note(toKeyDocument(rotated.before), { ...toKeyDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
  const document = toIssuedKeyDocument(credential, options.out === undefined ? token : null);
  output.answer(document, () => document.key ?? '');
  output.note(`Key ${document.id} of ${document.tenant} ${describeExpiry(document.expires_at)}`);
  output.note(
    previous.status === 'revoked'
      ? `The key ${id} was revoked`
      : `The key ${id} serves until ${previous.expiresAt?.toISOString()}`,
  );
  if (options.out !== undefined) output.note(`The secret is in ${options.out}`);
}

export async function revokeKeyCommand(
  { audited, confirm, db, output }: Context,
  _: object,
  id: string,
): Promise<void> {
  const { tenantId } = await showApiKey(db, id);
  await confirm(`Refuse the key ${id} from now on?`);
  const document = await audited({ action: 'key.revoke', tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeApiKey(trx, id);
    note(toKeyDocument(before), toKeyDocument(after));
    return toKeyDocument(after);
  });
  output.answer(document, () => `The key ${id} of ${document.tenant} is revoked`);
}
