import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { clockOf, isOverloaded } from './check-history';
import { type Answer, request } from './client';
import { takeJournal } from './journal';
import type { Model } from './model';
import { endHold } from './operator';
import type { FirstSale } from './schedule';
import type { PlannedDeparture, World } from './world';

/** A tour as one tenant sells it. */
interface Offer {
  baseUrl: string;
  token: string;
  slug: string;
}

/**
 * Makes the first sales on an empty boat, one after another, and checks before each that the database counts the free seats of the model on all
 * departures. All holds have ended at the end: some without a mark.
 */
export async function checkFirstSales(
  db: Db,
  world: World,
  model: Model,
  baseUrls: string[],
  sales: FirstSale[],
): Promise<void> {
  const { beside, tour } = world;
  if (!beside) return;
  const departures = [...world.departures, beside.departure];
  const kept: string[] = [];
  for (const [n, sale] of sales.entries()) {
    for (const transaction of await takeJournal(db, world)) model.apply(transaction);
    const free = await checkCounts(db, departures, model);
    const departure = departures[sale.departure]!;
    const slug = departure === beside.departure ? beside.slug : tour.slug;
    const offer = { baseUrl: baseUrls[n % 2]!, token: beside.token, slug };
    const left = free.get(departure.id)!;
    const hold = await checkSale(offer, departure, left, sale.seats === 'one' ? Math.min(1, left) : left);
    if (hold === undefined) continue;
    if (sale.then === 'expires') await endHold(db, hold, -1);
    if (sale.then === 'is released') await release(offer, hold);
    if (sale.then === 'stays') kept.push(hold);
  }
  for (const id of kept) await endHold(db, id, -1);
}

/** Checks the free seats that the database counts. @returns the free seats of each departure */
async function checkCounts(
  db: Db,
  departures: PlannedDeparture[],
  model: Model,
): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { id: string; free: number }[] }>(
    `select d.id, greatest(0, least(d.seats_total - own.taken, boat.leaves)) as free
     from departures d cross join lateral count_seats(d.id, false, clock_timestamp()) as own
       cross join lateral count_seats_of_resources(d.id, false, clock_timestamp()) as boat
     where d.id = any (?)`,
    [departures.map(({ id }) => id)],
  );
  const free = model.freeOnBoat(await clockOf(db));
  for (const { id, free: counted } of rows) expect({ id, free: counted }).toEqual({ id, free: free.get(id) });
  return free;
}

/**
 * Checks that a tenant and a sandbox can hold the free seats of the model, and not one more. A sale counts seats and trips by other code than
 * a list, so it can refuse what the list offers. Releases what it holds.
 */
export async function checkSales(db: Db, world: World, model: Model, baseUrls: string[]): Promise<void> {
  const { sellers, departures, tour, beside } = world;
  const at = await clockOf(db);
  for (const [n, { tenant, reader }] of [sellers[0]!, sellers[2]!].entries()) {
    const free = model.freeSeats(tenant.sandbox, at);
    const offer = { baseUrl: baseUrls[n % 2]!, token: reader.token, slug: tour.slug };
    for (const departure of departures.filter(({ id }) => model.isOnSale(id)))
      await holdAndRelease(offer, departure, Math.max(0, free.get(departure.id)!));
  }
  if (!beside) return;
  const offer = { baseUrl: baseUrls[0]!, token: beside.token, slug: beside.slug };
  await holdAndRelease(offer, beside.departure, Math.max(0, model.freeBeside(beside, at)));
}

async function holdAndRelease(offer: Offer, departure: PlannedDeparture, free: number): Promise<void> {
  const hold = await checkSale(offer, departure, free, free);
  if (hold !== undefined) await release(offer, hold);
}

/** Checks that a sale of one seat too many is refused, and holds `wanted` seats. @returns the id of the hold, or undefined: nothing is held */
async function checkSale(
  offer: Offer,
  { date, time }: PlannedDeparture,
  free: number,
  wanted: number,
): Promise<string | undefined> {
  const hold = (quantity: number) =>
    send(offer, {
      method: 'POST',
      path: `/api/gateway/tours/${offer.slug}/hold`,
      body: { departure_date: date, departure_time: time ?? undefined, quantity },
    });
  const refused = await hold(free + 1);
  // A suspended tenant sells nothing.
  if (refused.status === 401) return undefined;
  expect(refused.body).toMatchObject({ code: 'insufficient_seats', seats_available: free });
  if (wanted === 0) return undefined;
  const held = await hold(wanted);
  expect(held.body).toMatchObject({ status: 'active', quantity: wanted });
  return held.body.hold_id as string;
}

async function release(offer: Offer, hold: string): Promise<void> {
  await send(offer, { method: 'DELETE', path: `/api/gateway/holds/${hold}` });
}

/** Sends a request, again while the service is overloaded or other runs lock the departure. */
async function send(offer: Offer, asked: Parameters<typeof request>[2]): Promise<Answer> {
  const answer = await request(offer.baseUrl, offer.token, asked);
  if (!isOverloaded(answer) && answer.body.code !== 'departure_busy') return answer;
  await sleep(1000);
  return send(offer, asked);
}
