import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the webhook-id header. This id identifies the event: all attempts, endpoints and replays have the same id. */
export function webhookId(eventId: string): string {
  return `msg_${eventId.replaceAll('-', '')}`;
}

interface Payload {
  id: string;
  /** Time of this attempt. */
  sentAt: Date;
  /** The exact body that is sent. */
  body: string;
}

/**
 * Creates the Standard Webhooks headers with one `v1` signature for each secret. During a rotation a receiver may have the old or the new
 * secret.
 * @rule the signature of a webhook: test/webhook-queue/signing.test.ts
 */
export function signPayload({ id, sentAt, body }: Payload, secrets: Buffer[]): Record<string, string> {
  const signed = `${id}.${inSeconds(sentAt)}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`,
  );
  return signatureHeaders(id, sentAt, signatures.join(' '));
}

export function signatureHeaders(id: string, sentAt: Date, signature: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(inSeconds(sentAt)),
    'webhook-signature': signature,
  };
}

function inSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** Limits clock skew and the reuse of a captured request, as Standard Webhooks recommends. */
const TOLERANCE_SECONDS = 300;

interface ReceivedPayload {
  /** Header names in lower case, as in Node. */
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Decodes the key of `whsec_…`; returns undefined for any other text. */
export function parseSecret(text: string): Buffer | undefined {
  const encoded = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(text)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

/** Verifies a received request. @returns null when the signature is valid, otherwise the reason */
export function explainInvalidPayload(
  { headers, body }: ReceivedPayload,
  secret: Buffer,
  now: Date,
): string | null {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (part) => headers[`webhook-${part}`],
  );
  if (typeof id !== 'string') return 'The header webhook-id is missing.';
  if (typeof timestamp !== 'string') return 'The header webhook-timestamp is missing.';
  if (typeof signatures !== 'string') return 'The header webhook-signature is missing.';
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds.';
  const sentAt = new Date(Number(timestamp) * 1000);
  const skew = Math.round(Math.abs(now.getTime() - sentAt.getTime()) / 1000);
  if (skew > TOLERANCE_SECONDS)
    return `webhook-timestamp is ${skew} s from this clock: at most ${TOLERANCE_SECONDS} s are allowed.`;
  const expected = Buffer.from(signPayload({ id, sentAt, body }, [secret])['webhook-signature']!);
  const matches = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches
    ? null
    : 'No signature fits this secret: the secret is a different one, or the body was altered.';
}

/** Adds the other headers of a webhook to the signature headers. The HTTP client adds the headers that HTTP itself requires. */
export function webhookHeaders(signature: Record<string, string>): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'tour-platform-webhooks/1',
    ...signature,
  };
}
