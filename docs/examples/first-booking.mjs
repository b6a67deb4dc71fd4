// first-booking.mjs
import { createClient, TourPlatformError } from '@tour-platform/client';

const platform = createClient({ baseUrl: process.env.API, apiKey: process.env.KEY });
const cart = `cart-${Date.now()}`;
const write = (name, path) => ({ header: { 'Idempotency-Key': `${cart}-${name}` }, path });

/** Tells the customer why it cannot be sold now. Any error but a 409 is not the customer's. */
function offerAnother(error) {
  if (!(error instanceof TourPlatformError) || error.status !== 409) throw error;
  console.log(`Not available (${error.code}): ${error.detail}`);
  console.log(error.problem.alternatives ?? []);
  process.exit(1);
}

const { data: catalog } = await platform.GET('/api/tenant/catalog', {
  params: { query: { tag: 'family', limit: 100 } },
});
const tour = catalog.items.find((one) => one.next_departure_date);
const { data: list } = await platform.GET('/api/tenant/tours/{id_or_slug}/departures', {
  params: { path: { id_or_slug: tour.slug } },
});
const [first, other] = list.items.filter((one) => one.seats_available >= 3 && one.tenant_prices.child);
const family = { adults: 2, children: 1 };

const { data: hold } = await platform
  .POST('/api/gateway/tours/{id_or_slug}/hold', {
    params: write('hold', { id_or_slug: tour.slug }),
    body: { departure_date: first.departure_date, quantity: 3, ...family, external_ref: cart },
  })
  .catch(offerAnother);
console.log(`Three seats until ${hold.expires_at}, for ${hold.total_price} ${hold.currency}`);

const { data: booking } = await platform
  .POST('/api/tenant/bookings', {
    params: write('booking'),
    body: {
      tour_id: tour.slug,
      hold_id: hold.hold_id,
      ...family,
      expected_total: hold.total_price,
      name: 'Ana Lima',
      phone: '+49 30 901820',
      email: 'ana@example.com',
      external_ref: cart,
    },
  })
  .catch(offerAnother);
console.log(`Booked as ${booking.booking_ref}, ${booking.deposit_total} ${booking.currency} to pay now`);

const { booking_ref } = booking;
const { data: changed } = await platform.PATCH('/api/tenant/bookings/{booking_ref}', {
  params: write('change', { booking_ref }),
  body: { departure_date: other.departure_date },
});
console.log(`Changed to ${changed.departure_date}, for ${changed.total_price} ${changed.currency}`);

const { data: confirmed } = await platform.POST('/api/tenant/bookings/{booking_ref}/confirm', {
  params: write('confirm', { booking_ref }),
});
console.log(`It is ${confirmed.status}`);
