import type { Request } from 'express';
import type { InputFault } from '../../platform/errors';
import openapi from '../generated/openapi.json';
import { BadInputError } from './http.errors';

interface Rule {
  type: 'integer' | 'string';
  default?: number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
}

interface Parameter {
  in: string;
  name: string;
  schema: Rule;
}

/**
 * The query of a route that tsoa does not serve, by the rules of a documented GET: so a page and the list it shows take
 * the same, and the rules stand in one place. Names that the GET does not know are left out.
 * @param path of the GET, as in openapi.json
 * @throws BadInputError validation_failed (400), every fault at once
 */
export function documentedQuery<T>(request: Request, path: string): T {
  const documented = (openapi.paths as unknown as Record<string, { get: { parameters: Parameter[] } }>)[path];
  const faults: InputFault[] = [];
  const values: Record<string, unknown> = {};
  for (const { in: place, name, schema } of documented!.get.parameters) {
    if (place !== 'query') continue;
    const text = request.query[name] as string | undefined;
    const message = text === undefined ? undefined : faultOf(text, schema);
    if (message) faults.push({ in: 'query', field: name, message });
    else if (text === undefined) values[name] = schema.default;
    else values[name] = schema.type === 'integer' ? Number(text) : text;
  }
  if (faults.length > 0) throw new BadInputError('validation_failed', faults);
  return values as T;
}

function faultOf(text: string, rule: Rule): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, pattern } = rule;
  if (rule.type === 'integer') {
    if (!/^[-+]?\d+$/.test(text)) return 'must be a whole number';
    if (Number(text) < minimum) return `must be at least ${minimum}`;
    if (Number(text) > maximum) return `must be at most ${maximum}`;
    return undefined;
  }
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern && !new RegExp(pattern).test(text)) return `must match ${pattern}`;
  return undefined;
}
