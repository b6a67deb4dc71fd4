import { randomUUID } from 'node:crypto';

/** One sale. Its id is the `external_ref` of hold, booking and webhook, and idempotency keys are made of it. */
export interface Order {
  id: string;
  tour: string;
  adults: number;
  holdId: string;
  /** What the customer was shown, in major units. */
  total: number;
  bookingRef: string | null;
  /** `booked` once the webhook says so. */
  status: 'held' | 'paid' | 'booked';
}

export type Orders = ReturnType<typeof createOrders>;

/** Yours is a table in a database; this one forgets at a restart. */
export function createOrders() {
  const orders = new Map<string, Order>();
  return {
    newId: () => `order-${randomUUID()}`,
    find: (id: string) => orders.get(id),
    save: (order: Order) => void orders.set(order.id, order),
  };
}
