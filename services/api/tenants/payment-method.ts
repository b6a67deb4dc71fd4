/** How a tenant lets its customers pay. The flags of the terminal list the methods before a database is opened. */
export const PAYMENT_METHODS = ['bank', 'reserve', 'card'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
