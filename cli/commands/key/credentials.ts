import {
  type Credential,
  type CredentialOf,
  type CredentialPage,
  type CredentialWarning,
  type Issued,
} from '../../../services/api/credentials/credential';
import { listCredentials, showCredential } from '../../../services/api/credentials/list-credentials';
import { revokeCredential } from '../../../services/api/credentials/revoke-credential';
import { rotateCredential, type Rotated } from '../../../services/api/credentials/rotate-credential';
import type { CredentialKind } from '../../../services/api/credentials/token-format';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Tenant } from '../../../services/api/tenants/tenant';
import type { Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { type RotateOptions, toRotation } from '../../engine/credential-flags';
import { DEFAULT_LIMIT } from '../../engine/flags';
import { answerPage, findTenantId, oneMoreThan } from '../../engine/list-page';
import { withSecretFile } from '../../engine/secrets';
import type { Output } from '../../terminal/output';
import { type Cell, type Column, table } from '../../terminal/table';

/* Lists, issues, rotates and revokes keys and widget tokens alike, and warns of them. */

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
  /** The columns of this kind in a list. */
  columns: Column[];
  toCells(credential: CredentialOf[K]): Cell[];
}

export async function listCredentialsCommand<K extends CredentialKind>(
  { db, output }: Context,
  form: CredentialForm<K>,
  { limit = DEFAULT_LIMIT, status, after }: Partial<CredentialPage>,
  slug: string | undefined,
): Promise<void> {
  const page = { status, after, limit: oneMoreThan(limit) };
  const credentials = await listCredentials(db, form.kind, await findTenantId(db, slug), page);
  const found = credentials.map((each) => ({ ...form.toDocument(each), warnings: each.warnings }));
  answerPage(output, found, { limit, after: ({ id }) => id }, ({ length }, screen) =>
    table(
      columnsOf(form, slug),
      credentials.slice(0, length).map(rowOf(form, slug)),
      `No ${form.name}s`,
      screen,
    ),
  );
  printWarnings(output, form.noun, credentials.slice(0, limit));
}

/** Issues a credential for the tenant, and keeps its secret in the file of --out, if there is one. */
export async function issueCredential<K extends CredentialKind>(
  { audited }: Context,
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

/** Issues a successor, and confirms first if the old one ends at once. */
export async function rotateCredentialCommand<K extends CredentialKind>(
  { audited, confirm, db, secrets }: Context,
  { kind, noun, name, toDocument }: CredentialForm<K>,
  options: RotateOptions,
  id: string,
): Promise<Rotated<CredentialOf[K]>> {
  const { tenantId } = await showCredential(db, kind, id);
  if (options.grace === 0) await confirm(`Refuse the ${name} ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  return withSecretFile(options.out, (keep) =>
    audited({ action: `${noun}.rotate`, tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotateCredential(trx, keyPepper, kind, id, toRotation(options));
      const successor = toDocument(rotated.credential);
      note(toDocument(rotated.before), { ...toDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
}

export async function revokeCredentialCommand<K extends CredentialKind>(
  { audited, confirm, db, output }: Context,
  { kind, noun, name, toDocument }: CredentialForm<K>,
  id: string,
): Promise<void> {
  const { tenantId } = await showCredential(db, kind, id);
  await confirm(`Refuse the ${name} ${id} from now on?`);
  const document = await audited({ action: `${noun}.revoke`, tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revokeCredential(trx, kind, id);
    note(toDocument(before), toDocument(after));
    return toDocument(after);
  });
  output.answer(document, () => `The ${name} ${id} of ${document.tenant} is revoked`);
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

/** @param slug undefined in a list of all tenants, which names the tenant of each credential */
function columnsOf<K extends CredentialKind>(
  { columns }: CredentialForm<K>,
  slug: string | undefined,
): Column[] {
  const { seen_in_browser, expires_soon, never_used } = LABEL;
  return [
    'id',
    ...(slug === undefined ? [{ heading: 'tenant', least: 6 }] : []),
    { heading: 'status', tones: { live: 'good', expired: 'quiet', revoked: 'quiet' } },
    {
      heading: 'warning',
      least: 12,
      tones: { [seen_in_browser]: 'bad', [expires_soon]: 'waiting', [never_used]: 'waiting' },
    },
    ...columns,
    'created',
    'expires',
    'last used',
    'successor',
  ];
}

function rowOf<K extends CredentialKind>({ toCells }: CredentialForm<K>, slug: string | undefined) {
  return (credential: CredentialOf[K]): Cell[] => {
    const { id, tenant, status, warnings, createdAt, expiresAt, lastUsedAt, replacedBy } = credential;
    const labels = warnings.map((warning) => LABEL[warning]).join(', ') || null;
    const days = [createdAt, expiresAt, lastUsedAt].map((at) => at && day(at));
    const named = slug === undefined ? [tenant] : [];
    return [id, ...named, status, labels, ...toCells(credential), ...days, replacedBy];
  };
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
        sentence: `${id} of ${tenant} expires on ${day(expiresAt!)}`,
        command: `tourctl ${noun} rotate ${id}`,
      };
    case 'never_used':
      return {
        sentence: `${id} of ${tenant} was never used since ${day(createdAt)}`,
        command: `tourctl ${noun} revoke ${id}`,
      };
  }
}

const day = (at: Date) => at.toISOString().slice(0, 10);

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
