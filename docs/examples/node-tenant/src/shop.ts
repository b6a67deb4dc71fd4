import { createClient, tourProxy, verifyWebhook, WebhookVerificationError } from '@tour-platform/client';
import express, { type NextFunction, type Request, type Response } from 'express';
const { API = '', KEY = '', SECRET = '', WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
const SCRIPT = `<script type="module" src="${API}/embed/booking.v1.js"></script>`;
const platform = createClient({ baseUrl: API, apiKey: KEY });
const tours = tourProxy({ baseUrl: API, apiKey: KEY, secret: SECRET });
const shop = express().use(express.static('public')).use('/tours', tours); // The element calls /tours.
const text = (value: string) => value.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
const money = (sum: number, currency: string) => sum.toLocaleString('en', { style: 'currency', currency });

shop.get('/', async (_request, response) => {
  const { data } = await platform.GET('/api/tenant/catalog', { params: { query: { limit: 60 } } });
  const cards = data.items.flatMap((tour) => {
    if (!('name' in tour)) return [];
    return `<li><img src="${text(tour.image_url ?? '/no-picture.svg')}" alt="" width="640" height="400" loading="lazy"><a href="/trips/${tour.slug}">${text(tour.name)}</a> from ${money(tour.price_from, tour.currency)}</li>`;
  });
  send(response, 'Our tours', `<ul>${cards.join('')}</ul>`);
});

shop.get('/trips/:slug', async (request, response) => {
  const params = { path: { id_or_slug: request.params.slug } };
  const { data: tour } = await platform.GET('/api/tenant/tours/{id_or_slug}', { params });
  const tag = `<tour-booking tour="${tour.slug}" api="/tours" next="/pay"><a href="tel:+49">Call us</a></tour-booking>`;
  send(response, tour.name, `<p>${text(tour.summary ?? '')}</p>${tag}${SCRIPT}`);
});

shop.get('/pay', async (request, response) => {
  const booking = await tours.bookingOf(request);
  if (!booking) return response.redirect('/');
  const pay = `<form method="post" action="/pay?ref=${booking.booking_ref}"><button>Pay ${money(booking.total_price, booking.currency)}</button></form>`;
  const next = booking.status === 'pending_payment' ? pay : `It is ${booking.status}.`;
  send(response.set('Cache-Control', 'no-store'), `Booking ${booking.booking_ref}`, next);
});

shop.post('/pay', async (request, response) => {
  const { booking_ref = '' } = (await tours.bookingOf(request)) ?? {}; // Take the money here.
  if (!booking_ref || booking_ref !== request.query.ref) return response.redirect(303, '/pay'); // Another tab has booked.
  const paid = { params: { path: { booking_ref } }, body: { despite_missing_answers: true } }; // They may follow.
  await platform.POST('/api/tenant/bookings/{booking_ref}/confirm', paid);
  response.redirect(303, '/pay');
});

shop.post('/webhooks', express.raw({ type: 'application/json' }), ({ headers, body }, response) => {
  console.log(verifyWebhook(WEBHOOK_SECRET, headers, body ?? '')); // Store it. The same id may come twice.
  response.sendStatus(204);
});

shop.use((error: { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
  const status = [400, 404].find((known) => known === error.status) ?? 500; // A refusal of the key is ours.
  if (status === 500) console.error(error);
  response.status(error instanceof WebhookVerificationError ? 401 : status);
  send(response, 'This is not possible now', '');
});

function send(response: Response, title: string, body: string): void {
  response.set('Content-Security-Policy', `default-src 'self'; script-src ${API}; img-src *`);
  response.send(`<!doctype html><html lang="en"><title>${text(title)}</title><link rel="icon" href="/no-picture.svg">
    <meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"><main><a href="/">Far &amp; Near</a><h1>${text(title)}</h1>${body}`);
}
shop.listen(Number(PORT), '127.0.0.1', () => console.log(`The shop is on http://127.0.0.1:${PORT}`));
