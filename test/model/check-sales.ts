import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { clockOf, isOverloaded } from './check-history';
import { type Answer, request } from './client';
import type { Model } from './model';
import type { PlannedDeparture, World } from './world';

/** A tour as one tenant sells it. */
interface Offer {
  baseUrl: string;
  token: string;
  slug: string;
}

/**
 * Checks that each tenant can hold the free seats of the model, and not one more. A sale counts seats and trips by other code than a list, so
 * it can refuse what the list offers. Releases what it holds.
 */
export async function checkSales(db: Db, world: World, model: Model, baseUrls: string[]): Promise<void> {
  const { sellers, departures, tour, beside } = world;
  const at = await clockOf(db);
  for (const [n, { tenant, reader }] of sellers.entries()) {
    const free = model.freeSeats(tenant.sandbox, at);
    const offer = { baseUrl: baseUrls[n % 2]!, token: reader.token, slug: tour.slug };
    for (const departure of departures.filter(({ id }) => model.isOnSale(id)))
      await checkSale(offer, departure, Math.max(0, free.get(departure.id)!));
  }
  if (!beside) return;
  const offer = { baseUrl: baseUrls[0]!, token: beside.token, slug: beside.slug };
  await checkSale(offer, beside.departure, Math.max(0, model.freeBeside(beside, at)));
}

async function checkSale(offer: Offer, { date, time }: PlannedDeparture, free: number): Promise<void> {
  const hold = (quantity: number) =>
    send(offer, {
      method: 'POST',
      path: `/api/gateway/tours/${offer.slug}/hold`,
      body: { departure_date: date, departure_time: time ?? undefined, quantity },
    });
  const refused = await hold(free + 1);
  // A suspended tenant sells nothing.
  if (refused.status === 401) return;
  expect(refused.body).toMatchObject({ code: 'insufficient_seats', seats_available: free });
  if (free === 0) return;
  const held = await hold(free);
  expect(held.body).toMatchObject({ status: 'active', quantity: free });
  await send(offer, { method: 'DELETE', path: `/api/gateway/holds/${String(held.body.hold_id)}` });
}

/** Sends a request, again while the service is overloaded or other runs lock the departure. */
async function send(offer: Offer, asked: Parameters<typeof request>[2]): Promise<Answer> {
  const answer = await request(offer.baseUrl, offer.token, asked);
  if (!isOverloaded(answer) && answer.body.code !== 'departure_busy') return answer;
  await sleep(1000);
  return send(offer, asked);
}
