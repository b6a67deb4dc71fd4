import { createHmac, timingSafeEqual } from 'node:crypto';
import type { webhooks } from './openapi.ts';

/** The body of an event in the format `spec`; decide by `event_type`, and ignore unknown types. */
export type WebhookEvent = webhooks[keyof webhooks]['post']['requestBody']['content']['application/json'];

export interface ReceivedWebhook {
  /** The id of the event. The same event may arrive twice, with the same id. */
  id: string;
  event: WebhookEvent;
}

/** `request.headers` of Node, or the `Headers` of fetch. */
export type WebhookHeaders = { get(name: string): string | null } | Record<string, unknown>;

/** The request is not from the platform, or older than five minutes: answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 300;
/** A shorter key can be guessed; an empty one is a missing setting. */
const MIN_KEY_BYTES = 24;

/**
 * Verifies a webhook by the rules of Standard Webhooks, and parses it.
 * @param secrets `whsec_…`; several while the secret is being changed
 * @param rawBody the bytes as they arrived, before any parser
 * @throws WebhookVerificationError; TypeError for a malformed secret, and for a parsed body
 */
export function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
): ReceivedWebhook {
  const keys = [secrets].flat().map(keyOf);
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError(
      'rawBody must be the bytes as they arrived: a parser such as express.json() has read them.',
    );
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  const given = read(headers, 'webhook-signature').split(' ');
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp || NaN)) <= TOLERANCE_SECONDS;
  if (!isRecent) throw new WebhookVerificationError('The webhook has no timestamp of the last five minutes.');
  const isSigned = keys.some((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody);
    const expected = `v1,${mac.digest('base64')}`;
    return given.some((signature) => isEqual(signature, expected));
  });
  if (!isSigned) throw new WebhookVerificationError('The webhook has no valid signature.');
  return { id, event: JSON.parse(Buffer.from(rawBody).toString()) as WebhookEvent };
}

/**
 * Returns true for an event that tells an older state than the one that you know: skip it. Events arrive in any order, and each change of a
 * booking or a departure has a later `updated_at` than the one before.
 * @param updatedAt the `updated_at` of the last event or answer about the same booking or departure; null or undefined: you know none
 * @returns false for equal times, because both tell the same state. `booking.created`, and an event that the platform wrote before it had
 *   `updated_at`, is older than anything that has one
 */
export function isOutdated(event: WebhookEvent, updatedAt: string | Date | null | undefined): boolean {
  if (updatedAt === null || updatedAt === undefined) return false;
  const { updated_at: own } = event as { updated_at?: string };
  return own === undefined || Date.parse(own) < new Date(updatedAt).getTime();
}

function keyOf(secret: unknown): Buffer {
  const key = Buffer.from(String(secret).replace(/^whsec_/, ''), 'base64');
  if (key.length < MIN_KEY_BYTES)
    throw new TypeError('The secret must be the one that the operator gave: whsec_…');
  return key;
}

function read(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? '';
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : '';
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
