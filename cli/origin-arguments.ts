import type { Flag } from './command';
import type { Output } from './output';
import { UsageError } from './usage-error';

export const DEV_FLAG: Flag = { flags: '--dev', about: 'allow http://localhost:PORT, for a tenant on trial' };

/** Refuses what no tenant may have, before a database is opened. */
export function checkOrigins(origins: string[], dev: boolean | undefined, name: string): void {
  for (const origin of origins) canonical(origin, dev, name);
}

/** Tells where an origin is kept in another spelling than it was given in. */
export function noteSpelling(origins: string[], dev: boolean | undefined, output: Output): void {
  for (const origin of origins) {
    const kept = canonical(origin, dev, 'origin');
    if (kept !== origin) output.note(`${origin} is kept as ${kept}`);
  }
}

function canonical(origin: string, dev: boolean | undefined, name: string): string {
  const { canonicalOrigin } =
    require('../services/api/tenants/allowed-origin') as typeof import('../services/api/tenants/allowed-origin');
  const { OriginRefusedError } =
    require('../services/api/tenants/tenant.errors') as typeof import('../services/api/tenants/tenant.errors');
  try {
    return canonicalOrigin(origin, { dev });
  } catch (error) {
    if (!(error instanceof OriginRefusedError)) throw error;
    throw new UsageError(
      `${name} ${JSON.stringify(origin)} must be an origin such as https://shop.example: ${error.reason}`,
    );
  }
}
