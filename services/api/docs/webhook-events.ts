import {
  BOOKING_EVENT_TYPES,
  bookingEvent,
  type BookingEventType,
  departureEvent,
  endpointDisabledEvent,
  answersMissingEvent,
  type LeadEventType,
  paymentDueEvent,
  pingEvent,
  type WebhookEvent,
} from '../../webhook-queue/enqueue-delivery';
import { holdExpiredEvent } from '../departures/mark-expired-seats';
import type { Answer, OpenApiOperation, Parameter, Schema } from './openapi-document';

const text = (description: string): Schema => ({ type: 'string', description });
const uuid = (description: string): Schema => ({ type: 'string', format: 'uuid', description });
const date = (description: string): Schema => ({ type: 'string', format: 'date', description });
const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
const list = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });

/** Describes an object that always has all of its fields. */
function exactly(properties: Record<string, Schema>): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** Describes the body of an event: every field is always there, and a missing value is null. */
function body(types: readonly string[], fields: Record<string, Schema>): Schema {
  return {
    ...exactly({ event_type: { type: 'string', enum: [...types] }, ...fields }),
    description: 'Always exactly these fields; a missing value is null.',
  };
}

/** Describes the body of an event that is not `booking.created`. @param of the object that the event is about */
function updatedBody(types: readonly string[], of: string, fields: Record<string, Schema>): Schema {
  const description = `${of} The same in every try and replay. Keep the event with the latest time: events arrive in any order.`;
  return body(types, { ...fields, updated_at: { type: 'string', format: 'date-time', description } });
}

const OF_BOOKING = 'The `updated_at` of the booking after the change, as `GET` answers it.';
const OF_DEPARTURE = 'Time of this change of the departure.';

const EXTERNAL_REF: Schema = { ...text("The website's own reference."), nullable: true };
const TOUR = exactly({ id: uuid('Identifier of the tour.'), slug: text('Slug of the tour.') });
const BOOKINGS = {
  booking_refs: list(
    'The first 100 of your confirmed and unpaid bookings on this departure, the oldest first.',
  ),
  bookings_total: count(
    'Number of all your confirmed and unpaid bookings on this departure; 0 if you have active holds only.',
  ),
};
const DEPARTURE_TIME: Schema = {
  type: 'string',
  nullable: true,
  description: 'Start time of the departure, HH:MM, local. Null: it has none.',
};
const CHANGED = list(
  'Names of the fields that changed: `seats_total`, `prices`, `return_date`, `closes_at`, `start_time`, and `status` of a departure that was ' +
    'cancelled and is on sale again.',
);

/** The first fields of a booking event. */
const LEAD = {
  booking_ref: text(
    "The tenant's prefix, a dash, and lead_id: ACME-1042; of a sandbox tenant ACME-TEST-1042.",
  ),
  lead_id: { type: 'integer', description: 'Number of the booking lead.' },
  source: text('Source of the booking.'),
  external_ref: EXTERNAL_REF,
  customer: exactly({
    name: { type: 'string', nullable: true },
    phone: { type: 'string', nullable: true },
    email: { type: 'string', nullable: true },
  }),
};
const DATE_OF_BOOKING: Schema = { type: 'string', format: 'date', nullable: true };
const TOTAL_PRICE: Schema = { type: 'number', description: 'For all travellers, in major units.' };

const REDUCTION: Schema = {
  ...exactly({
    amount: { type: 'number', description: 'The old total less the new one, in major units.' },
    refund_percent: {
      type: 'integer',
      nullable: true,
      description: 'The share of the amount that is refunded. Null: nothing is stated.',
    },
    refund_amount: { type: 'number', nullable: true, description: 'The refund, in major units.' },
  }),
  nullable: true,
  description:
    'The amount that the change of a confirmed booking frees. Null: it is not confirmed, or its total did not fall.',
};

/** The bodies of the events by the name of their schema. */
export const EVENT_SCHEMAS = {
  BookingCreatedEvent: body(['booking.created'], {
    ...LEAD,
    departure_date: DATE_OF_BOOKING,
    total_price: TOTAL_PRICE,
  }),
  BookingEvent: updatedBody(
    BOOKING_EVENT_TYPES.filter((type) => schemaOfBooking(type) === 'BookingEvent'),
    OF_BOOKING,
    {
      ...LEAD,
      departure_date: DATE_OF_BOOKING,
      departure_time: DEPARTURE_TIME,
      total_price: TOTAL_PRICE,
    },
  ),
  BookingUpdatedEvent: updatedBody(['booking.updated'], OF_BOOKING, {
    ...LEAD,
    departure_date: DATE_OF_BOOKING,
    departure_time: DEPARTURE_TIME,
    total_price: TOTAL_PRICE,
    reduction: REDUCTION,
  }),
  BookingCancelledEvent: updatedBody(['booking.cancelled'], OF_BOOKING, {
    ...LEAD,
    departure_date: DATE_OF_BOOKING,
    departure_time: DEPARTURE_TIME,
    total_price: TOTAL_PRICE,
    refund_percent: {
      type: 'integer',
      nullable: true,
      description:
        'The share of `total_price` that the cancellation refunds. Null: nothing was paid, or nothing is stated.',
    },
    refund_amount: { type: 'number', nullable: true, description: 'The refund, in major units.' },
  }),
  BookingPaymentDueEvent: updatedBody(
    ['booking.payment_due'],
    'The `updated_at` of the booking, as `GET` answers it.',
    {
      ...LEAD,
      departure_date: DATE_OF_BOOKING,
      departure_time: DEPARTURE_TIME,
      total_price: TOTAL_PRICE,
      payment_due_at: {
        type: 'string',
        format: 'date-time',
        description: 'Time at which the booking expires unless it is confirmed.',
      },
      deposit_total: { type: 'number', description: 'The deposit to pay, in major units.' },
    },
  ),
  BookingAnswersMissingEvent: updatedBody(
    ['booking.answers_missing'],
    'The `updated_at` of the booking, as `GET` answers it.',
    {
      ...LEAD,
      departure_date: DATE_OF_BOOKING,
      departure_time: DEPARTURE_TIME,
      total_price: TOTAL_PRICE,
      missing: {
        type: 'array',
        description: 'The required answers that are missing.',
        items: {
          type: 'object',
          required: ['code', 'traveller'],
          additionalProperties: false,
          properties: {
            code: text('The code of the question.'),
            traveller: {
              type: 'integer',
              nullable: true,
              description: 'The number of the person in the party, from 0. Null: asked once for the booking.',
            },
          },
        },
      },
    },
  ),
  HoldExpiredEvent: updatedBody(['hold.expired'], 'Equal to `expires_at`.', {
    hold_id: uuid('Identifier of the hold.'),
    external_ref: EXTERNAL_REF,
    departure_date: date('Date of the departure.'),
    departure_time: DEPARTURE_TIME,
    quantity: count('Number of seats that the hold had.'),
    expires_at: { type: 'string', format: 'date-time', description: 'Time at which the hold ended.' },
  }),
  DepartureCancelledEvent: updatedBody(['departure.cancelled'], OF_DEPARTURE, {
    tour: TOUR,
    departure_date: date('Date of the departure.'),
    departure_time: DEPARTURE_TIME,
    ...BOOKINGS,
  }),
  DepartureUpdatedEvent: updatedBody(['departure.updated'], OF_DEPARTURE, {
    tour: TOUR,
    departure_date: date('Date of the departure.'),
    departure_time: DEPARTURE_TIME,
    changed: CHANGED,
    ...BOOKINGS,
  }),
  EndpointDisabledEvent: updatedBody(['endpoint.disabled'], 'Time at which it was disabled.', {
    endpoint: uuid('Identifier of the endpoint.'),
    url: text('Its address, without the query.'),
    reason: text('Why it was disabled, as a sentence.'),
  }),
  PingEvent: updatedBody(['ping'], 'Time of the ping.', {
    endpoint: uuid('Identifier of the endpoint that is tested.'),
  }),
} satisfies Record<string, Schema>;

interface EventDescription {
  summary: string;
  description: string;
  schema: keyof typeof EVENT_SCHEMAS;
  example: Record<string, unknown>;
}

const CHANGED_AT = new Date('2027-01-12T08:05:11.042Z');
const ENDPOINT = {
  id: '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f',
  tenantId: '',
  url: 'https://acme.example/webhooks',
};
const DEPARTURE = {
  tenantId: '',
  tour: { id: '4f0c9a52-8d0b-4c77-9f0e-2b8a7f1f3c11', slug: 'kyoto-temples-and-gardens' },
  departureDate: '2027-03-06',
  departureTime: '09:30',
  bookingRefs: ['ACME-1042', 'ACME-1057'],
  bookingsTotal: 2,
  updatedAt: CHANGED_AT,
};

const BOOKING = {
  tenantId: '',
  bookingRef: 'ACME-1042',
  leadId: 1042,
  externalRef: 'cart-81',
  customer: { name: 'Ana Lima', phone: '+4930901820', email: 'ana@example.com' },
  departureDate: '2027-03-06',
  departureTime: '09:30',
  totalPrice: 979,
  updatedAt: CHANGED_AT,
};

/** Each event that an endpoint can receive. */
export const WEBHOOK_EVENTS: Record<Exclude<WebhookEvent['type'], `octo.${string}`>, EventDescription> = {
  'booking.created': describeBooking(
    'booking.created',
    'A booking was created',
    'The booking waits for payment.',
  ),
  'booking.confirmed': describeBooking(
    'booking.confirmed',
    'A booking was confirmed',
    'It stands until it is cancelled.',
  ),
  'booking.updated': describeBooking(
    'booking.updated',
    'A booking was changed',
    'Its date, its party, its customer or another field. The body has the values after the change, and what a smaller total frees: read ' +
      'the booking for the others.',
  ),
  'booking.cancelled': describeBooking(
    'booking.cancelled',
    'A booking was cancelled',
    'Its seats are free again. The body has the refund of a paid booking.',
  ),
  'booking.expired': describeBooking(
    'booking.expired',
    'A booking was not paid in time',
    'Its seats are free again. It can be confirmed later if they still are.',
  ),
  'booking.payment_due': {
    summary: 'The payment of a booking is due soon',
    description:
      'Sent once, some time before the booking expires: 24 hours, unless the operator has set another time for you, or none. Not sent if ' +
      'the time to pay is shorter than twice that. Remind the customer.',
    schema: 'BookingPaymentDueEvent',
    example: paymentDueEvent(BOOKING, { dueAt: new Date('2027-01-14T09:30:00Z'), depositTotal: 195.8 }).body,
  },
  'booking.answers_missing': {
    summary: 'A booking lacks required answers',
    description:
      'Sent once, three days before the start of the departure, or with a booking that is made later, if an answer is missing then. The body ' +
      'has codes, and no values. Ask the customer, and send the answers by a change of the booking.',
    schema: 'BookingAnswersMissingEvent',
    example: answersMissingEvent(BOOKING, [{ code: 'weight', traveller: 0 }]).body,
  },
  'hold.expired': {
    summary: 'A hold has ended by its time',
    description: 'Its seats are free again.',
    schema: 'HoldExpiredEvent',
    example: holdExpiredEvent({
      id: '7c1b9e0e-3f5d-4a53-8d0a-5f4a4f6f0b7d',
      tenantId: '',
      externalRef: 'cart-81',
      seats: 2,
      departureDate: '2027-03-06',
      departureTime: '09:30',
      expiresAt: new Date('2027-01-11T09:45:00Z'),
    }).body,
  },
  'departure.cancelled': {
    summary: 'A departure was cancelled',
    description:
      'Sent if you have an active hold, or a confirmed or unpaid booking there. The bookings stay until they are cancelled; holds can no ' +
      'longer be booked. The body has no personal data: read each booking by its reference.',
    schema: 'DepartureCancelledEvent',
    example: departureEvent({ ...DEPARTURE, changed: null }).body,
  },
  'departure.updated': {
    summary: 'A departure was changed',
    description:
      'Sent if you have an active hold, or a confirmed or unpaid booking there, once for each change, whatever the number of fields. Holds and ' +
      'bookings keep their prices. The body has the names of the fields, not their values: read the departure.',
    schema: 'DepartureUpdatedEvent',
    example: departureEvent({ ...DEPARTURE, changed: ['seats_total', 'return_date'] }).body,
  },
  'endpoint.disabled': {
    summary: 'An endpoint was disabled',
    description: 'Sent to your other endpoints: after a 410, after days of failures, or by the operator.',
    schema: 'EndpointDisabledEvent',
    example: endpointDisabledEvent(ENDPOINT, 'The receiver answered 410.', CHANGED_AT).body,
  },
  ping: {
    summary: 'A test',
    description: 'Sent when the operator tests an endpoint, whatever events it receives.',
    schema: 'PingEvent',
    example: pingEvent(ENDPOINT, CHANGED_AT).body,
  },
};

function describeBooking(type: LeadEventType, summary: string, description: string): EventDescription {
  const refund = { percent: 50, amount: 489.5 };
  const reduction = { amount: 489.5, refund_percent: 50, refund_amount: 244.75 };
  const { body: example } = bookingEvent(type, { ...BOOKING, refund, reduction });
  return { summary, description, schema: schemaOfBooking(type), example };
}

function schemaOfBooking(type: BookingEventType) {
  if (type === 'booking.created') return 'BookingCreatedEvent';
  if (type === 'booking.updated') return 'BookingUpdatedEvent';
  if (type === 'booking.cancelled') return 'BookingCancelledEvent';
  if (type === 'booking.answers_missing') return 'BookingAnswersMissingEvent';
  return type === 'booking.payment_due' ? 'BookingPaymentDueEvent' : 'BookingEvent';
}

/** The headers of every webhook request. */
export const WEBHOOK_HEADERS: Parameter[] = [
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

/** Describes the requests to a tenant's server, one for each event. OpenAPI 3.1 has a field for webhooks, 3.0 has none. */
export const WEBHOOKS: Record<string, { post: OpenApiOperation }> = Object.fromEntries(
  Object.entries(WEBHOOK_EVENTS).map(([type, { summary, description, schema, example }]) => {
    const operationId = webhookName(type);
    const post: OpenApiOperation = {
      operationId,
      summary,
      description: `${description}\n\n${delivery(type)}`,
      tags: ['Webhooks'],
      security: [],
      parameters: WEBHOOK_HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example },
        },
      },
      responses: {
        '2XX': answer('The event was received.'),
        410: answer('The receiver wants no more events: the endpoint is disabled.'),
        default: answer('The event is sent again, ten times in total, over three days.'),
      },
    };
    return [operationId, { post }];
  }),
);

export const WEBHOOKS_TAG = { name: 'Webhooks', description: "Requests to the tenant's own server." };

/** Returns the name of an event type as an operation: `bookingCreated`. */
function webhookName(type: string): string {
  return type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Describes which endpoints receive the event. */
function delivery(type: string): string {
  if (type === 'ping') return 'Sent like any event; the guide explains how to verify it.';
  const by = type === 'booking.created' ? 'for it, which is the default' : `with \`--event ${type}\``;
  return (
    `Sent to each endpoint that the operator registered ${by}, at least once and in any order; the guide explains how to ` +
    'verify it.'
  );
}

function header(name: string, description: string, example: string): Parameter {
  return { in: 'header', name, description, required: true, schema: { type: 'string' }, example };
}

function answer(description: string): Answer {
  return { description };
}
