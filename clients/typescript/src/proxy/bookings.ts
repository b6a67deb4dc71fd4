import { jsonAnswer, type ProxyAnswer } from './answer.ts';
import type { JsonObject } from './body.ts';
import { holdIdOf, noHold, pathOf } from './holds.ts';
import { namesNothing, type RequestedParty, requestedParty } from './party-rules.ts';
import type { BookingItem, CallPlatform, Hold } from './platform.ts';
import { Refusal } from './problems.ts';
import { tourIdOf } from './slug.ts';
import { type Visible, visible } from './visible.ts';
import { COOKIE_SECONDS, refuseSiteFields, type Visitor } from './visitor.ts';
import type { ProxyParts, Visit } from './visit.ts';

/** The booking of a visitor: the answer of REST, less what a visitor does not see. */
export type VisitorBooking = WithoutValues<Visible<BookingItem & { ok: true }, 'booking'>>;

/** A question of the booking, and whether it is answered: the cookie proves no person, so the answer itself stays hidden. */
interface VisitorAnswer {
  code: string;
  traveller: number | null;
  answered: boolean;
}

type WithoutValues<Booking> = Omit<Booking, 'answers' | 'pickup'> & {
  answers: VisitorAnswer[];
  pickup: VisitorPickup | null;
};

/** Where the guests are fetched. A place of a guest has no name here. */
type VisitorPickup = Omit<NonNullable<BookingItem['pickup']>, 'name'> & { name: string | null };

function withoutValues<Booking extends Pick<BookingItem, 'answers' | 'pickup'>>(
  booking: Booking,
): WithoutValues<Booking> {
  // An answer that an earlier release has stored has neither answers nor a pickup.
  const { answers = [], pickup = null } = booking as Partial<Booking>;
  return {
    ...booking,
    answers: answers.map(({ code, traveller, value }) => ({ code, traveller, answered: value !== null })),
    pickup: pickup && { ...pickup, name: pickup.point === null ? null : pickup.name },
  };
}

/** Books the visitor's hold. A repeat with the same body gets the same answer, because the hold's id is the Idempotency-Key. */
export async function book(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer> {
  const { call, cookies, limits, turns } = parts;
  const { host, visitor, body } = visit;
  refuseSiteFields(body);
  const holdId = holdIdOf(visitor);
  if (body.hold_id !== undefined && !isId(body.hold_id, holdId)) throw noHold();
  return turns.take(visitor!.id, async () => {
    const wish = await completed(call, holdId, body);
    await limits.assertSeats(wish.tour_id, requestedOf(wish));
    const response = await call({
      method: 'POST',
      path: '/api/tenant/bookings',
      headers: { 'Idempotency-Key': holdId },
      body: { ...wish, hold_id: holdId, external_ref: visitor!.id },
    });
    const replayed = response.headers.get('Idempotent-Replayed');
    const headers: Record<string, string> = replayed === null ? {} : { 'Idempotent-Replayed': replayed };
    const booking = response.json as Pick<BookingItem, 'answers' | 'pickup'>;
    const answer = jsonAnswer(201, withoutValues(visible(booking, 'booking') as typeof booking), headers);
    const named = [cookies.write(host, visitor!), cookies.writeState(host, 'booked', COOKIE_SECONDS)];
    return { ...answer, cookies: named };
  });
}

function isId(value: unknown, id: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === id;
}

/** Returns the party of a booking, which has no field `quantity`. */
function requestedOf(body: JsonObject): RequestedParty {
  return requestedParty({ ...body, quantity: undefined });
}

/** Adds the tour and the party of the hold where the body leaves them out. */
async function completed(
  call: CallPlatform,
  holdId: string,
  body: JsonObject,
): Promise<JsonObject & { tour_id: string }> {
  const hasParty = !namesNothing(requestedOf(body));
  if (body.tour_id !== undefined && hasParty) return { ...body, tour_id: tourIdOf(body.tour_id) };
  const { tour, party } = (await call({ path: pathOf(holdId) })).json as Hold;
  const tourId = body.tour_id === undefined ? tour.id : tourIdOf(body.tour_id);
  return hasParty ? { ...body, tour_id: tourId } : { ...body, tour_id: tourId, party };
}

export async function readBooking(
  { call, cookies }: ProxyParts,
  { host, visitor }: Visit,
): Promise<ProxyAnswer> {
  const booking = await newestBooking(call, visitor);
  if (booking) return jsonAnswer(200, booking);
  throw new Refusal('booking_not_found', 'There is no such booking.', {
    cookies: visitor ? [cookies.removeState(host)] : [],
  });
}

/** Returns the visitor's newest booking. Undefined: none. @throws TourPlatformError */
export async function newestBooking(
  call: CallPlatform,
  visitor: Visitor | undefined,
): Promise<VisitorBooking | undefined> {
  if (!visitor) return undefined;
  const query = new URLSearchParams({ external_ref: visitor.id, limit: '1' });
  const response = await call({ path: '/api/tenant/bookings', query });
  const [newest] = (response.json as { items: BookingItem[] }).items;
  return newest && withoutValues(visible({ ok: true as const, ...newest }, 'booking'));
}
