import { randomUUID } from 'node:crypto';

/** One sale. Its id is the `external_ref` of hold, booking and webhook, and idempotency keys are derived from it. */
export interface Order {
  id: string;
  tour: string;
  adults: number;
  holdId: string;
  /** The price that the customer saw, in major units. */
  total: number;
  bookingRef: string | null;
  /** `booked` after the webhook has arrived. */
  status: 'held' | 'paid' | 'booked';
}

export type Orders = ReturnType<typeof createOrders>;

/** Replace this with a table in your database: these orders are lost at a restart. */
export function createOrders() {
  const orders = new Map<string, Order>();
  return {
    newId: () => `order-${randomUUID()}`,
    find: (id: string) => orders.get(id),
    save: (order: Order) => void orders.set(order.id, order),
  };
}
