import type { NextFunction, Request, Response } from 'express';
import type { InputFault } from '../../platform/errors';
import openapi from '../generated/openapi.json';
import { BadInputError } from './http.errors';

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

interface Operation {
  parameters?: { in: string; name: string }[];
}

/** Names that each route takes in its query, as its OpenAPI entry says: `get /api/tenant/catalog` → limit, continent, … */
const known = new Map<string, Set<string>>();
for (const [path, operations] of Object.entries(openapi.paths as Record<string, Record<string, Operation>>)) {
  for (const [method, { parameters = [] }] of Object.entries(operations)) {
    const names = parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
    known.set(`${method} ${path}`, new Set([...names, 'api_key']));
  }
}

/** Server routes: a repeated, empty or unknown parameter is refused, so that a typing error never answers a wrong question. */
export function strictQuery(request: Request, _response: Response, next: NextFunction): void {
  const template = (request.route as { path: string }).path.replace(/:(\w+)/g, '{$1}');
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  next(judge(request, known.get(`${method} ${template}`) ?? new Set()));
}

/** Widget and embed: sites append names of their own (utm_source), which are let pass. */
export function tolerantQuery(request: Request, _response: Response, next: NextFunction): void {
  next(judge(request, undefined));
}

function judge(request: Request, names: Set<string> | undefined): BadInputError | undefined {
  const repeated: InputFault[] = [];
  const unknown: InputFault[] = [];
  const malformed: InputFault[] = [];
  for (const [name, value] of Object.entries(request.query)) {
    const field = name.slice(0, 100);
    if (names && !names.has(name)) unknown.push({ in: 'query', field, message: 'is not a parameter of this call' });
    else if (Array.isArray(value)) repeated.push({ in: 'query', field, message: 'must be sent once' });
    else if (value === '') malformed.push({ in: 'query', field, message: 'must not be empty' });
    else if (CONTROL_CHARACTER.test(String(value))) malformed.push({ in: 'query', field, message: 'must not hold control characters' });
  }
  const faults = [...unknown, ...repeated, ...malformed];
  if (faults.length === 0) return undefined;
  if (faults.length === unknown.length) return new BadInputError('unknown_parameter', faults);
  return new BadInputError(faults.length === repeated.length ? 'duplicate_parameter' : 'validation_failed', faults);
}
