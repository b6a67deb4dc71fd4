import type { EVENT_TYPES } from '../../../services/webhook-queue/deliveries/delivery';

/** Repeats the queue's list, because the queue is slow to load; the type checks that it is complete. */
export const EVENTS = Object.keys({
  'booking.created': true,
  'booking.confirmed': true,
  'booking.updated': true,
  'booking.cancelled': true,
  'booking.expired': true,
  'hold.expired': true,
  'departure.cancelled': true,
  'departure.updated': true,
  'endpoint.disabled': true,
} satisfies Record<(typeof EVENT_TYPES)[number], true>);
