import type { Response } from 'supertest';
import type { TestApi } from './api';
import { OPERATIONS } from './documented-operations';
import { daysFromToday, givenDeparture } from './given';
import { givenSeats, type Headers, type PlacedSeats, type Website } from './website';

/** A tenant, a departure that it sells, and another departure of the tour. */
export interface Given extends PlacedSeats {
  site: Website;
  other: { date: string; departureId: string };
}

/** Creates a tour with two departures of ten seats. */
export async function givenForWrites(api: TestApi, site: Website): Promise<Given> {
  const seats = await givenSeats(api.db);
  const date = await givenDeparture(api.db, seats.tour, { date: daysFromToday(31) });
  const [departureId] = await api
    .db('departures')
    .where({ tour_id: seats.tour.id, departure_date: date })
    .pluck('id');
  return { ...seats, site, other: { date, departureId } };
}

/** Sends the request. Each call sends the same one. */
export type Send = (headers?: Headers) => Promise<Response>;

/** Creates the hold, booking or subscription that a request changes. @returns the request */
export type Prepare = (given: Given) => Promise<Send>;

type Create = (given: Given) => Promise<Response>;
type SendTo = (given: Given, path: string, headers?: Headers) => Promise<Response>;

function sendTo(create: Create, toPath: (made: Response['body']) => string, send: SendTo): Prepare {
  return async (given) => {
    const { status, text, body } = await create(given);
    if (status >= 300) throw new Error(`${status} ${text}`);
    const path = toPath(body);
    return (headers) => send(given, path, headers);
  };
}

/** Prepares a request to the path of a new hold of one seat. */
export function ofHold(send: SendTo): Prepare {
  return sendTo(hold, ({ hold_id }) => `/api/gateway/holds/${hold_id}`, send);
}

/** Prepares a request to the path of a new booking of one adult. */
export function ofBooking(send: SendTo): Prepare {
  return sendTo(book, ({ booking_ref }) => `/api/tenant/bookings/${booking_ref}`, send);
}

/** Prepares a request to the path of a new OCTO booking of one adult, which is on hold. */
export function ofReservation(send: SendTo): Prepare {
  return sendTo(reserve, ({ uuid }) => `/octo/bookings/${uuid}`, send);
}

function ofSubscription(send: SendTo): Prepare {
  return sendTo(subscribe, ({ id }) => `${SUBSCRIPTIONS}/${id}`, send);
}

export function hold({ site, tour, date }: Given, headers?: Headers): Promise<Response> {
  return site.hold(tour, { departure_date: date, quantity: 1 }, headers);
}

/** @param more further members of the body */
export function book({ site, tour, date }: Given, headers?: Headers, more: object = {}): Promise<Response> {
  return site.book({ tour_id: tour.id, departure_date: date, adults: 1, ...more }, headers);
}

/** @param more further members of the body */
export function reserve({ site, tour, departureId }: Given, headers?: Headers, more: object = {}) {
  const unitItems = [{ unitId: 'adult' }];
  const body = { productId: tour.id, optionId: 'DEFAULT', availabilityId: departureId, unitItems };
  return site.post('/octo/bookings', { ...body, ...more }, headers);
}

const SUBSCRIPTIONS = '/octo/notifications/subscriptions';

function subscribe({ site }: Given, headers?: Headers): Promise<Response> {
  const body = { url: 'https://reseller.example/hook', notificationTypes: ['BOOKING_UPDATE'] };
  return site.post(SUBSCRIPTIONS, body, headers);
}

const CONTACT = { fullName: 'Ana Lima', emailAddress: 'ana@example.com', phoneNumber: '030 901820' };

/** A request of each route that changes seats. Each PATCH moves the hold or booking to the other departure. */
export const SEAT_CHANGES: Record<string, Prepare> = {
  'POST /api/gateway/tours/{id_or_slug}/hold': async (given) => (headers) => hold(given, headers),
  'PATCH /api/gateway/holds/{hold_id}': ofHold(({ site, other }, path, headers) =>
    site.patch(path, { departure_date: other.date }, headers),
  ),
  'DELETE /api/gateway/holds/{hold_id}': ofHold(({ site }, path, headers) => site.delete(path, headers)),
  'POST /api/gateway/holds/{hold_id}/extend': ofHold(({ site }, path, headers) =>
    site.post(`${path}/extend`, { hold_minutes: 30 }, headers),
  ),
  'POST /api/tenant/bookings': async (given) => (headers) => book(given, headers),
  'PATCH /api/tenant/bookings/{booking_ref}': ofBooking(({ site, other }, path, headers) =>
    site.patch(path, { departure_date: other.date }, headers),
  ),
  'POST /api/tenant/bookings/{booking_ref}/confirm': ofBooking(({ site }, path, headers) =>
    site.post(`${path}/confirm`, undefined, headers),
  ),
  'POST /api/tenant/bookings/{booking_ref}/cancel': ofBooking(({ site }, path, headers) =>
    site.post(`${path}/cancel`, {}, headers),
  ),
  'POST /octo/bookings': async (given) => (headers) => reserve(given, headers),
  'POST /octo/bookings/{uuid}/extend': ofReservation(({ site }, path, headers) =>
    site.post(`${path}/extend`, { expirationMinutes: 30 }, headers),
  ),
  'POST /octo/bookings/{uuid}/confirm': ofReservation(({ site }, path, headers) =>
    site.post(`${path}/confirm`, { contact: CONTACT }, headers),
  ),
  'PATCH /octo/bookings/{uuid}': ofReservation(({ site, other }, path, headers) =>
    site.patch(path, { availabilityId: other.departureId }, headers),
  ),
  'DELETE /octo/bookings/{uuid}': ofReservation(({ site }, path, headers) => site.delete(path, headers)),
  'POST /octo/bookings/{uuid}/cancel': ofReservation(({ site }, path, headers) =>
    site.post(`${path}/cancel`, {}, headers),
  ),
};

/** A request of each route that writes, but changes no seats. */
export const OTHER_WRITES: Record<string, Prepare> = {
  'POST /octo/notifications/subscriptions': async (given) => (headers) => subscribe(given, headers),
  'PATCH /octo/notifications/subscriptions/{id}': ofSubscription(({ site }, path, headers) =>
    site.patch(path, { url: 'https://reseller.example/other' }, headers),
  ),
  'DELETE /octo/notifications/subscriptions/{id}': ofSubscription(({ site }, path, headers) =>
    site.delete(path, headers),
  ),
};

/** A request of each route that writes, by method and path. */
export const WRITES: Record<string, Prepare> = { ...SEAT_CHANGES, ...OTHER_WRITES };

/** The routes that read by POST. */
const READS = ['POST /octo/availability', 'POST /octo/availability/calendar'];

/**
 * Compares the lists of this file with the routes of the OpenAPI document that may write.
 * @returns a sentence for each difference, which says what to do
 */
export function explainUnlistedWrites(): string[] {
  const listed = [...Object.keys(WRITES), ...READS];
  const routes = OPERATIONS.filter(({ method }) => method !== 'GET').map(
    ({ method, path }) => `${method} ${path}`,
  );
  const file = 'test/support/writing-requests.ts';
  const missing = routes.filter((route) => !listed.includes(route));
  const gone = listed.filter((route) => !routes.includes(route));
  return [
    ...missing.map(
      (route) =>
        `Add a request of ${route} to SEAT_CHANGES in ${file} if it changes seats, to OTHER_WRITES if it writes something else, or to READS.`,
    ),
    ...gone.map((route) => `Remove ${route} from ${file}: the API has no such route.`),
  ];
}
