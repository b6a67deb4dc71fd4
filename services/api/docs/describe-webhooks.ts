import type { Answer, OpenApiOperation, Parameter } from './openapi-document';
import { WEBHOOK_EVENTS } from './webhook-events';

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
  return type.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Says which endpoints receive the event. */
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
