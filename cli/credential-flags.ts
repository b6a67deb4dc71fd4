import { CREDENTIAL_STATUSES } from '../services/api/credentials/credential';
import type { Flag } from './command';
import { credentialId, duration, limit, orNone } from './values';

/** What keys and widget tokens have in common on the command line. */
export const OUT_FLAG: Flag = {
  flags: '--out <file>',
  about: 'write the secret to a new file (0600), not to stdout',
};
export const EXPIRES_FLAG: Flag = {
  flags: '--expires-in <duration>',
  about: 'how long it serves, such as 90d, or none for ever',
  parse: orNone(duration()),
  otherwise: 'for ever',
};
export const GRACE_FLAG: Flag = {
  flags: '--grace <duration>',
  about: 'how long the old one still serves; 0 revokes it at once',
  parse: duration({ zero: true }),
  otherwise: '24h',
};
export const ROTATED_EXPIRES_FLAG: Flag = {
  ...EXPIRES_FLAG,
  otherwise: 'as long as the old one was issued for',
};
export const LIMIT_FLAG: Flag = {
  flags: '--limit <number>',
  about: 'how many at most',
  parse: limit,
  otherwise: '100',
};
export const CREDENTIAL_STATUS_FLAG: Flag = {
  flags: '--status <status>',
  about: 'only these',
  choices: CREDENTIAL_STATUSES,
};
export const ID_ARGUMENT = { id: credentialId };

export const DEFAULT_LIMIT = 100;
const DAY = 86_400;

export interface IssueOptions {
  /** Seconds; null: for ever. */
  expiresIn?: number | null;
  out?: string;
}

export interface RotateOptions extends IssueOptions {
  /** Seconds. */
  grace?: number;
}

export function toRotation({ grace = DAY, expiresIn }: RotateOptions) {
  return { graceSeconds: grace, lifetimeSeconds: expiresIn };
}

export function describeExpiry(expiresAt: string | null): string {
  return expiresAt ? `expires ${expiresAt}` : 'does not expire';
}

/** Without grace whoever still uses the old one is cut off, so it is asked for. */
export function endsAtOnce({ grace }: { grace?: number }): boolean {
  return grace === 0;
}
