import {
  isOutdated,
  type ReceivedWebhook,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookEvent,
} from '@tour-platform/client';
import express, { Router } from 'express';
import type { Order, Orders, ReceivedEvent } from './orders.js';
import { sendPage } from './page.js';

/** Verifies the signature, processes each event once, and responds at once. */
export function receiveWebhooks(secret: string, orders: Orders): Router {
  const router = Router();

  // Reads the raw bytes instead of parsed JSON, because the signature covers them.
  router.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
    // A request without a JSON body has no body here, and no valid signature.
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    let received: ReceivedWebhook;
    try {
      received = verifyWebhook(secret, request.headers, body);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      response.sendStatus(401);
      return;
    }
    // Store the id in the transaction that changes the order: the same event may arrive twice.
    const { id, event } = received;
    const at = new Date().toISOString();
    if (orders.receive({ id, at, type: event.event_type, body: body.toString() })) apply(event, orders);
    response.sendStatus(204);
  });

  router.get('/inbox', (_request, response) => {
    sendPage(response, 'Webhook inbox', <Inbox events={orders.events()} />);
  });

  return router;
}

/** Events may arrive in any order; unknown types are ignored. */
function apply(event: WebhookEvent, orders: Orders): void {
  if (!('booking_ref' in event)) return;
  const order = orders.find(event.external_ref ?? '');
  if (order) orders.save({ ...order, ...changesOf(event, order) });
}

/** Returns what the event changes in the order. An event that is older than the last one changes nothing. */
function changesOf(event: Extract<WebhookEvent, { booking_ref: string }>, order: Order): Partial<Order> {
  if (event.event_type === 'booking.created') {
    return order.status === 'cancelled' ? {} : { status: 'booked', bookingRef: event.booking_ref };
  }
  if (!('updated_at' in event) || isOutdated(event, order.updatedAt)) return {};
  const { event_type: type, departure_date: date, departure_time: time, total_price: total } = event;
  const isEnded = type === 'booking.cancelled' || type === 'booking.expired';
  return {
    date: date ?? order.date,
    time,
    total,
    status: isEnded ? 'cancelled' : 'booked',
    bookingRef: event.booking_ref,
    updatedAt: event.updated_at,
  };
}

function Inbox({ events }: { events: ReceivedEvent[] }) {
  return (
    <>
      <h1>Webhook inbox</h1>
      <p class="lead">Each event has a valid signature and is listed once, the newest first.</p>
      {events.length === 0 && <p class="empty">No event has arrived.</p>}
      {events.map(({ id, at, type, body }) => (
        <details class="event">
          <summary>
            <strong>{type}</strong> <time>{at}</time> <code>{id}</code>
          </summary>
          <pre>{JSON.stringify(JSON.parse(body), null, 2)}</pre>
        </details>
      ))}
    </>
  );
}
