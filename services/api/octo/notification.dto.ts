import type { Subscription } from '../../webhook-queue/subscriptions';

/** The kinds of notifications, with the events of the webhook queue that make them. */
export const EVENTS_OF = {
  PRODUCT_UPDATE: ['octo.product_update'],
  AVAILABILITY_UPDATE: ['octo.availability_update'],
  BOOKING_UPDATE: [
    'booking.confirmed',
    'booking.updated',
    'booking.cancelled',
    'booking.expired',
    'hold.expired',
    'octo.booking_update',
  ],
} as const satisfies Record<string, readonly Subscription['events'][number][]>;

export type OctoNotificationType = keyof typeof EVENTS_OF;

/** In the order in which answers name them. */
export const NOTIFICATION_TYPES = Object.keys(EVENTS_OF) as OctoNotificationType[];

export interface OctoSubscription {
  /** @example "5c7d6dbb-cd4c-48fd-9709-0ebaa14d7a00" */
  id: string;
  /** @example "https://reseller.example/octo" */
  url: string;
  /** @example ["PRODUCT_UPDATE", "BOOKING_UPDATE"] */
  notificationTypes: OctoNotificationType[];
  /**
   * The names of the headers; each value is `***`.
   * @example {"Api-Key": "***"}
   */
  headers: { [name: string]: string };
  /** `disabled`: the address answered 410, or failed for days. The operator enables it. */
  status: 'active' | 'paused' | 'disabled';
  /**
   * Only in the answer that creates the subscription: signs each notification, as Standard Webhooks describes.
   * @example "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
   */
  secret?: string;
}

export function toOctoSubscription(
  { id, url, events, headerNames, status }: Subscription,
  secret?: string,
): OctoSubscription {
  return {
    id,
    url,
    notificationTypes: NOTIFICATION_TYPES.filter((type) => events.includes(EVENTS_OF[type][0])),
    headers: Object.fromEntries(headerNames.map((name) => [name, '***'])),
    status: status as OctoSubscription['status'],
    ...(secret !== undefined && { secret }),
  };
}

export function eventsOf(types: OctoNotificationType[]): Subscription['events'] {
  return types.flatMap((type) => EVENTS_OF[type]);
}
