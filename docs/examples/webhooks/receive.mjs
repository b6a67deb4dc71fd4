// receive.mjs
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { isOutdated, verifyWebhook, WebhookVerificationError } from '@tour-platform/client';

const bookings = new Map(); // use a table instead

createServer(async (request, response) => {
  try {
    const { event } = verifyWebhook(process.env.WEBHOOK_SECRET, request.headers, await buffer(request));
    if (event.event_type.startsWith('booking.')) keepLatest(event);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
  }
}).listen(process.env.PORT ?? 4000);

/** Skips an event that is older than the stored one. */
function keepLatest(event) {
  if (isOutdated(event, bookings.get(event.booking_ref)?.updated_at)) return;
  bookings.set(event.booking_ref, event);
  console.log(`${event.event_type} ${event.booking_ref}: ${event.total_price}`);
}
