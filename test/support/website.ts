import type { Response } from 'supertest';
import type { Scope } from '../../services/api/credentials/credential';
import type { TenantToCreate } from '../../services/api/tenants/create-tenant';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database';
import type { TestApi } from './api';
import {
  type DepartureOverrides,
  givenDeparture,
  givenKey,
  givenTenant,
  givenTour,
  type GivenTour,
} from './given';

type Headers = Record<string, string>;

/** A tenant's server and the calls that it makes, each with its key. */
export interface Website {
  tenant: Tenant;
  authorization: string;
  get(path: string): Promise<Response>;
  post(path: string, body?: object, headers?: Headers): Promise<Response>;
  delete(path: string): Promise<Response>;
  hold(tour: GivenTour | string, body: object, headers?: Headers): Promise<Response>;
  /** What the test does not care about, name, phone and email, is filled in. */
  book(body: object, headers?: Headers): Promise<Response>;
}

export const CUSTOMER = { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' };

export async function givenWebsite(
  api: TestApi,
  overrides: Partial<TenantToCreate> = {},
  scopes?: readonly Scope[],
): Promise<Website> {
  const tenant = await givenTenant(api.context.db, overrides);
  const authorization = `Bearer ${await givenKey(api.context.db, tenant, scopes)}`;
  const website: Website = {
    tenant,
    authorization,
    get: async (path) => api.http.get(path).set({ authorization }),
    post: async (path, body, headers = {}) =>
      api.http
        .post(path)
        .set({ authorization, ...headers })
        .send(body),
    delete: async (path) => api.http.delete(path).set({ authorization }),
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

/** A tour with one departure of ten seats at 500.00 EUR, unless told otherwise. */
export async function givenSeats(db: Db, departure: DepartureOverrides = {}): Promise<Seats> {
  const tour = await givenTour(db);
  return { tour, date: await givenDeparture(db, tour, departure) };
}

/** The answer is this refusal, whole: status, media type and the members that every problem document has. */
export function expectProblem(response: Response, status: number, code: string, facts: object = {}): void {
  expect(response.body).toMatchObject({ ok: false, status, code, ...facts });
  expect(response.status).toBe(status);
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.body.type).toMatch(new RegExp(`/docs/errors/${code}$`));
  expect(response.body.request_id).toBe(response.headers['x-request-id']);
  expect(response.body.instance).toBe(`urn:request:${response.body.request_id}`);
}

/** A refusal of input that names these fields, and no other. */
export function expectFaults(response: Response, fields: string[], code = 'validation_failed'): void {
  expectProblem(response, 400, code);
  expect(response.body.errors.map((fault: { field: string }) => fault.field)).toEqual(fields);
}

/** As if `milliseconds` were all that is left of the hold's time; below zero: it is over. */
export async function endHoldIn(db: Db, holdId: string, milliseconds: number): Promise<void> {
  await db('seat_holds')
    .where({ id: holdId })
    .update({ expires_at: db.raw(`clock_timestamp() + ? * interval '1 millisecond'`, [milliseconds]) });
}

/** As if the payment window of the booking had just closed. */
export async function endPaymentWindow(db: Db, bookingRef: string): Promise<void> {
  await db('booking_leads')
    .where({ booking_ref: bookingRef })
    .update({ payment_due_at: db.raw(`clock_timestamp() - interval '1 millisecond'`) });
}

/** Seats that are taken now, counted by the one rule of the database. */
export async function seatsTaken(db: Db, { tour, date }: Seats): Promise<number> {
  const { rows } = await db.raw(
    'select seats_taken(id, clock_timestamp()) as taken from departures where tour_id = ? and departure_date = ?',
    [tour.id, date],
  );
  return rows[0].taken;
}

/** Until a statement on this database waits for a lock of another transaction. */
export async function untilSomebodyWaits(db: Db): Promise<void> {
  const waiting =
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await db.raw(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
