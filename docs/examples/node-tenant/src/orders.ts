import { randomUUID } from 'node:crypto';
import type { Party } from './party.js';
import type { Category } from './tour-platform.js';

/** One sale. Its id is the `external_ref` of hold, booking and webhook, and idempotency keys are derived from it. */
export interface Order {
  id: string;
  /** The tour's slug and name. */
  tour: string;
  tourName: string;
  /** Such as Europe/Oslo. */
  timeZone: string;
  date: string;
  /** The start time of the departure, which tells it apart from others of the date. Null: it has none. */
  time: string | null;
  party: Party;
  /** The categories of the tour at the time of the hold. */
  categories: Category[];
  holdId: string;
  payUntil: string;
  /** The price that the customer saw, in major units. */
  total: number;
  currency: string;
  bookingRef: string | null;
  /** `booked` after the webhook has arrived. */
  status: 'held' | 'paid' | 'booked' | 'cancelled';
  /** The `updated_at` of the latest answer or event about the booking. Null: none has arrived. */
  updatedAt: string | null;
  /** Counts the changes, so that each has an idempotency key of its own. */
  changes: number;
}

/** An event that the platform has sent. */
export interface ReceivedEvent {
  id: string;
  at: string;
  type: string;
  body: string;
}

export type Orders = ReturnType<typeof createOrders>;

/** Replace this with tables in your database: these orders and events are lost at a restart. */
export function createOrders() {
  const orders = new Map<string, Order>();
  const events = new Map<string, ReceivedEvent>();
  return {
    newId: () => `order-${randomUUID()}`,
    find: (id: string) => orders.get(id),
    save: (order: Order) => void orders.set(order.id, order),
    events: () => [...events.values()].reverse(),
    /** Returns false for an event that arrived before. */
    receive(event: ReceivedEvent): boolean {
      if (events.has(event.id)) return false;
      events.set(event.id, event);
      return true;
    },
  };
}

export class OrderNotFound extends Error {}

/** @throws OrderNotFound */
export function findOrder(orders: Orders, id: string): Order {
  const order = orders.find(id);
  if (!order) throw new OrderNotFound();
  return order;
}
