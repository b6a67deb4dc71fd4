import { createHmac } from 'node:crypto';

/** Names the event, not the delivery: the same over all tries, endpoints and replays. */
export function webhookId(eventId: string): string {
  return `msg_${eventId.replaceAll('-', '')}`;
}

export interface Payload {
  id: string;
  /** When this try was made. */
  sentAt: Date;
  /** The very bytes that go out. */
  body: string;
}

/** Standard Webhooks headers, with one `v1` signature for each secret: during a rotation the receiver knows one of them. */
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
