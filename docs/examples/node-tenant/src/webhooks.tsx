import express, { Router } from 'express';
import { Webhook } from 'standardwebhooks';
import type { Orders, ReceivedEvent } from './orders.js';
import { sendPage } from './page.js';
import type { BookingEvent } from './tour-platform.js';

/** Verifies the signature, processes each event once, and responds at once. */
export function receiveWebhooks(secret: string, orders: Orders): Router {
  const webhook = new Webhook(secret);
  const router = Router();

  // Reads the raw bytes instead of parsed JSON, because the signature covers them.
  router.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
    const id = request.get('webhook-id') ?? '';
    const body = request.body as Buffer;
    let event: BookingEvent;
    try {
      event = webhook.verify(body, request.headers as Record<string, string>) as BookingEvent;
    } catch {
      response.sendStatus(401);
      return;
    }
    // Store the id in the transaction that changes the order: the same event may arrive twice.
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
function apply(event: BookingEvent, orders: Orders): void {
  const order = orders.find(event.external_ref ?? '');
  if (order && event.event_type === 'booking.created') {
    orders.save({ ...order, status: 'booked', bookingRef: event.booking_ref });
  }
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
