import type { OpenApiDocument, OpenApiOperation, Parameter } from '../openapi-document';

/** The parts of the document that all operations share. */

export const DESCRIPTION = `Tours, seats and bookings for a tenant's website.

A server calls with an **API key**; a browser reads the widget list with a **widget token**, which is bound to the tenant's
origins. All names are snake_case, times are RFC 3339 in UTC, dates are \`YYYY-MM-DD\`, and money is a number in major units
next to its \`currency\`.

Errors are \`application/problem+json\` (RFC 9457) with a stable \`code\`; their \`type\` is the address of a page that explains
what to do. Later versions may add fields to answers: ignore unknown fields.

Omit an optional field of a request if you have no value: \`null\` is only valid where the field says so.

Writes take an \`Idempotency-Key\`: a request that is repeated with the same key takes effect once.`;

export const TAGS: OpenApiDocument['tags'] = [
  { name: 'Catalog', description: 'Tours and departures as the tenant sees them, with its own prices.' },
  {
    name: 'Seats',
    description: 'Free seats of a departure, and holds that keep seats for some minutes at a locked price.',
  },
  { name: 'Bookings', description: 'Booking leads: create, read, confirm, cancel.' },
  {
    name: 'OCTO',
    description:
      'The same catalog, seats and bookings in the standard of the field (octo.travel): a client that speaks OCTO connects with ' +
      'its API key and the base address `/octo`. Names are camelCase, money is an integer in minor units, and errors are OCTO’s ' +
      'own: `error`, `errorMessage` and the offending id. A body may have further fields; they are ignored.',
  },
  { name: 'Widget', description: 'For browsers: the list of tours, and a page to show in a frame.' },
  { name: 'Service', description: 'Health checks for load balancers.' },
];

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_live_…',
    description: 'An API key, `Authorization: Bearer svc_live_…`. Servers only: never put one in a page.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description:
      'The same API key, for callers that cannot send the header. Deprecated, because addresses are often logged: answers then ' +
      'carry `Deprecation` and `Cache-Control: no-store`.',
    'x-deprecated': true,
  },
  widgetToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      'A widget token, `svc_widget_…`. It is public: it only reads the list, and only for pages of its origins.',
  },
  widgetTokenInHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-widget-token',
    description:
      'The same widget token. Deprecated, because a browser sends one more request (a preflight) before it: answers then carry ' +
      '`Deprecation`. It stays supported.',
    'x-deprecated': true,
  },
};

/** The deprecated security scheme of each credential, by the name of the usual one. */
export const ALTERNATIVES: Record<string, string> = {
  apiKey: 'apiKeyInQuery',
  widgetToken: 'widgetTokenInHeader',
};

/** Returns true if an operation takes an Idempotency-Key. A DELETE of OCTO takes one, because it does the same as a POST that cancels. */
export function takesKey(method: string, { tags }: Pick<OpenApiOperation, 'tags'>): boolean {
  return method === 'post' || method === 'patch' || (method === 'delete' && tags.includes('OCTO'));
}

export const IDEMPOTENCY_KEY: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  required: false,
  description:
    'Your name for this request, such as a UUID. A repeat with the same key only gets the first answer again.',
  schema: { type: 'string', maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '9f1c2b7e-5a53-4b55-8f7e-0f5d1f0c9a10',
};

/** The headers of OCTO's requests. */
export const CAPABILITIES_HEADER: Parameter = {
  in: 'header',
  name: 'Octo-Capabilities',
  required: false,
  description: 'Capabilities of the answer, with commas: `octo/pricing`, `octo/content`. Others are ignored.',
  schema: { type: 'string' },
  example: 'octo/pricing',
};
export const ENVIRONMENT_HEADER: Parameter = {
  in: 'header',
  name: 'Octo-Env',
  required: false,
  description: '`live` or `test`. A key of the other environment is refused.',
  schema: { type: 'string' },
  example: 'live',
};
