import { findDeparture } from '../../services/api/departures/find-departures';
import type { Response, Test } from 'supertest';
import type { Scope } from '../../services/api/credentials/credential';
import type { TenantToCreate } from '../../services/api/tenants/manage-tenants';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database/database';
import type { TestApi } from './api';
import {
  type DepartureOverrides,
  givenDeparture,
  givenKey,
  givenTenant,
  givenTour,
  type GivenTour,
} from './given';
import { preparedBeforeAll } from './prepared';

export type Headers = Record<string, string>;

/** The server of a tenant: each of its requests carries the tenant's API key. */
export interface Website {
  tenant: Tenant;
  key: string;
  authorization: string;
  /** The request is sent when it is awaited. */
  get(path: string): Test;
  post(path: string, body?: object, headers?: Headers): Promise<Response>;
  patch(path: string, body?: object, headers?: Headers): Promise<Response>;
  delete(path: string, headers?: Headers): Promise<Response>;
  hold(tour: GivenTour | string, body: object, headers?: Headers): Promise<Response>;
  /** Name, phone and email have defaults. */
  book(body: object, headers?: Headers): Promise<Response>;
}

export const CUSTOMER = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };

/** Creates the website before the tests of a file or block. Declare it after useTestApi. See givenWebsite. */
export function useWebsite(
  api: TestApi,
  tenant: Partial<TenantToCreate> = {},
  scopes?: readonly Scope[],
): Website {
  return preparedBeforeAll(() => givenWebsite(api, tenant, scopes));
}

/** Creates a tenant with an API key. The key has all scopes unless `scopes` limits them. */
export async function givenWebsite(
  { db, http }: TestApi,
  overrides: Partial<TenantToCreate> = {},
  scopes?: readonly Scope[],
): Promise<Website> {
  const tenant = await givenTenant(db, overrides);
  const key = await givenKey(db, tenant, scopes);
  const authorization = `Bearer ${key}`;
  const website: Website = {
    tenant,
    key,
    authorization,
    get: (path) => http.get(path).set({ authorization }),
    post: async (path, body, headers = {}) =>
      http
        .post(path)
        .set({ authorization, ...headers })
        .send(body),
    patch: async (path, body, headers = {}) =>
      http
        .patch(path)
        .set({ authorization, ...headers })
        .send(body),
    delete: async (path, headers = {}) => http.delete(path).set({ authorization, ...headers }),
    hold: (tour, body, headers) =>
      website.post(`/api/gateway/tours/${typeof tour === 'string' ? tour : tour.slug}/hold`, body, headers),
    book: (body, headers) => website.post('/api/tenant/bookings', { ...CUSTOMER, ...body }, headers),
  };
  return website;
}

export interface Seats {
  tour: GivenTour;
  date: string;
}

export interface PlacedSeats extends Seats {
  departureId: string;
}

/** Creates a tour with one departure, by default of ten seats at 500.00 EUR. */
export async function givenSeats(db: Db, departure: DepartureOverrides = {}): Promise<PlacedSeats> {
  const tour = await givenTour(db);
  const date = await givenDeparture(db, tour, departure);
  const { departureId } = await findDeparture(db, { tourId: tour.id, departureDate: date });
  return { tour, date, departureId: departureId! };
}

/**
 * Moves the end of the hold to `milliseconds` from now; a negative number makes it expired. Takes the departure's lock first, according
 * to the lock order.
 */
export async function endHoldIn(db: Db, holdId: string, milliseconds: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(
      'select d.id from departures d join seat_holds h on h.departure_id = d.id where h.id = ? for update of d',
      [holdId],
    );
    await trx('seat_holds')
      .where({ id: holdId })
      .update({ expires_at: trx.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [milliseconds]) });
  });
}

/** Moves the end of the booking's payment window to one millisecond ago. */
export async function endPaymentWindow(db: Db, bookingRef: string): Promise<void> {
  await db('booking_leads')
    .where({ booking_ref: bookingRef })
    .update({ payment_due_at: db.raw(`clock_timestamp() - interval '1 millisecond'`) });
}

/** Returns the real seats that are taken now, counted by the database function that the service uses. */
export async function seatsTaken(db: Db, seats: Seats): Promise<number> {
  return (await seatsTakenByKind(db, seats)).real;
}

/** Returns the seats that are taken now by real and by sandbox rows. */
export async function seatsTakenByKind(
  db: Db,
  { tour, date }: Seats,
): Promise<{ real: number; sandbox: number }> {
  const { rows } = await db.raw(
    `select real.taken as real, sandbox.taken as sandbox
     from departures d, count_seats(d.id, false, clock_timestamp()) as real, count_seats(d.id, true, clock_timestamp()) as sandbox
     where d.tour_id = ? and d.departure_date = ?`,
    [tour.id, date],
  );
  return rows[0];
}
