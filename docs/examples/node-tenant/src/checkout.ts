import type { TourPlatform } from '@tour-platform/client';
import { Router } from 'express';
import { findOrder, sendOrder } from './order-page.js';
import type { Order, Orders } from './orders.js';

/** The fields of a form: all are text. */
type Form = Record<string, string | undefined>;

/** Sells a tour, from the chosen date to the paid booking. */
export function sell(platform: TourPlatform, orders: Orders): Router {
  const router = Router();

  router.post('/orders', async (request, response) => {
    const { tour = '', departure_date = '', departure_time, adults, children } = request.body as Form;
    const id = orders.newId();
    const party = { adults: Number(adults), children: Number(children ?? 0) };
    const { data: hold } = await platform.POST('/api/gateway/tours/{id_or_slug}/hold', {
      params: { path: { id_or_slug: tour }, header: { 'Idempotency-Key': `${id}-hold` } },
      body: {
        departure_date,
        departure_time: departure_time || undefined,
        quantity: party.adults + party.children,
        ...party,
        external_ref: id,
      },
    });
    const { data } = await platform.GET('/api/tenant/tours/{id_or_slug}', {
      params: { path: { id_or_slug: tour } },
    });
    orders.save({
      id,
      tour,
      tourName: data.name,
      date: hold.departure_date,
      time: hold.departure_time,
      ...party,
      holdId: hold.hold_id,
      payUntil: hold.expires_at,
      total: hold.total_price,
      currency: hold.currency,
      bookingRef: null,
      status: 'held',
      changes: 0,
    });
    response.redirect(303, `/orders/${id}`);
  });

  router.get('/orders/:id', async (request, response) => {
    await sendOrder(response, platform, findOrder(orders, request.params.id));
  });

  router.post('/orders/:id/pay', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const bookingRef = await book(platform, order, request.body as Form);
    // Charge the card here, with your payment provider.
    await platform.POST('/api/tenant/bookings/{booking_ref}/confirm', {
      params: { path: { booking_ref: bookingRef }, header: { 'Idempotency-Key': `${order.id}-confirm` } },
    });
    // The webhook may have arrived first.
    if (orders.find(order.id)?.status === 'held') orders.save({ ...order, status: 'paid', bookingRef });
    response.redirect(303, `/orders/${order.id}`);
  });

  router.post('/orders/:id/cancel', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const { reason } = request.body as Form;
    await platform.POST('/api/tenant/bookings/{booking_ref}/cancel', {
      params: {
        path: { booking_ref: order.bookingRef! },
        header: { 'Idempotency-Key': `${order.id}-cancel` },
      },
      body: reason ? { reason } : {},
    });
    orders.save({ ...order, status: 'cancelled' });
    response.redirect(303, `/orders/${order.id}`);
  });

  return router;
}

/** Books once even if it is called twice, because the idempotency key is derived from the order. */
async function book(platform: TourPlatform, order: Order, form: Form): Promise<string> {
  const { name = '', phone = '', email = '' } = form;
  const { data } = await platform.POST('/api/tenant/bookings', {
    params: { header: { 'Idempotency-Key': `${order.id}-booking` } },
    body: {
      tour_id: order.tour,
      hold_id: order.holdId,
      departure_date: order.date,
      departure_time: order.time ?? undefined,
      adults: order.adults,
      children: order.children,
      expected_total: order.total,
      external_ref: order.id,
      name,
      phone,
      email,
      travellers: travellersOf(order, form),
    },
  });
  return data.booking_ref;
}

/** Returns the travellers whose names are filled in: the customer may name the others later. */
function travellersOf({ adults, children }: Order, form: Form) {
  return Array.from({ length: adults + children }, (_, n) => ({
    category: n < adults ? ('adult' as const) : ('child' as const),
    first_name: form[`first_name_${n}`] ?? '',
    last_name: form[`last_name_${n}`] ?? '',
    birth_date: form[`birth_date_${n}`] || undefined,
  })).filter(({ first_name, last_name }) => first_name && last_name);
}
