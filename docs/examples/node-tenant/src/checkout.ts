import type { TourPlatform } from '@tour-platform/client';
import { Router } from 'express';
import { refusedForm, type Values } from './form.js';
import { sendOrder } from './order-page.js';
import { findOrder, type Order, type Orders } from './orders.js';
import { travellersOf } from './party.js';

/** Sells seats that are held: the page of the order, its payment, its cancellation. */
export function sell(platform: TourPlatform, orders: Orders): Router {
  const router = Router();

  router.get('/orders/:id', async (request, response) => {
    await sendOrder(response, platform, findOrder(orders, request.params.id));
  });

  router.post('/orders/:id', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const values = request.body as Values;
    try {
      await pay(platform, orders, order, values);
      response.redirect(303, `/orders/${order.id}`);
    } catch (error) {
      const rows = namedRows(order, values);
      // The platform counts the travellers that were sent, the form all of them.
      const form = refusedForm(values, error, (field) =>
        field.replace(/\d+/, (sent) => `${rows[Number(sent)]}`),
      );
      await sendOrder(response.status(form.refusal!.status), platform, order, form);
    }
  });

  router.post('/orders/:id/cancel', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const values = request.body as Values;
    try {
      const updatedAt = await cancel(platform, order, values);
      orders.save({ ...order, status: 'cancelled', updatedAt });
      response.redirect(303, `/orders/${order.id}`);
    } catch (error) {
      const form = refusedForm(values, error);
      await sendOrder(response.status(form.refusal!.status), platform, order, form);
    }
  });

  return router;
}

async function pay(platform: TourPlatform, orders: Orders, order: Order, values: Values): Promise<void> {
  const bookingRef = await book(platform, order, values);
  // Charge the card here, with your payment provider.
  const { data } = await platform.POST('/api/tenant/bookings/{booking_ref}/confirm', {
    params: { path: { booking_ref: bookingRef }, header: { 'Idempotency-Key': `${order.id}-confirm` } },
  });
  // The webhook may have arrived first.
  if (orders.find(order.id)?.status === 'held')
    orders.save({ ...order, status: 'paid', bookingRef, updatedAt: data.updated_at });
}

/** Cancels the booking for the refund that the customer saw. The platform refuses another refund, and the page shows the new one. */
async function cancel(
  platform: TourPlatform,
  order: Order,
  { reason, expected_refund }: Values,
): Promise<string> {
  const { data } = await platform.POST('/api/tenant/bookings/{booking_ref}/cancel', {
    params: {
      path: { booking_ref: order.bookingRef! },
      header: { 'Idempotency-Key': `${order.id}-cancel-${expected_refund ?? ''}` },
    },
    body: {
      reason: reason || undefined,
      expected_refund: expected_refund ? Number(expected_refund) : undefined,
    },
  });
  return data.updated_at;
}

/** Books once even if it is called twice, because the idempotency key is derived from the order. */
async function book(platform: TourPlatform, order: Order, values: Values): Promise<string> {
  const { name = '', phone = '', email = '' } = values;
  const people = travellersOf(order.party, order.categories);
  const { data } = await platform.POST('/api/tenant/bookings', {
    params: { header: { 'Idempotency-Key': `${order.id}-booking` } },
    body: {
      tour_id: order.tour,
      hold_id: order.holdId,
      departure_date: order.date,
      departure_time: order.time ?? undefined,
      party: order.party,
      expected_total: order.total,
      external_ref: order.id,
      name,
      phone,
      email,
      travellers: namedRows(order, values).map((row) => ({
        category: people[row]!.code,
        first_name: values[`travellers.${row}.first_name`] ?? '',
        last_name: values[`travellers.${row}.last_name`] ?? '',
        birth_date: values[`travellers.${row}.birth_date`] || undefined,
      })),
    },
  });
  return data.booking_ref;
}

/** Returns the rows of the form with a name: the customer may name the other travellers later. */
function namedRows({ party, categories }: Order, values: Values): number[] {
  return [...travellersOf(party, categories).keys()].filter(
    (row) => values[`travellers.${row}.first_name`] || values[`travellers.${row}.last_name`],
  );
}
