import type { TourPlatform } from '@tour-platform/client';
import { Router } from 'express';
import { Calendar, chosenIn, todayIn } from './calendar.js';
import { findOrder, type Order, type Orders } from './orders.js';
import { longDate, money, sendPage } from './page.js';
import { describeParty, totalOf } from './party.js';
import { type Departure, upcomingDepartures } from './tour-platform.js';

/** "Change my date", of seats that are held and of a booking. */
export function changeDates(platform: TourPlatform, orders: Orders): Router {
  const router = Router();

  router.get('/orders/:id/date', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const departures = await upcomingDepartures(platform, order.tour);
    const others = departures.filter((one) => !isDepartureOf(order, one));
    const chosen = chosenIn(others, request.query);
    sendPage(
      response,
      'Change my date',
      <>
        <h1>Change my date</h1>
        <p class="lead">
          {order.tourName}, now {longDate(order.date, order.time)},{' '}
          {describeParty(order.party, order.categories)}, {money(order.total, order.currency)}
        </p>
        <h2 id="dates">Choose a date</h2>
        <div class="choice">
          <Calendar
            departures={others}
            chosen={chosen}
            today={todayIn(order.timeZone)}
            category={order.categories[0]!.code}
          />
          {chosen.departure && <Change order={order} departure={chosen.departure} />}
        </div>
      </>,
    );
  });

  router.post('/orders/:id/date', async (request, response) => {
    const order = findOrder(orders, request.params.id);
    const { departure_date = '', departure_time, total } = request.body as Record<string, string | undefined>;
    const departure = { departure_date, departure_time: departure_time || undefined };
    const changed = await change(platform, order, departure, Number(total));
    const isAccepted = changed.total === Number(total);
    const moved = { ...order, ...changed, changes: order.changes + 1 };
    // Keeps the old total until the customer accepts the new one. The platform refuses to book the new date at the old total.
    orders.save(isAccepted ? moved : { ...moved, total: order.total });
    if (isAccepted) return response.redirect(303, `/orders/${order.id}`);
    sendPage(response.status(409), 'The price has changed', <NewPrice order={order} moved={moved} />);
  });

  return router;
}

function isDepartureOf({ date, time }: Order, { departure_date, start_time }: Departure): boolean {
  return departure_date === date && start_time === time;
}

interface NamedDeparture {
  departure_date: string;
  /** Undefined: the departure has no start time. */
  departure_time: string | undefined;
}

/**
 * Changes the booking, or the hold if there is no booking yet.
 * @param expected_total the price that the customer accepted. The platform refuses another price of a booking. A hold moves at any price, so
 * compare the total of the answer
 */
async function change(
  platform: TourPlatform,
  order: Order,
  departure: NamedDeparture,
  expected_total: number,
) {
  const header = { 'Idempotency-Key': `${order.id}-change-${order.changes + 1}` };
  if (order.bookingRef) {
    const { data: booking } = await platform.PATCH('/api/tenant/bookings/{booking_ref}', {
      params: { path: { booking_ref: order.bookingRef }, header },
      body: { ...departure, expected_total },
    });
    return {
      date: departure.departure_date,
      time: booking.departure_time,
      total: booking.total_price,
      updatedAt: booking.updated_at,
    };
  }
  const { data: hold } = await platform.PATCH('/api/gateway/holds/{hold_id}', {
    params: { path: { hold_id: order.holdId }, header },
    body: departure,
  });
  return {
    date: hold.departure_date,
    time: hold.departure_time,
    total: hold.total_price,
    payUntil: hold.expires_at,
  };
}

/** Asks the customer to accept the price of the new date, where it is not the price that the form showed. */
function NewPrice({ order, moved }: { order: Order; moved: Order }) {
  return (
    <section class="notice" role="alert">
      <h1>The price has changed</h1>
      <p>
        {longDate(moved.date, moved.time)}: {money(moved.total, moved.currency)} now, instead of{' '}
        {money(order.total, order.currency)}
      </p>
      <form method="post">
        <input type="hidden" name="departure_date" value={moved.date} />
        <input type="hidden" name="departure_time" value={moved.time ?? ''} />
        <input type="hidden" name="total" value={moved.total} />
        <button>Keep this date</button>
      </form>
      <p>
        <a href={`/orders/${order.id}/date`}>Choose another date</a>
      </p>
    </section>
  );
}

function Change({ order, departure }: { order: Order; departure: Departure }) {
  const { departure_date, start_time, tenant_prices, currency } = departure;
  const total = totalOf(order.party, tenant_prices);
  return (
    <form id="party" class="panel" method="post">
      <h3>{longDate(departure_date, start_time)}</h3>
      <p class="price">
        {money(total, currency)}
        {total !== order.total && ` instead of ${money(order.total, order.currency)}`}
      </p>
      <input type="hidden" name="departure_date" value={departure_date} />
      <input type="hidden" name="departure_time" value={start_time ?? ''} />
      <input type="hidden" name="total" value={total} />
      <button>Change to this date</button>
    </form>
  );
}
