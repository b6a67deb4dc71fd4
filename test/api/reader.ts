import { connect } from 'node:net';
import type { Response, Test } from 'supertest';
import type { Scope } from '../../services/api/credentials/credential';
import type { TenantToCreate } from '../../services/api/tenants/create-tenant';
import type { Tenant } from '../../services/api/tenants/tenant';
import type { Db } from '../../services/platform/database';
import type { TestApi } from '../support/api';
import { givenKey, givenTenant, type GivenTour } from '../support/given';

/** The server of a tenant of its own, with a key that may read the catalog. */
export interface Reader {
  tenant: Tenant;
  key: string;
  get(path: string): Test;
}

export async function givenReader(
  api: TestApi,
  tenant: Partial<TenantToCreate> = {},
  scopes: readonly Scope[] = ['catalog:read'],
): Promise<Reader> {
  const { db } = api.context;
  const owner = await givenTenant(db, tenant);
  const key = await givenKey(db, owner, scopes);
  return { tenant: owner, key, get: (path) => api.http.get(path).set({ authorization: `Bearer ${key}` }) };
}

/** A rule of the visibility layer: of a tour, or of a continent. */
export async function showOrHide(
  db: Db,
  { tenant }: Reader,
  target: GivenTour | string,
  visible: boolean,
): Promise<void> {
  if (typeof target === 'string') {
    await db('visibility_continent_rules').insert({ tenant_id: tenant.id, continent: target, visible });
    return;
  }
  const tour = await db('tours').where({ id: target.id }).first('id as tour_id', 'continent', 'name_folded');
  await db('visibility_tour_rules').insert({ ...tour, tenant_id: tenant.id, visible });
}

/** A rule of the pricing layer, by its columns; what it does not name does not limit it. */
export async function givenPriceRule(
  db: Db,
  { tenant }: Reader,
  columns: Record<string, unknown>,
): Promise<void> {
  const kind =
    columns.percent === undefined ? { kind: 'amount', currency: tenant.currency } : { kind: 'percent' };
  await db('price_rules').insert({ tenant_id: tenant.id, ...kind, ...columns });
}

/** An answer without what names the request, and without the quota, which counts on from one request to the next. */
export function withoutRequestId({ status, headers, text }: Response): unknown {
  const ofTheRequest = ['x-request-id', 'date', 'ratelimit', 'ratelimit-remaining', 'ratelimit-reset'];
  const others = Object.entries(headers as Record<string, string>).filter(
    ([name]) => !ofTheRequest.includes(name),
  );
  return {
    status,
    headers: Object.fromEntries(others),
    text: text.replaceAll(headers['x-request-id']!, '<id>'),
  };
}

/** Asserts a whole problem document and the headers that come with every answer. */
export function expectProblem(response: Response, status: number, code: string): void {
  const id = response.headers['x-request-id'];
  expect({ status: response.status, code: response.body.code }).toEqual({ status, code });
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(response.body).toMatchObject({
    type: `https://api.example.test/docs/errors/${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: `urn:request:${id}`,
    ok: false,
    code,
    request_id: id,
    retryable: expect.any(Boolean),
  });
}

/** Sends bytes that no client library would, and reads the answers until the server closes. */
export async function sendRaw(api: TestApi, ...lines: string[]): Promise<Response> {
  const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const headers = Object.fromEntries(
    headerLines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
  );
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text: body,
    body: parsed(body),
  } as unknown as Response;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** A hold, written past the API: it takes seats until it expires. */
export async function takeSeats(
  db: Db,
  { tenant }: Reader,
  tour: GivenTour,
  date: string,
  {
    quantity,
    secondsLeft = 600,
    status = 'active',
  }: { quantity: number; secondsLeft?: number; status?: string },
): Promise<void> {
  const departure = await db('departures').where({ tour_id: tour.id, departure_date: date }).first('id');
  await db('seat_holds').insert({
    tenant_id: tenant.id,
    departure_id: departure.id,
    quantity,
    status,
    hold_minutes: 15,
    expires_at: db.raw('clock_timestamp() + make_interval(secs => ?)', [secondsLeft]),
    ...{ unit_price_minor: 0, currency: 'EUR', currency_digits: 2, price_breakdown: {} },
  });
}

/** The calendar date that it is now somewhere, YYYY-MM-DD. */
export function todayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format();
}
