/** How a tenant lets its customers pay. The flags of the terminal list the methods before a database is opened. */
export const PAYMENT_METHODS = ['bank', 'reserve', 'card'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** How a booking is paid. Only the operator may choose `cash`: at the desk, or by an import. */
export const BOOKING_PAYMENT_METHODS = [...PAYMENT_METHODS, 'cash'] as const;
export type BookingPaymentMethod = (typeof BOOKING_PAYMENT_METHODS)[number];
