import { createHmac } from 'node:crypto';
import { type TourProxy, tourProxy } from '../../clients/typescript/src/index';
import { useTestApi } from '../support/api';
import { givenSeats, givenWebsite } from '../support/website';
import { SECRET } from './proxy-fixture';

const SITE = 'http://127.0.0.1:4000';
const VISITOR = `visitor-${'a'.repeat(22)}`;
const api = useTestApi();

/** Returns a cookie of the visitor that ends in so many seconds. */
function cookieOf(holdId: string, seconds: number): string {
  const payload = { v: VISITOR, h: holdId, e: Math.floor(Date.now() / 1000) + seconds };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `tour_visitor=${text}.${createHmac('sha256', SECRET).update(`tour_visitor.${text}`).digest('base64url')}`;
}

/** Reads the hold of a visitor. @returns the seconds of the cookie tour_state */
async function secondsOfState(proxy: TourProxy, cookie: string, state: string): Promise<number> {
  const response = await proxy(
    new Request(`${SITE}/hold`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } }),
  );
  const [, seconds] = response.headers
    .getSetCookie()
    .join('\n')
    .match(new RegExp(`^tour_state=${state}; Path=/; Max-Age=(\\d+)`, 'm'))!;
  return Number(seconds);
}

describe('the cookie tour_state', () => {
  it('the cookie tour_state ends with the hold that the departure closes, and after a booking with the cookie of the visitor', async () => {
    const website = await givenWebsite(api);
    const proxy = tourProxy({ baseUrl: api.baseUrl, apiKey: website.key, secret: SECRET });
    const seats = await givenSeats(api.db, { closesAt: new Date(Date.now() + 300_000).toISOString() });
    const { body } = await website.hold(seats.tour, {
      departure_date: seats.date,
      quantity: 1,
      hold_minutes: 15,
      external_ref: VISITOR,
    });
    const held = await secondsOfState(proxy, cookieOf(body.hold_id, 86_400), 'held');
    expect(held).toBeGreaterThan(0);
    expect(held).toBeLessThanOrEqual(301);
    await website.book({ tour_id: seats.tour.id, hold_id: body.hold_id });
    const booked = await secondsOfState(proxy, cookieOf(body.hold_id, 600), 'booked');
    expect(booked).toBeGreaterThan(0);
    expect(booked).toBeLessThanOrEqual(600);
  });
});
