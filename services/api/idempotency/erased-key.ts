import { createHmac } from 'node:crypto';

export interface NamedKey {
  tenantId: string;
  operation: string;
  key: string;
}

/**
 * What is kept of a key that said who somebody is, so that a late repeat is still known. Keyed: who reads the table can try no
 * guess against it.
 * @param secret CURSOR_KEY
 */
export function erasedForm(secret: string, { tenantId, operation, key }: NamedKey): string {
  const named = JSON.stringify(['idempotency key', tenantId, operation, key]);
  return `erased:${createHmac('sha256', secret).update(named).digest('base64url')}`;
}
