import { Router } from 'express';
import type { Order, Orders } from './orders.js';
import type { TourPlatform } from './tour-platform.js';

interface Choice {
  tour: string;
  departure_date: string;
  adults: number;
}

interface Customer {
  name: string;
  phone: string;
  email: string;
}

/** Sells a tour, from the chosen date to the paid booking. */
export function sell(platform: TourPlatform, orders: Orders): Router {
  const router = Router();

  router.post('/orders', async (request, response) => {
    const { tour, departure_date, adults } = request.body as Choice;
    const id = orders.newId();
    const hold = await platform('post', '/api/gateway/tours/{id_or_slug}/hold', {
      path: { id_or_slug: tour },
      body: { departure_date, quantity: adults, external_ref: id },
      idempotencyKey: `${id}-hold`,
    });
    const { hold_id: holdId, total_price: total, currency, expires_at } = hold;
    orders.save({ id, tour, adults, holdId, total, bookingRef: null, status: 'held' });
    response.status(201).json({ id, total, currency, pay_until: expires_at });
  });

  router.post('/orders/:id/pay', async (request, response) => {
    const order = orders.find(request.params.id);
    if (!order) return void response.sendStatus(404);
    const bookingRef = await book(platform, order, request.body as Customer);
    // Charge the card here, with your payment provider.
    await platform('post', '/api/tenant/bookings/{booking_ref}/confirm', {
      path: { booking_ref: bookingRef },
      idempotencyKey: `${order.id}-confirm`,
    });
    // The webhook may have arrived first.
    if (orders.find(order.id)?.status === 'held') orders.save({ ...order, status: 'paid', bookingRef });
    response.json({ booking_ref: bookingRef });
  });

  router.get('/orders/:id', (request, response) => {
    const order = orders.find(request.params.id);
    if (!order) return void response.sendStatus(404);
    response.json({ id: order.id, status: order.status, booking_ref: order.bookingRef });
  });

  return router;
}

/** Books once even if it is called twice, because the idempotency key is derived from the order. */
async function book(platform: TourPlatform, order: Order, { name, phone, email }: Customer): Promise<string> {
  const { booking_ref } = await platform('post', '/api/tenant/bookings', {
    body: {
      tour_id: order.tour,
      hold_id: order.holdId,
      adults: order.adults,
      expected_total: order.total,
      external_ref: order.id,
      name,
      phone,
      email,
    },
    idempotencyKey: `${order.id}-booking`,
  });
  return booking_ref;
}
