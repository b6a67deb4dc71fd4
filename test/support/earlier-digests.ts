import { createHash } from 'node:crypto';
import type { TestApi } from './api';
import type { Website } from './website';

/** A phone number in a request, and what the code of release 0.1.0 has read in it, for a tenant in Germany. */
interface EarlierPhone {
  sent: string;
  in010: string;
  /** The reading of this release. Undefined: the same as `in010`. */
  now?: string;
}

/** Computed by the code of release 0.1.0. This release reads another number in it, or keeps the text too. */
export const EARLIER_PHONES: EarlierPhone[] = [
  { sent: '+49 170 1234567 (WhatsApp)', in010: '+491701234567' },
  { sent: '030 901820 / 0176 12345678', in010: '030901820017612345678', now: '+4930901820' },
  { sent: '+49 30 901820 ext. 12', in010: '+4930901820' },
  { sent: 'Anna: 0170 1234567', in010: '+491701234567' },
  { sent: '0170 1234567; 0170 7654321', in010: '0170123456701707654321', now: '+491701234567' },
  { sent: '+49 30 901820, evenings', in010: '+4930901820' },
  { sent: '+52 1 55 1234 5678', in010: '+5215512345678', now: '+525512345678' },
];

/** Returns the fingerprint that release 0.1.0 stored: the country, and the SHA-256 of JSON with sorted keys. */
export function earlierFingerprint(country: string, value: unknown): Buffer {
  const sorted = JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
  return Buffer.concat([Buffer.from(country), createHash('sha256').update(sorted).digest()]);
}

/** Gives the stored answer of a key the fingerprint that an earlier release has stored for this value. */
export async function storeEarlierFingerprint(
  { db }: TestApi,
  { tenant }: Website,
  key: string,
  value: unknown,
): Promise<void> {
  const stored = { fingerprint: earlierFingerprint('DE', value) };
  const updated = await db('idempotency_keys').where({ tenant_id: tenant.id, key }).update(stored);
  expect(updated).toBe(1);
}
