import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Response } from 'supertest';
import type { OpenApiDocument, OpenApiOperation, Schema } from '../../services/api/docs/openapi-document';
import { EVENT_SCHEMAS, WEBHOOK_EVENTS } from '../../services/api/docs/webhook-events';
import { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import { useTestApi } from '../support/api';

/** Paths that the service serves beside the API. */
const NOT_DESCRIBED = ['/favicon.ico', '/openapi', '/docs', '/covers/', '/embed/widget.', '/embed/booking.'];

const api = useTestApi();
let document: OpenApiDocument;
let document31: {
  openapi: string;
  webhooks: Record<string, { post: OpenApiOperation }>;
  components: {
    schemas: Record<string, { properties: Record<string, { type?: unknown; anyOf?: unknown }> }>;
  };
};
let types: Response;
let page: string;
// Fetches everything before the first check, because linting keeps this process so busy that the API would shed load.
beforeAll(async () => {
  document = (await api.http.get('/openapi.json')).body;
  document31 = (await api.http.get('/openapi.3.1.json')).body;
  types = await api.http.get('/openapi.d.ts');
  page = (await api.http.get('/docs')).text;
});

/** Calls that need a credential. */
function calls(): OpenApiOperation[] {
  const operations = Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod));
  return operations.filter((operation) => operation.security.length > 0);
}

/** Returns the writing operations of the API without OCTO, which reads availability by POST and has other statuses. */
function writes(): OpenApiOperation[] {
  return Object.values(document.paths)
    .flatMap(({ post, patch }) => [post, patch])
    .filter((write) => write !== undefined && !write.tags.includes('OCTO')) as OpenApiOperation[];
}

function parameter(operationId: string, name: string): Schema {
  const operation = calls().find((call) => call.operationId === operationId)!;
  return operation.parameters.find((one) => one.name === name)!.schema;
}

/** Returns the names of the schemas that these operations use, directly or inside another schema. */
function schemasOf(operations: object[]): string[] {
  const found = new Set<string>();
  const visit = (part: object): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name!)) continue;
      found.add(name!);
      visit(document.components.schemas[name!]!);
    }
  };
  operations.forEach(visit);
  return [...found];
}

describe('the OpenAPI document', () => {
  it.each(['3.0.3', '3.1.0'])('the document and its examples are valid OpenAPI %s', async (version) => {
    const served = version === '3.0.3' ? document : document31;
    expect(served.openapi).toBe(version);
    // A health check has no 4xx.
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: { 'operation-4xx-response': 'off' },
    });
    const issues = await lintFromString({ source: JSON.stringify(served), config });
    expect(issues.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('the OpenAPI document describes the routes that are served, and no other', () => {
    interface Layer {
      route?: { path: string; methods: Record<string, boolean> };
    }
    const { stack } = api.app.router as unknown as { stack: Layer[] };
    const served = stack.flatMap(({ route }) => {
      if (!route || route.path === '/' || NOT_DESCRIBED.some((prefix) => route.path.startsWith(prefix)))
        return [];
      const methods = Object.keys(route.methods).filter((method) => method !== 'options');
      return methods.map((method) => `${method} ${route.path.replace(/:(\w+)/g, '{$1}')}`);
    });
    const described = Object.entries(document.paths).flatMap(([route, operations]) =>
      Object.keys(operations).map((method) => `${method} ${route}`),
    );
    expect(described.sort()).toEqual(served.sort());
  });

  it('the OpenAPI document names the version of the package and the address of the installation', () => {
    const { version } = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8'));
    expect(document.info).toMatchObject({ title: 'Tour Platform', version });
    expect(document.servers).toEqual([{ url: 'https://api.example.test' }]);
    expect(JSON.stringify(document)).not.toContain('127.0.0.1');
  });

  it('the OpenAPI document gives every operation a summary, a description and a unique name', () => {
    const operations = Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod));
    for (const { summary, description, operationId } of operations) {
      expect(summary).toBeTruthy();
      expect(description).toBeTruthy();
      expect(operationId).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('the names of operations and schemas begin with octo for OCTO only', () => {
    const operations = Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod));
    for (const { operationId, tags } of operations)
      expect([operationId, operationId.startsWith('octo')]).toEqual([operationId, tags.includes('OCTO')]);
    const [octo, ours] = [true, false].map((isOcto) =>
      schemasOf(operations.filter(({ tags }) => tags.includes('OCTO') === isOcto)),
    );
    expect(octo!.filter((name) => !name.startsWith('Octo'))).toEqual([]);
    expect(ours!.filter((name) => name.startsWith('Octo'))).toEqual([]);
    expect(octo!.length + ours!.length).toBe(Object.keys(document.components.schemas).length);
  });

  it('the OpenAPI document describes 400, 401, 429, 500 and 503 wherever a credential is required', () => {
    for (const { operationId, responses, tags } of calls()) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '429', '500', '503']));
      const refusals = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      const own = tags.includes('OCTO') ? 'application/json' : 'application/problem+json';
      const types = [own, ...(operationId === 'showTours' ? ['text/html'] : [])];
      for (const [, answer] of refusals) {
        expect(Object.keys(answer.content!)).toEqual(types);
        expect(answer.headers).toHaveProperty('X-Request-Id');
      }
      expect(responses['429']!.headers).toHaveProperty('Retry-After');
      expect(responses['401']!.headers).toHaveProperty('WWW-Authenticate');
    }
  });

  it('the OpenAPI document describes the ways to send each credential, and the scope', () => {
    const { security, 'x-required-scope': scope } = document.paths['/api/tenant/catalog']!.get!;
    expect(security).toEqual([{ apiKey: [] }, { apiKeyInQuery: [] }]);
    expect(scope).toBe('catalog:read');
    const widget = document.paths['/api/widget/tours']!.get!;
    expect(widget.security).toEqual([{ widgetToken: [] }, { widgetTokenInHeader: [] }]);
  });

  it('the OpenAPI document describes the Idempotency-Key and its answers on the seven writes', () => {
    expect(writes().map(({ operationId }) => operationId)).toEqual([
      'placeHold',
      'changeHold',
      'extendHold',
      'createBooking',
      'changeBooking',
      'confirmBooking',
      'cancelBooking',
    ]);
    for (const { parameters, responses } of writes()) {
      expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '413', '415', '422']));
      expect((responses['200'] ?? responses['201'])!.headers).toHaveProperty('Idempotent-Replayed');
    }
  });

  it('the OpenAPI document describes the Idempotency-Key and a replay on the OCTO request that cancels by DELETE', () => {
    const { parameters, responses } = document.paths['/octo/bookings/{uuid}']!.delete!;
    expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
    expect(responses['200']!.headers).toHaveProperty('Idempotent-Replayed');
  });

  it('the counts in requests are whole numbers with bounds', () => {
    const { HoldBody, BookingBody, ExtendBody } = document.components.schemas;
    const whole = (minimum: number, maximum: number) =>
      expect.objectContaining({ type: 'integer', minimum, maximum });
    expect(HoldBody!.properties!.quantity).toEqual(whole(1, 50));
    expect(HoldBody!.properties!.hold_minutes).toEqual(whole(1, 60));
    expect(ExtendBody!.properties!.hold_minutes).toEqual(whole(1, 60));
    expect(BookingBody!.properties!.adults).toEqual(whole(0, 50));
    expect(BookingBody!.properties!.children).toEqual(whole(0, 50));
    expect(BookingBody!.properties!.single_supplements).toEqual(whole(0, 50));
    expect(parameter('checkAvailability', 'quantity')).toEqual(whole(1, 50));
    expect(parameter('listTours', 'limit')).toEqual(whole(1, 100));
    expect(parameter('listDepartures', 'limit')).toEqual(whole(1, 366));
    expect(parameter('listBookings', 'limit')).toEqual(whole(1, 100));
    expect(parameter('listWidgetTours', 'limit')).toEqual(whole(1, 30));
  });

  it('the OpenAPI document forbids unknown members in requests and allows them in answers', () => {
    const { HoldBody, HoldAnswer, ProblemDocument } = document.components.schemas;
    expect(HoldBody!.additionalProperties).toBe(false);
    expect(HoldAnswer).not.toHaveProperty('additionalProperties');
    expect(ProblemDocument).not.toHaveProperty('additionalProperties');
  });

  it('version 3.1 uses types with null where 3.0 uses nullable', () => {
    const { BookingAnswer, AvailabilityAnswer } = document31.components.schemas;
    expect(BookingAnswer!.properties.external_ref!.type).toEqual(['string', 'null']);
    expect(AvailabilityAnswer!.properties.prices!.anyOf).toEqual([
      { $ref: '#/components/schemas/PricesAnswer' },
      { type: 'null' },
    ]);
    expect(JSON.stringify(document31)).not.toContain('nullable');
  });

  it('version 3.1 and the page describe each event that an endpoint can receive, with its body', async () => {
    const bodies = Object.entries(document31.webhooks).map(([name, { post }]) => {
      expect(post.operationId).toBe(name);
      expect(page).toContain(`<h3 id="${name}">`);
      const { schema, example } = post.requestBody!.content['application/json']!;
      return { type: (example as { event_type: string }).event_type, schema, example };
    });
    expect(bodies.map(({ type }) => type).sort()).toEqual([...EVENT_TYPES, 'ping'].sort());
    for (const { type, schema, example } of bodies) {
      const name = schema.$ref!.replace('#/components/schemas/', '') as keyof typeof EVENT_SCHEMAS;
      expect(EVENT_SCHEMAS[name].properties!.event_type!.enum).toContain(type);
      expect(Object.keys(example as object)).toEqual(EVENT_SCHEMAS[name].required);
      expect(example).toEqual(WEBHOOK_EVENTS[type as keyof typeof WEBHOOK_EVENTS].example);
    }
  });

  it('the service also serves the document as TypeScript', () => {
    expect(types.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(types.text).toContain('export interface paths {');
    expect(types.text).toContain('placeHold: {');
  });
});
