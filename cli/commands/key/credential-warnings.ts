import type { Credential, CredentialWarning } from '../../../services/api/credentials/credential';
import type { Output } from '../../terminal/output';
import type { Tone } from '../../terminal/screen';

/** Noun on the command line. */
export type CredentialNoun = 'key' | 'widget';
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

export interface Advice {
  sentence: string;
  /** To paste. */
  command: string;
}

/** Returns the problem of a credential and the command that solves it. */
export function adviseOn(noun: CredentialNoun, credential: Warned, warning: CredentialWarning): Advice {
  return ADVICE[warning](noun, credential);
}

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

const day = (at: Date) => at.toISOString().slice(0, 10);

const ADVICE: Record<CredentialWarning, (noun: CredentialNoun, credential: Warned) => Advice> = {
  seen_in_browser: (noun, { id, tenant }) => ({
    sentence: `${id} of ${tenant} comes from browsers, so visitors have it (or a server passes on what browsers send)`,
    command: `tourctl ${noun} rotate ${id} --grace 0`,
  }),
  expires_soon: (noun, { id, tenant, expiresAt }) => ({
    sentence: `${id} of ${tenant} expires on ${day(expiresAt!)}`,
    command: `tourctl ${noun} rotate ${id}`,
  }),
  never_used: (noun, { id, tenant, createdAt }) => ({
    sentence: `${id} of ${tenant} was never used since ${day(createdAt)}`,
    command: `tourctl ${noun} revoke ${id}`,
  }),
};
