import type { TourPlatform } from '@tour-platform/client';
import type { Response } from 'express';
import { Field, longDate, money, peopleOf, sendPage } from './page.js';
import type { Order, Orders } from './orders.js';
import type { Booking } from './tour-platform.js';

export class OrderNotFound extends Error {}

/** @throws OrderNotFound */
export function findOrder(orders: Orders, id: string): Order {
  const order = orders.find(id);
  if (!order) throw new OrderNotFound();
  return order;
}

/** Shows what the customer can do next: pay, change the date, or cancel. */
export async function sendOrder(response: Response, platform: TourPlatform, order: Order): Promise<void> {
  const booking = order.bookingRef ? await readBooking(platform, order.bookingRef) : undefined;
  sendPage(
    response,
    order.tourName,
    <>
      <h1>{order.tourName}</h1>
      <p class="lead">
        {longDate(order.date, order.time)}, {peopleOf(order)}
      </p>
      <p class="price">{money(order.total, order.currency)}</p>
      {booking ? <BookingPanel order={order} booking={booking} /> : <PaymentForm order={order} />}
    </>,
  );
}

async function readBooking(platform: TourPlatform, booking_ref: string): Promise<Booking> {
  const { data } = await platform.GET('/api/tenant/bookings/{booking_ref}', {
    params: { path: { booking_ref } },
  });
  return data;
}

function PaymentForm({ order }: { order: Order }) {
  const seats = order.adults + order.children;
  return (
    <form class="panel" method="post" action={`/orders/${order.id}/pay`}>
      <h2>Your details</h2>
      <p class="facts">
        Your seats and price are held until{' '}
        {new Date(order.payUntil).toLocaleTimeString('en', { timeStyle: 'short' })}.{' '}
        <a href={`/orders/${order.id}/date`}>Change my date</a>
      </p>
      <Field label="Name">
        <input name="name" required autocomplete="name" />
      </Field>
      <Field label="Phone">
        <input type="tel" name="phone" required autocomplete="tel" />
      </Field>
      <Field label="Email">
        <input type="email" name="email" required autocomplete="email" />
      </Field>
      <details>
        <summary>Names of the travellers (you can leave them out)</summary>
        {Array.from({ length: seats }, (_, n) => (
          <TravellerFields n={n} category={n < order.adults ? 'Adult' : 'Child'} />
        ))}
      </details>
      <button>Pay {money(order.total, order.currency)}</button>
    </form>
  );
}

function TravellerFields({ n, category }: { n: number; category: string }) {
  return (
    <fieldset>
      <legend>{`${category} ${n + 1}`}</legend>
      <Field label="First name">
        <input name={`first_name_${n}`} />
      </Field>
      <Field label="Last name">
        <input name={`last_name_${n}`} />
      </Field>
      <Field label="Born on">
        <input type="date" name={`birth_date_${n}`} />
      </Field>
    </fieldset>
  );
}

function BookingPanel({ order, booking }: { order: Order; booking: Booking }) {
  const { booking_ref, status, customer, travellers } = booking;
  return (
    <section class="panel">
      <h2>Booking {booking_ref}</h2>
      <p>
        <span class={`status ${status}`}>{status.replace('_', ' ')}</span>
        {order.status === 'booked' && <span class="status webhook">webhook received</span>}
      </p>
      <p>
        {customer.name}, {customer.email}
      </p>
      {travellers && (
        <ul>
          {travellers.map(({ first_name, last_name, category }) => (
            <li>{`${first_name} ${last_name}, ${category}`}</li>
          ))}
        </ul>
      )}
      {status !== 'cancelled' && (
        <>
          <p>
            <a class="button" href={`/orders/${order.id}/date`}>
              Change my date
            </a>
          </p>
          <form method="post" action={`/orders/${order.id}/cancel`}>
            <Field label="Reason">
              <input name="reason" maxLength={500} />
            </Field>
            <button class="quiet">Cancel the booking</button>
          </form>
        </>
      )}
    </section>
  );
}
