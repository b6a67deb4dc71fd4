import { timingSafeEqual } from 'node:crypto';
import { signPayload } from './sign-payload';

/** How far the clocks may be apart, and how long a captured request could be sent again: as Standard Webhooks has it. */
const TOLERANCE_SECONDS = 300;

export interface ReceivedPayload {
  /** Names in lower case, as Node has them. */
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The key that `whsec_…` stands for; undefined for anything else. */
export function parseSecret(text: string): Buffer | undefined {
  const encoded = /^whsec_([A-Za-z0-9+/]{32,}={0,2})$/.exec(text)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

/** The receiver's side of signPayload. @returns null where it is genuine, else why it is not */
export function refutePayload({ headers, body }: ReceivedPayload, secret: Buffer, now: Date): string | null {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(
    (part) => headers[`webhook-${part}`],
  );
  if (typeof id !== 'string') return 'The header webhook-id is missing.';
  if (typeof timestamp !== 'string') return 'The header webhook-timestamp is missing.';
  if (typeof signatures !== 'string') return 'The header webhook-signature is missing.';
  if (!/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds.';
  const sentAt = new Date(Number(timestamp) * 1000);
  const apart = Math.round(Math.abs(now.getTime() - sentAt.getTime()) / 1000);
  if (apart > TOLERANCE_SECONDS)
    return `webhook-timestamp is ${apart} s from this clock, more than ${TOLERANCE_SECONDS}.`;
  const expected = Buffer.from(signPayload({ id, sentAt, body }, [secret])['webhook-signature']!);
  const fits = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return fits
    ? null
    : 'No signature fits this secret: it is another one, or the body was altered on its way.';
}
