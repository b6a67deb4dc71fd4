/** The body of every job of every contender. */
export const BODY = JSON.stringify({
  event_type: 'booking.created',
  booking_ref: 'ACME-100001',
  lead_id: 100001,
  source: 'tenant_api',
  external_ref: 'web-100001',
  customer: { name: 'Zoë Müller', phone: '+37120000000', email: 'zoe@example.com' },
  departure_date: '2031-05-01',
  total_price: 1499.5,
});
