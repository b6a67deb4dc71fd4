import express, { Router } from 'express';
import { Webhook } from 'standardwebhooks';
import type { Orders } from './orders.js';
import type { BookingEvent } from './tour-platform.js';

/** Verifies the signature, processes each event once, and responds at once. */
export function receiveWebhooks(secret: string, orders: Orders): Router {
  const webhook = new Webhook(secret);
  // Store the ids for a week, in the transaction that changes the order: the same event may arrive twice.
  const seen = new Set<string>();

  // Reads the raw bytes instead of parsed JSON, because the signature covers them.
  return Router().post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
    const id = request.get('webhook-id') ?? '';
    let event: BookingEvent;
    try {
      event = webhook.verify(
        request.body as Buffer,
        request.headers as Record<string, string>,
      ) as BookingEvent;
    } catch {
      response.sendStatus(401);
      return;
    }
    if (!seen.has(id)) apply(event, orders);
    seen.add(id);
    response.sendStatus(204);
  });
}

/** Events may arrive in any order; unknown types are ignored. */
function apply(event: BookingEvent, orders: Orders): void {
  const order = orders.find(event.external_ref ?? '');
  if (order && event.event_type === 'booking.created') {
    orders.save({ ...order, status: 'booked', bookingRef: event.booking_ref });
  }
}
