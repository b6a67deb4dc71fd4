import { createHash } from 'node:crypto';
import type { Tenant } from './tenant';

const stamps = new WeakMap<Tenant, string>();

/**
 * Another one whenever anything about the tenant is another. It begins the key of whatever is remembered for a tenant: a request
 * that was authenticated just before a change still has the old tenant in hand, and must not leave what it reads to the next.
 */
export function stampOf(tenant: Tenant): string {
  let stamp = stamps.get(tenant);
  if (!stamp) {
    stamp = createHash('sha256').update(JSON.stringify(tenant)).digest('base64url');
    stamps.set(tenant, stamp);
  }
  return stamp;
}
