import type { TourPlatform } from '@tour-platform/client';
import type { Response } from 'express';
import { Refunded, RefundNow } from './cancellation.js';
import { type Form, Input } from './form.js';
import type { Order } from './orders.js';
import { longDate, money, sendPage } from './page.js';
import { describeParty, labelOf, travellersOf } from './party.js';
import { Refusal } from './refusal.js';
import type { Booking, CancellationQuote } from './tour-platform.js';

const EMPTY: Form = { values: {}, issues: {} };

/** Shows what the customer can do next: pay, change the date, or cancel. */
export async function sendOrder(
  response: Response,
  platform: TourPlatform,
  order: Order,
  form = EMPTY,
): Promise<void> {
  const booked = order.bookingRef ? await readBooking(platform, order.bookingRef) : undefined;
  sendPage(
    response,
    order.tourName,
    <>
      <h1>{order.tourName}</h1>
      <p class="lead">
        {longDate(order.date, order.time)}, {describeParty(order.party, order.categories)}
      </p>
      <p class="price">{money(order.total, order.currency)}</p>
      {booked ? (
        <BookingPanel order={order} form={form} {...booked} />
      ) : (
        <Payment order={order} form={form} />
      )}
    </>,
  );
}

/** A booking, and what its cancellation refunds now. */
interface Booked {
  booking: Booking;
  quote: CancellationQuote;
}

async function readBooking(platform: TourPlatform, booking_ref: string): Promise<Booked> {
  const params = { path: { booking_ref } };
  const [{ data: booking }, { data: quote }] = await Promise.all([
    platform.GET('/api/tenant/bookings/{booking_ref}', { params }),
    platform.GET('/api/tenant/bookings/{booking_ref}/cancellation', { params }),
  ]);
  return { booking, quote };
}

function Payment({ order, form }: { order: Order; form: Form }) {
  const minutes = Math.ceil((Date.parse(order.payUntil) - Date.now()) / 60_000);
  if (minutes <= 0 || form.refusal?.code === 'hold_expired') return <ExpiredHold order={order} />;
  return <PaymentForm order={order} form={form} minutes={minutes} />;
}

/** The seats may still be free: the link leads to the same departure and party. */
function ExpiredHold({ order: { tour, date, time, party } }: { order: Order }) {
  const choice = new URLSearchParams({
    date,
    time: time ?? '',
    ...Object.fromEntries(Object.entries(party).map(([code, units]) => [`party.${code}`, `${units}`])),
  });
  return (
    <section class="notice" role="alert">
      <h2>The time to pay is over</h2>
      <p>Others can buy your seats now. We have charged nothing. Check whether they are still free:</p>
      <p>
        <a class="button" href={`/tours/${tour}?${choice}#party`}>
          Choose again
        </a>
      </p>
    </section>
  );
}

interface PaymentFormProps {
  order: Order;
  form: Form;
  /** Until the hold ends. */
  minutes: number;
}

function PaymentForm({ order, form, minutes }: PaymentFormProps) {
  const isNamed = Object.keys(form.values).some((name) => name.startsWith('travellers') && form.values[name]);
  return (
    <form class="panel" method="post" action={`/orders/${order.id}`}>
      <h2>Your details</h2>
      <p class="facts">
        {`Your seats and price are held for ${minutes} more ${minutes === 1 ? 'minute' : 'minutes'}. `}
        <a href={`/orders/${order.id}/date`}>Change my date</a>
      </p>
      {form.refusal && <Refusal error={form.refusal} shown={['name', 'phone', 'email', 'travellers']} />}
      <Input label="Name" form={form} name="name" required autocomplete="name" />
      <Input label="Phone" form={form} type="tel" name="phone" required autocomplete="tel" />
      <Input label="Email" form={form} type="email" name="email" required autocomplete="email" />
      <details open={isNamed}>
        <summary>Names of the travellers (you can leave them out)</summary>
        {travellersOf(order.party, order.categories).map((category, row) => (
          <fieldset>
            <legend>{`${labelOf(category, 1)} ${row + 1}`}</legend>
            <Input label="First name" form={form} name={`travellers.${row}.first_name`} />
            <Input label="Last name" form={form} name={`travellers.${row}.last_name`} />
            <Input label="Born on" form={form} type="date" name={`travellers.${row}.birth_date`} />
          </fieldset>
        ))}
      </details>
      <button>Pay {money(order.total, order.currency)}</button>
    </form>
  );
}

function BookingPanel({ order, form, booking, quote }: Booked & { order: Order; form: Form }) {
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
      {form.refusal && <Refusal error={form.refusal} shown={['reason']} />}
      {status === 'cancelled' ? (
        <Refunded booking={booking} />
      ) : (
        <>
          <p>
            <a class="button" href={`/orders/${order.id}/date`}>
              Change my date
            </a>
          </p>
          <form method="post" action={`/orders/${order.id}/cancel`}>
            <RefundNow quote={quote} />
            <Input label="Reason" form={form} name="reason" maxLength={500} />
            <button class="quiet">Cancel the booking</button>
          </form>
        </>
      )}
    </section>
  );
}
