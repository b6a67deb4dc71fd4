import { CREDENTIAL_STATUSES } from '../../services/api/credentials/credential';
import type { Output } from '../terminal/output';
import { flag, type Flag } from './command';
import { UsageError } from './failure';
import { newSecretFile } from './secrets';
import { afterFlag, LIST_FLAGS } from './flags';
import { credentialId, duration, orNone } from './values';

/** Flags that keys and widget tokens share. */
export const OUT_FLAG: Flag = flag('--out <file>', 'write the secret to a new file (0600), not to stdout', {
  parse: newSecretFile,
});
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

/** The verbs that keys and widget tokens share. */
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
  args: { id: credentialId },
};
export const REVOKE_FORM = {
  usage: 'revoke <id>',
  asks: () => true,
  args: { id: credentialId },
};

const DAY = 86_400;

export interface IssueOptions {
  /** Seconds; null: no expiry. */
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
  return expiresAt ? `expires ${expiresAt}` : 'no expiry';
}

/** Returns whether the rotation ends the old credential at once, which needs a confirmation. */
export function endsAtOnce({ grace }: { grace?: number }): boolean {
  return grace === 0;
}

export const DEV_FLAG: Flag = flag('--dev', 'allow http://localhost:PORT, for a tenant on trial');

/** Refuses invalid origins before a database is opened. @throws UsageError */
export function checkOrigins(origins: string[], dev: boolean | undefined, name: string): void {
  for (const origin of origins) canonical(origin, dev, name);
}

/** Notes each origin whose stored spelling differs from the given one. */
export function printSpelling(origins: string[], dev: boolean | undefined, output: Output): void {
  for (const origin of origins) {
    const kept = canonical(origin, dev, 'origin');
    if (kept !== origin) output.note(`${origin} is stored as ${kept}`);
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
