import { CREDENTIAL_STATUSES } from '../../services/api/credentials/credential';
import type { Output } from '../terminal/output';
import type { Flag } from './command';
import { UsageError } from './failure';
import { credentialId, duration, limit, orNone } from './values';

/** Flags that keys and widget tokens share. */
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

/** Returns whether the rotation ends the old credential at once, which needs a confirmation. */
export function endsAtOnce({ grace }: { grace?: number }): boolean {
  return grace === 0;
}

export const DEV_FLAG: Flag = { flags: '--dev', about: 'allow http://localhost:PORT, for a tenant on trial' };

/** Refuses what no tenant may have, before a database is opened. */
export function checkOrigins(origins: string[], dev: boolean | undefined, name: string): void {
  for (const origin of origins) canonical(origin, dev, name);
}

/** Tells where an origin is kept in another spelling than it was given in. */
export function printSpelling(origins: string[], dev: boolean | undefined, output: Output): void {
  for (const origin of origins) {
    const kept = canonical(origin, dev, 'origin');
    if (kept !== origin) output.note(`${origin} is kept as ${kept}`);
  }
}

function canonical(origin: string, dev: boolean | undefined, name: string): string {
  const { canonicalOrigin } =
    require('../../services/api/tenants/origins') as typeof import('../../services/api/tenants/origins');
  const { OriginRefusedError } =
    require('../../services/api/tenants/tenant.errors') as typeof import('../../services/api/tenants/tenant.errors');
  try {
    return canonicalOrigin(origin, { dev });
  } catch (error) {
    if (!(error instanceof OriginRefusedError)) throw error;
    throw new UsageError(
      `${name} ${JSON.stringify(origin)} must be an origin such as https://shop.example: ${error.reason}`,
    );
  }
}
