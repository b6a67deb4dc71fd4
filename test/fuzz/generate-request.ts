import type { Schema } from '../../services/api/docs/openapi-document';
import type { KnownValues } from './known-values';
import { asText, encoded } from './encoded';
import { type DocumentedOperation, resolve } from '../support/documented-operations';
import { oddText } from './odd-values';
import type { Random } from './random';

/** A request before it is sent. Its parts are changed by mutations. */
export interface FuzzRequest {
  operation: string;
  method: string;
  /** The path without its query, encoded. */
  path: string;
  query: [name: string, value: unknown][];
  headers: Record<string, string | string[]>;
  /** Sent as JSON. */
  body: unknown;
  /** Sent instead of `body`. */
  bytes?: Buffer;
}

const OPTIONAL_SHARE = 0.25;
const RARE_SHARE = 0.03;
/** Names, notes and references, which may be nearly any text. */
const ODD_TEXT_SHARE = 0.15;

/** Returns a request of the document's form, with values that the service mostly accepts. */
export function generateRequest(
  random: Random,
  known: KnownValues,
  operation: DocumentedOperation,
): FuzzRequest {
  const { id, method, path, parameters, body } = operation;
  const request: FuzzRequest = { operation: id, method, path, query: [], headers: {}, body: undefined };
  const values = new ValueGenerator(random, known, id);
  for (const { in: place, name, required, schema, example } of parameters) {
    if (!required && !random.chance(OPTIONAL_SHARE)) continue;
    const value = values.make(place === 'path' && name === 'uuid' ? 'octo uuid' : name, schema, example);
    if (value === undefined) continue;
    if (place === 'path') request.path = request.path.replace(`{${name}}`, encoded(value));
    else if (place === 'query') request.query.push([name, value]);
    else request.headers[name.toLowerCase()] = asText(value);
  }
  if (body && (method !== 'DELETE' || random.chance(0.5))) request.body = values.make('body', body);
  return request;
}

class ValueGenerator {
  constructor(
    private readonly random: Random,
    private readonly known: KnownValues,
    private readonly operation: string,
  ) {}

  make(name: string, reference: Schema, example?: unknown): unknown {
    const value = this.known.pick(this.random, name, this.operation);
    if (value !== undefined) return value;
    const schema = resolve(reference);
    if (schema.enum) return this.random.pick(schema.enum);
    if (schema.properties) return this.makeObject(schema);
    if (schema.type === 'array')
      return Array.from({ length: 1 + this.random.integer(2) }, () => this.make(name, schema.items!));
    if (schema.type === 'integer') {
      const [low, high] = [schema.minimum ?? 0, schema.maximum ?? 5];
      return low + this.random.integer(Math.min(high - low + 1, 4));
    }
    if (isFreeText(schema) && this.random.chance(ODD_TEXT_SHARE)) return oddText(this.random);
    return example ?? schema.example ?? reference.example;
  }

  private makeObject({ properties, required }: Schema): object {
    const isChosen = (name: string) =>
      required?.includes(name) ||
      COMPLETING.has(name) ||
      this.random.chance(RARE.has(name) ? RARE_SHARE : OPTIONAL_SHARE);
    const values = Object.entries(properties!)
      .filter(([name]) => isChosen(name))
      .map(([name, field]) => [name, this.make(name, field)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }
}

function isFreeText({ type, format, pattern }: Schema): boolean {
  return type === 'string' && !format && !pattern;
}

/** Optional fields without which most requests are refused. */
const COMPLETING = new Set(['localDateStart', 'localDateEnd', 'unitItems', 'departure_date']);

/** Optional fields that must agree with others. */
const RARE = new Set([
  'uuid',
  'expected_total',
  'children',
  'adults',
  'single_supplements',
  'travellers',
  'units',
  'availabilityIds',
  'localDate',
]);
