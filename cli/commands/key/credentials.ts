import {
  type Credential,
  CREDENTIAL_STATUSES,
  type CredentialOf,
  type CredentialPage,
  type CredentialWarning,
  type Issued,
} from '../../../services/api/credentials/credential';
import {
  listCredentials,
  revokeCredential,
  rotateCredential,
  type Rotated,
  showCredential,
} from '../../../services/api/credentials/manage-credentials';
import type { CredentialKind } from '../../../services/api/credentials/token';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database/database';
import { dateOf } from '../../../services/platform/forms/days';
import { flag, type Flag } from '../../engine/command';
import type { AuditedContext, Context } from '../../engine/context';
import { afterFlag, answerItems, DEFAULT_LIMIT, findTenantId, LIST_FLAGS } from '../../engine/list';
import { OUT_FLAG, withSecretFile } from '../../engine/secrets';
import { credentialId, credentialStart, duration, orNone } from '../../engine/values';
import type { Output } from '../../terminal/output';
import type { ItemColumn } from '../../terminal/table';

/* The commands that keys and widget tokens share: list, issue, rotate, revoke, and the warnings about a credential. */

export const EXPIRES_FLAG: Flag = flag(
  '--expires-in <duration>',
  'when it expires, such as 90d, or none for never',
  { parse: orNone(duration()), otherwise: 'never' },
);
export const GRACE_FLAG: Flag = flag(
  '--grace <duration>',
  'how long the old one stays valid; 0 revokes it at once',
  { parse: duration({ zero: true }), otherwise: '24h' },
);

/** The usage and the flags of the verbs that keys and widget tokens share. */
export const LIST_FORM = {
  usage: 'list <slug>',
  flags: [
    flag('--status <status>', 'only in this status', { choices: CREDENTIAL_STATUSES }),
    ...LIST_FLAGS,
    afterFlag('id', credentialId),
  ],
};
export const ROTATE_FORM = {
  usage: 'rotate <id>',
  asks: endsAtOnce,
  flags: [GRACE_FLAG, { ...EXPIRES_FLAG, otherwise: 'as long as the old one was issued for' }, OUT_FLAG],
  args: { id: credentialStart },
};
export const REVOKE_FORM = {
  usage: 'revoke <id>',
  asks: () => true,
  args: { id: credentialStart },
};

const DAY = 86_400;

export interface IssueOptions {
  /** Seconds; null: no expiry. */
  expiresIn?: number | null;
  out?: string;
}

export interface RotateOptions extends IssueOptions {
  /** Seconds for which the old credential stays valid. */
  grace?: number;
}

export function describeExpiry(expiresAt: string | null): string {
  return expiresAt ? `expires ${expiresAt}` : 'no expiry';
}

/** Returns whether the rotation ends the old credential at once, which needs a confirmation. */
export function endsAtOnce({ grace }: { grace?: number }): boolean {
  return grace === 0;
}

/** Noun on the command line. */
export type CredentialNoun = 'key' | 'widget';

/** The differences between the kinds of credentials on the command line. */
export interface CredentialForm<K extends CredentialKind> {
  kind: K;
  noun: CredentialNoun;
  /** Name in messages. */
  name: 'key' | 'widget token';
  /** Returns the document for lists and the audit log. */
  toDocument(credential: CredentialOf[K]): { id: string; tenant: string };
  /** The columns of a list of this kind of credentials. */
  columns: ItemColumn<CredentialOf[K]>[];
  /** Warns of what a revoked credential made and what stays. */
  warnOfRest?(context: Context, id: string): Promise<void>;
}

/** Lists the credentials of a tenant, or of all tenants, and prints advice for each below the list. */
export async function listCredentialsCommand<K extends CredentialKind>(
  { db, output }: Context,
  form: CredentialForm<K>,
  { limit = DEFAULT_LIMIT, status, after }: Partial<CredentialPage>,
  slug: string | undefined,
): Promise<void> {
  const page = { status, after, limit: limit + 1 };
  const found = await listCredentials(db, form.kind, await findTenantId(db, slug), page);
  await answerItems(output, found, limit, {
    document: (each) => ({ ...form.toDocument(each), warnings: each.warnings }),
    columns: columnsOf(form, slug),
    empty: `No ${form.name}s`,
    after: ({ id }) => id,
  });
  printWarnings(output, form.noun, found.slice(0, limit));
}

/** Issues a credential for the tenant. If --out is given, writes the secret to that file. */
export async function issueCredential<K extends CredentialKind>(
  { audited }: AuditedContext,
  { noun, toDocument }: CredentialForm<K>,
  { slug, out }: { slug: string; out: string | undefined },
  issue: (trx: Trx, tenant: Tenant) => Promise<Issued<CredentialOf[K]>>,
): Promise<Issued<CredentialOf[K]> & { tenant: Tenant }> {
  return withSecretFile(out, (keep) =>
    audited({ action: `${noun}.issue` }, async (trx, note) => {
      const tenant = await findTenant(trx, slug);
      const issued = await issue(trx, tenant);
      const { credential, token } = issued;
      note(null, toDocument(credential), { tenantId: tenant.id, subject: credential.id });
      keep(token);
      return { tenant, ...issued };
    }),
  );
}

/** Issues a successor. Asks for confirmation first if the old credential ends at once. */
export async function rotateCredentialCommand<K extends CredentialKind>(
  { audited, confirm, db, secrets }: AuditedContext,
  { kind, noun, name, toDocument }: CredentialForm<K>,
  options: RotateOptions,
  id: string,
): Promise<Rotated<CredentialOf[K]>> {
  const { tenantId } = await showCredential(db, kind, id);
  if (endsAtOnce(options)) await confirm(`Refuse the ${name} ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  return withSecretFile(options.out, (keep) =>
    audited({ action: `${noun}.rotate`, tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateCredential(trx, keyPepper, kind, id, {
        graceSeconds: options.grace ?? DAY,
        lifetimeSeconds: options.expiresIn,
      });
      const successor = toDocument(rotated.credential);
      note(toDocument(rotated.before), { ...toDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
}

/** Revokes a credential, waits for the writes that it began, and warns of what stays. */
export async function revokeCredentialCommand<K extends CredentialKind>(
  context: AuditedContext,
  form: CredentialForm<K>,
  id: string,
): Promise<void> {
  const { audited, confirm, db, output } = context;
  const { kind, noun, name, toDocument } = form;
  const { tenantId } = await showCredential(db, kind, id);
  await confirm(`Refuse the ${name} ${id} from now on?`);
  const document = await audited({ action: `${noun}.revoke`, tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeCredential(trx, kind, id);
    note(toDocument(before), toDocument(after));
    return toDocument(after);
  });
  await awaitEnd(context, form, id);
  await output.answer(document, () => `The ${name} ${id} of ${document.tenant} is revoked`);
}

/**
 * Waits until no write of a revoked credential runs, then warns of what stays, also if a write still runs.
 * @param again the command that waits again, if it is another one than this command
 * @throws WritesInFlightError after five seconds
 */
export async function awaitEnd<K extends CredentialKind>(
  context: AuditedContext,
  { name, warnOfRest }: CredentialForm<K>,
  id: string,
  again?: string,
): Promise<void> {
  try {
    await context.awaitWrites({ id, subject: `the ${name} ${id}`, again });
  } finally {
    await warnOfRest?.(context, id);
  }
}

/** Describes until when a rotated credential stays valid. */
export function describePrevious(name: 'key' | 'token', { id, status, expiresAt }: Credential): string {
  if (status === 'revoked') return `The ${name} ${id} was revoked`;
  return `The ${name} ${id} stays valid until ${expiresAt?.toISOString()}`;
}

type Warned = Pick<Credential, 'id' | 'tenant' | 'expiresAt' | 'createdAt' | 'warnings'>;

const LABEL: Record<CredentialWarning, string> = {
  seen_in_browser: 'in a browser',
  expires_soon: 'expires soon',
  never_used: 'never used',
};

/** @param slug undefined in a list of all tenants, which shows the tenant of each credential */
function columnsOf<K extends CredentialKind>(
  { columns }: CredentialForm<K>,
  slug: string | undefined,
): ItemColumn<CredentialOf[K]>[] {
  const { seen_in_browser, expires_soon, never_used } = LABEL;
  const tenant = { heading: 'tenant', least: 6, cell: (c: CredentialOf[K]) => c.tenant };
  return [
    { heading: 'id', cell: ({ id }) => id },
    ...(slug === undefined ? [tenant] : []),
    {
      heading: 'status',
      tones: { live: 'good', expired: 'quiet', revoked: 'quiet' },
      cell: ({ status }) => status,
    },
    {
      heading: 'warning',
      least: 12,
      tones: { [seen_in_browser]: 'bad', [expires_soon]: 'waiting', [never_used]: 'waiting' },
      cell: ({ warnings }) => warnings.map((warning) => LABEL[warning]).join(', ') || null,
    },
    ...columns,
    { heading: 'created', cell: ({ createdAt }) => dateOf(createdAt) },
    { heading: 'expires', cell: ({ expiresAt }) => expiresAt && dateOf(expiresAt) },
    { heading: 'last used', cell: ({ lastUsedAt }) => lastUsedAt && dateOf(lastUsedAt) },
    { heading: 'successor', cell: ({ replacedBy }) => replacedBy },
  ];
}

interface Advice {
  sentence: string;
  /** Can be pasted into a shell. */
  command: string;
}

/** Returns the problem of a credential and the command that solves it. */
export function adviseOn(noun: CredentialNoun, credential: Warned, warning: CredentialWarning): Advice {
  const { id, tenant, expiresAt, createdAt } = credential;
  switch (warning) {
    case 'seen_in_browser':
      return {
        sentence: `${id} of ${tenant} comes from browsers, so visitors have it (or a server passes on what browsers send)`,
        command: `tourctl ${noun} rotate ${id} --grace 0`,
      };
    case 'expires_soon':
      return {
        sentence: `${id} of ${tenant} expires on ${dateOf(expiresAt!)}`,
        command: `tourctl ${noun} rotate ${id}`,
      };
    case 'never_used':
      return {
        sentence: `${id} of ${tenant} was never used since ${dateOf(createdAt)}`,
        command: `tourctl ${noun} revoke ${id}`,
      };
  }
}

/** Prints advice for each credential below a list. */
function printWarnings(output: Output, noun: CredentialNoun, credentials: Warned[]): void {
  for (const credential of credentials) {
    // Shows only the first warning, which is the most severe.
    const [warning] = credential.warnings;
    if (!warning) continue;
    const { sentence, command } = adviseOn(noun, credential, warning);
    output.note(`warning: ${sentence}: ${command}`);
  }
}
