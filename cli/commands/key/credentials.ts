import type { Credential, CredentialWarning, Issued } from '../../../services/api/credentials/credential';
import type { Rotation } from '../../../services/api/credentials/rotate-credential';
import type { Db, Trx } from '../../../services/platform/database';
import type { Context } from '../../engine/context';
import { type RotateOptions, toRotation } from '../../engine/credential-flags';
import { withSecretFile } from '../../engine/secrets';
import type { Output } from '../../terminal/output';
import type { Tone } from '../../terminal/screen';
import type { Cell } from '../../terminal/table';

/* Rotates, revokes and warns of keys and widget tokens alike. */

/** Noun on the command line. */
export type CredentialNoun = 'key' | 'widget';

/** Lists the use cases of one kind of credential. */
export interface CredentialKindActions<C extends Credential> {
  noun: CredentialNoun;
  /** Name in messages. */
  name: 'key' | 'widget token';
  show(db: Db, id: string): Promise<C>;
  rotate(
    trx: Trx,
    pepper: string | undefined,
    id: string,
    rotation: Rotation,
  ): Promise<Issued<C> & { before: C; previous: C }>;
  revoke(trx: Trx, id: string): Promise<{ before: C; after: C }>;
  /** Returns the document for lists and the audit log. */
  toDocument(credential: C): { id: string; tenant: string };
}

/** Issues a successor, and confirms first if the old one ends at once. */
export async function rotateCredential<C extends Credential>(
  { audited, confirm, db, secrets }: Context,
  { noun, name, show, rotate, toDocument }: CredentialKindActions<C>,
  options: RotateOptions,
  id: string,
): Promise<Issued<C> & { previous: C }> {
  const { tenantId } = await show(db, id);
  if (options.grace === 0) await confirm(`Refuse the ${name} ${id} from now on?`);
  const { keyPepper } = await secrets('keyPepper');
  return withSecretFile(options.out, (keep) =>
    audited({ action: `${noun}.rotate`, tenantId, subject: id }, async (trx, note) => {
      const rotated = await rotate(trx, keyPepper, id, toRotation(options));
      const successor = toDocument(rotated.credential);
      note(toDocument(rotated.before), { ...toDocument(rotated.previous), successor });
      keep(rotated.token);
      return rotated;
    }),
  );
}

/** Describes until when a rotated credential stays valid. */
export function describePrevious(name: 'key' | 'token', { id, status, expiresAt }: Credential): string {
  if (status === 'revoked') return `The ${name} ${id} was revoked`;
  return `The ${name} ${id} stays valid until ${expiresAt?.toISOString()}`;
}

export async function revokeCredential<C extends Credential>(
  { audited, confirm, db, output }: Context,
  { noun, name, show, revoke, toDocument }: CredentialKindActions<C>,
  id: string,
): Promise<void> {
  const { tenantId } = await show(db, id);
  await confirm(`Refuse the ${name} ${id} from now on?`);
  const document = await audited({ action: `${noun}.revoke`, tenantId, subject: id }, async (trx, note) => {
    const { before, after } = await revoke(trx, id);
    note(toDocument(before), toDocument(after));
    return toDocument(after);
  });
  output.answer(document, () => `The ${name} ${id} of ${document.tenant} is revoked`);
}

/** Returns the days of creation, expiry and last use for a list. */
export function lifeCells(times: {
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}): Cell[] {
  return [times.created_at, times.expires_at, times.last_used_at].map((time) => time?.slice(0, 10) ?? null);
}

type Warned = Pick<Credential, 'id' | 'tenant' | 'expiresAt' | 'createdAt' | 'warnings'>;

const LABEL: Record<CredentialWarning, string> = {
  seen_in_browser: 'in a browser',
  expires_soon: 'expires soon',
  never_used: 'never used',
};

export const STATUS_TONES: Record<Credential['status'], Tone> = {
  live: 'good',
  expired: 'quiet',
  revoked: 'quiet',
};
export const WARNING_TONES: Record<string, Tone> = {
  [LABEL.seen_in_browser]: 'bad',
  [LABEL.expires_soon]: 'waiting',
  [LABEL.never_used]: 'waiting',
};

/** Returns the warnings for a column; null without warnings. */
export function warningLabels(warnings: CredentialWarning[]): string | null {
  return warnings.map((warning) => LABEL[warning]).join(', ') || null;
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
export function printWarnings(output: Output, noun: CredentialNoun, credentials: Warned[]): void {
  for (const credential of credentials) {
    // Shows only the first warning, which is the most severe.
    const [warning] = credential.warnings;
    if (!warning) continue;
    const { sentence, command } = adviseOn(noun, credential, warning);
    output.note(`warning: ${sentence}: ${command}`);
  }
}
