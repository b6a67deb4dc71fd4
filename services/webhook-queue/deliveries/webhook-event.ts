/** What an endpoint may ask for with `--event` (CONTRACT section 5). */
export const EVENT_TYPES = [
  'booking.created',
  'booking.confirmed',
  'booking.cancelled',
  'booking.expired',
  'hold.expired',
  'endpoint.disabled',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface WebhookEvent {
  tenantId: string;
  /** A ping is sent to the endpoint that was asked to show itself, whatever that endpoint listens to. */
  type: EventType | 'ping';
  bookingRef: string | null;
  /** The exact JSON body: keys in order, null where something is missing. */
  body: Record<string, unknown>;
}

export function isEventType(text: string): text is EventType {
  return (EVENT_TYPES as readonly string[]).includes(text);
}
