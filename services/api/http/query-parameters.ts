import type { NextFunction, Request, Response } from 'express';
import type { InputFault } from '../../platform/errors';
import openapi from '../generated/openapi.json';
import { BadInputError } from './http.errors';

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** Plain digits: `1e1`, `+5` and `05` are typing errors, not numbers. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

interface Operation {
  parameters?: { in: string; name: string; schema?: { type?: string } }[];
}

/** Name and type of what each route takes in its query, as its OpenAPI entry says: `get /api/tenant/catalog` → limit: integer, … */
const known = new Map<string, Map<string, string | undefined>>();
for (const [path, operations] of Object.entries(openapi.paths as Record<string, Record<string, Operation>>)) {
  for (const [method, { parameters = [] }] of Object.entries(operations)) {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    known.set(`${method} ${path}`, new Map(inQuery.map(({ name, schema }) => [name, schema?.type])));
  }
}

/** Server routes: a repeated, empty or unknown parameter is refused, so that a typing error never answers a wrong question. */
export function strictQuery(request: Request, _response: Response, next: NextFunction): void {
  const types = typesOf(request);
  const isKnown = (name: string) => types.has(name) || name === 'api_key';
  next(judge(request, types, isKnown));
}

/** Widget and embed: sites append names of their own (utm_source), which are let pass. */
export function tolerantQuery(request: Request, _response: Response, next: NextFunction): void {
  next(judge(request, typesOf(request), () => true));
}

function typesOf(request: Request): Map<string, string | undefined> {
  const template = (request.route as { path: string }).path.replace(/:(\w+)/g, '{$1}');
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  return known.get(`${method} ${template}`) ?? new Map<string, string | undefined>();
}

function judge(
  request: Request,
  types: Map<string, string | undefined>,
  isKnown: (name: string) => boolean,
): BadInputError | undefined {
  const repeated: InputFault[] = [];
  const unknown: InputFault[] = [];
  const malformed: InputFault[] = [];
  for (const [name, value] of Object.entries(request.query)) {
    const fault = (message: string): InputFault => ({ in: 'query', field: name.slice(0, 100), message });
    const problem = Array.isArray(value) ? undefined : malformation(value as string, types.get(name));
    if (!isKnown(name)) unknown.push(fault('is not a parameter of this call'));
    else if (Array.isArray(value)) repeated.push(fault('must be sent once'));
    else if (problem) malformed.push(fault(problem));
  }
  const faults = [...unknown, ...repeated, ...malformed];
  if (faults.length === 0) return undefined;
  if (faults.length === unknown.length) return new BadInputError('unknown_parameter', faults);
  return new BadInputError(
    faults.length === repeated.length ? 'duplicate_parameter' : 'validation_failed',
    faults,
  );
}

function malformation(value: string, type: string | undefined): string | undefined {
  if (value === '') return 'must not be empty';
  if (CONTROL_CHARACTER.test(value)) return 'must not hold control characters';
  if (type === 'integer' && !WHOLE_NUMBER.test(value)) return 'must be a whole number';
  return undefined;
}
