import { TourPlatformError } from '../errors.ts';
import { jsonAnswer, NO_STORE, type ProxyAnswer } from './answer.ts';
import type { JsonObject } from './body.ts';
import { namesNothing, requestedParty } from './party-rules.ts';
import type { CallPlatform, Hold, HoldItem, PlatformAnswer, PlatformRequest } from './platform.ts';
import { invalidField, Refusal } from './problems.ts';
import { tourIdOf } from './slug.ts';
import { visible } from './visible.ts';
import { newVisitor, refuseSiteFields, type Visitor, type VisitorState } from './visitor.ts';
import type { ProxyParts, Visit } from './visit.ts';

/** Places a hold, and releases the visitor's earlier one. */
export async function placeHold(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer> {
  const { tour_id, ...body } = visit.body;
  refuseSiteFields(body);
  if (tour_id === undefined) throw invalidField('body', 'tour_id', 'is required');
  const tourId = tourIdOf(tour_id);
  parts.limits.assertMinutes(body);
  const seats = await parts.limits.assertSeats(tourId, requestedParty(body));
  const wish = { tourId, body, seats };
  const { visitor } = visit;
  // A visitor without a cookie has no hold.
  if (!visitor) return placeFor(parts, visit.host, newVisitor(), { ...wish, earlier: [] });
  return parts.turns.take(visitor.id, async () => {
    const { holds, now } = await holdsOf(parts.call, visitor);
    parts.limits.assertHoldRate(holds, now);
    const earlier = holds.filter(({ status }) => status === 'active');
    return placeFor(parts, visit.host, visitor, { ...wish, earlier });
  });
}

interface HoldWish {
  tourId: string;
  body: JsonObject;
  seats: number;
  /** The visitor's live holds. */
  earlier: HoldItem[];
}

async function placeFor(
  parts: ProxyParts,
  host: string,
  visitor: Visitor,
  wish: HoldWish,
): Promise<ProxyAnswer> {
  const request: PlatformRequest = {
    method: 'POST',
    path: `/api/gateway/tours/${wish.tourId}/hold`,
    body: { ...wish.body, external_ref: visitor.id },
  };
  const { response, left } = await placeOrReplace(parts.call, request, wish);
  const placed = response.json as Hold;
  await release(parts.call, left);
  const freed = left
    .filter((one) => isSameDeparture(one, placed))
    .reduce((sum, { quantity }) => sum + quantity, 0);
  const hold = { ...placed, seats_available: placed.seats_available + freed };
  const owner = { id: visitor.id, holdId: hold.hold_id };
  return holdAnswer(parts, host, {
    status: 201,
    response,
    hold,
    visitor,
    cookies: [parts.cookies.write(host, owner)],
  });
}

function isSameDeparture(one: HoldItem, other: HoldItem): boolean {
  return (
    one.tour.id === other.tour.id &&
    one.departure_date === other.departure_date &&
    one.departure_time === other.departure_time
  );
}

/** Places the hold. If the earlier hold has the seats that it needs, releases that one first. @returns the holds that are still to release */
async function placeOrReplace(
  call: CallPlatform,
  request: PlatformRequest,
  wish: HoldWish,
): Promise<{ response: PlatformAnswer; left: HoldItem[] }> {
  try {
    return { response: await call(request), left: wish.earlier };
  } catch (error) {
    if (!isInTheWay(error, wish)) throw error;
    await release(call, wish.earlier);
    return { response: await call(request), left: [] };
  }
}

/**
 * Returns whether the visitor's own earlier hold on this departure is the reason of a refusal. For too few seats, whether the seats are
 * enough with those of the earlier hold: otherwise the visitor would lose it for nothing.
 */
function isInTheWay(error: unknown, { tourId, body, seats, earlier }: HoldWish): boolean {
  if (!(error instanceof TourPlatformError)) return false;
  const sameDeparture = earlier.filter(
    ({ tour, departure_date, departure_time }) =>
      (tour.id === tourId || tour.slug === tourId) &&
      departure_date === body.departure_date &&
      (body.departure_time === undefined || departure_time === body.departure_time),
  );
  if (sameDeparture.length === 0) return false;
  if (error.code === 'hold_limit_reached') return true;
  if (error.code !== 'insufficient_seats') return false;
  const own = sameDeparture.reduce((sum, { quantity }) => sum + quantity, 0);
  return (error.problem?.seats_available ?? 0) + own >= seats;
}

/** Releases holds. One that became a booking or ended meanwhile stays as it is; one that cannot be released now ends by its time. */
async function release(call: CallPlatform, holds: HoldItem[]): Promise<void> {
  await Promise.allSettled(holds.map(({ hold_id }) => call({ method: 'DELETE', path: pathOf(hold_id) })));
}

/** Returns the hold of the cookie. Without one, returns the visitor's live hold: the answer that named it may have been lost. */
export async function readHold(parts: ProxyParts, { host, visitor }: Visit): Promise<ProxyAnswer> {
  const { call, cookies } = parts;
  // Sets no cookie: it could replace the one that a hold in another tab sets in the same moment.
  if (!visitor) throw noHold();
  if (visitor.holdId !== null) {
    const response = await call({ path: pathOf(visitor.holdId) });
    return holdAnswer(parts, host, { status: 200, response, hold: response.json as Hold, visitor });
  }
  const query = new URLSearchParams({ external_ref: visitor.id, status: 'active', limit: '1' });
  const response = await call({ path: HOLDS, query });
  const [live] = (response.json as { items: HoldItem[] }).items;
  if (!live) throw noHold([cookies.removeState(host)]);
  const cookie = cookies.write(host, { id: visitor.id, holdId: live.hold_id });
  const hold = { ok: true as const, ...live };
  return holdAnswer(parts, host, { status: 200, response, hold, visitor, cookies: [cookie] });
}

export async function changeHold(parts: ProxyParts, { host, visitor, body }: Visit): Promise<ProxyAnswer> {
  const { call, limits, turns } = parts;
  const holdId = holdIdOf(visitor);
  refuseSiteFields(body);
  return turns.take(visitor!.id, async () => {
    const requested = requestedParty(body);
    if (!namesNothing(requested)) {
      const { tour, party } = (await call({ path: pathOf(holdId) })).json as Hold;
      await limits.assertSeats(tour.id, requested, party);
    }
    const response = await call({ method: 'PATCH', path: pathOf(holdId), body });
    return holdAnswer(parts, host, { status: 200, response, hold: response.json as Hold, visitor: visitor! });
  });
}

/** Extends the hold: without `hold_minutes` by its own minutes, as far as the site allows. */
export async function extendHold(parts: ProxyParts, { host, visitor, body }: Visit): Promise<ProxyAnswer> {
  const { call, limits, turns } = parts;
  const path = pathOf(holdIdOf(visitor));
  limits.assertMinutes(body);
  return turns.take(visitor!.id, async () => {
    const minutes = body.hold_minutes ?? limits.shortened(((await call({ path })).json as Hold).hold_minutes);
    const response = await call({
      method: 'POST',
      path: `${path}/extend`,
      body: { ...body, hold_minutes: minutes },
    });
    return holdAnswer(parts, host, { status: 200, response, hold: response.json as Hold, visitor: visitor! });
  });
}

export async function releaseHold(
  { call, cookies, turns }: ProxyParts,
  { host, visitor, body }: Visit,
): Promise<ProxyAnswer> {
  const path = pathOf(holdIdOf(visitor));
  const sent = Object.keys(body).length > 0 ? body : undefined;
  await turns.take(visitor!.id, () => call({ method: 'DELETE', path, body: sent }));
  return { status: 204, headers: { 'Cache-Control': NO_STORE }, cookies: [cookies.removeState(host)] };
}

/** @throws Refusal hold_not_found (404) */
export function holdIdOf(visitor: Visitor | undefined): string {
  if (!visitor?.holdId) throw noHold();
  return visitor.holdId;
}

export function noHold(cookies: string[] = []): Refusal {
  return new Refusal('hold_not_found', 'There is no such hold.', { cookies });
}

const HOLDS = '/api/gateway/holds';

export function pathOf(holdId: string): string {
  return `${HOLDS}/${holdId}`;
}

/** The platform lists at most so many. The newest come first, so all live ones are among them. */
const LISTED = '100';

/** Returns the visitor's holds, the newest first, and the time of the platform. */
async function holdsOf(call: CallPlatform, { id }: Visitor): Promise<{ holds: HoldItem[]; now: number }> {
  const query = new URLSearchParams({ external_ref: id, limit: LISTED });
  const response = await call({ path: HOLDS, query });
  const { items } = response.json as { items: HoldItem[] };
  return { holds: items, now: timeOf(response) };
}

/** Returns the platform's time of an answer, in milliseconds. */
function timeOf({ headers }: PlatformAnswer): number {
  const time = Date.parse(headers.get('Date') ?? '');
  return Number.isNaN(time) ? Date.now() : time;
}

interface HoldResult {
  status: number;
  response: PlatformAnswer;
  hold: Hold;
  visitor: Visitor;
  cookies?: string[];
}

/** Answers with a hold, and with the state that it gives to the visitor. `Date` is the platform's, whose clock ends the hold. */
function holdAnswer(
  { cookies }: ProxyParts,
  host: string,
  { status, response, hold, visitor, cookies: named = [] }: HoldResult,
): ProxyAnswer {
  const seconds = (Date.parse(hold.expires_at) - timeOf(response)) / 1000;
  const states: Partial<Record<Hold['status'], [VisitorState, number]>> = {
    active: ['held', seconds],
    converted: ['booked', visitor.secondsLeft],
  };
  const state = states[hold.status];
  const stateCookie = state ? cookies.writeState(host, ...state) : cookies.removeState(host);
  const date = response.headers.get('Date');
  const headers: Record<string, string> = date === null ? {} : { Date: date };
  return { ...jsonAnswer(status, visible(hold, 'hold'), headers), cookies: [...named, stateCookie] };
}
