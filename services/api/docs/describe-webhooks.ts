import { BOOKING_EVENT_TYPES, bookingEvent } from '../../webhook-queue/enqueue-delivery';
import type { Answer, OpenApiOperation, Parameter, Schema } from './openapi-document';

const text = (description: string): Schema => ({ type: 'string', description });

/** The body of every booking event, in the format `spec` (CONTRACT section 5). */
export const BOOKING_EVENT: Schema = {
  type: 'object',
  description: 'Always exactly these fields; a missing value is null.',
  required: [
    ...['event_type', 'booking_ref', 'lead_id', 'source', 'external_ref', 'customer', 'departure_date'],
    'total_price',
  ],
  properties: {
    event_type: { type: 'string', enum: BOOKING_EVENT_TYPES },
    booking_ref: text("The tenant's prefix, a dash, and lead_id."),
    lead_id: { type: 'integer', description: 'Number of the booking lead.' },
    source: text('Source of the booking.'),
    external_ref: { ...text("The website's own reference."), nullable: true },
    customer: {
      type: 'object',
      required: ['name', 'phone', 'email'],
      properties: {
        name: { type: 'string', nullable: true },
        phone: { type: 'string', nullable: true },
        email: { type: 'string', nullable: true },
      },
    },
    departure_date: { type: 'string', format: 'date', nullable: true },
    total_price: { type: 'number', description: 'For all travellers, in major units.' },
  },
};

export const EVENT_EXAMPLE = bookingEvent('booking.created', {
  tenantId: '',
  bookingRef: 'ACME-1042',
  leadId: 1042,
  source: 'tenant_api',
  externalRef: 'cart-81',
  customer: { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' },
  departureDate: '2027-03-06',
  totalPrice: 979,
}).body;

const HEADERS: Parameter[] = [
  header(
    'webhook-id',
    'Identifies the event; the same for all tries.',
    'msg_6b1f9b6e2f2c4c1e9a357d0c5a1f4e21',
  ),
  header('webhook-timestamp', 'Time of this try, in seconds since 1970.', '1799746200'),
  header(
    'webhook-signature',
    'One or two signatures, separated by a space: `v1,` and the base64 of HMAC-SHA256 over id, timestamp and body.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** Describes the requests to a tenant's server. OpenAPI 3.1 has a field for webhooks, 3.0 has none. */
export const WEBHOOKS: Record<string, { post: OpenApiOperation }> = {
  bookingCreated: {
    post: {
      operationId: 'bookingCreated',
      summary: 'A booking was created',
      description:
        'Sent to each endpoint that the operator registered, at least once and in any order; the guide explains how to ' +
        'verify it. ' +
        `${andList(BOOKING_EVENT_TYPES.filter((type) => type !== 'booking.created'))} have the same form.`,
      tags: ['Webhooks'],
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/BookingEvent' },
            example: EVENT_EXAMPLE,
          },
        },
      },
      responses: {
        '2XX': answer('The event was received.'),
        410: answer('The receiver wants no more events: the endpoint is disabled.'),
        default: answer('The event is sent again, ten times in total, over three days.'),
      },
    },
  },
};

export const WEBHOOKS_TAG = { name: 'Webhooks', description: "Requests to the tenant's own server." };

function header(name: string, description: string, example: string): Parameter {
  return { in: 'header', name, description, required: true, schema: { type: 'string' }, example };
}

/** Formats names as a list in code quotes: `a`, `b` and `c`. */
function andList(names: string[]): string {
  return new Intl.ListFormat('en-GB').format(names.map((name) => `\`${name}\``));
}

function answer(description: string): Answer {
  return { description };
}
