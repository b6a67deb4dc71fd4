import type { NextFunction, Request, Response } from 'express';
import type { InputFault } from '../../platform/errors';
import { CONTROL_CHARACTER } from '../../platform/text-forms';
import openapi from '../generated/openapi.json';
import { BadInputError, fieldName } from './http.errors';

/** Plain digits: `1e1`, `+5` and `05` are typing errors, not numbers. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

interface Rule {
  type: 'integer' | 'string';
  default?: number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
}

type Rules = Map<string, Rule>;

interface Operation {
  parameters: { in: string; name: string; schema: Rule }[];
}

/** What each route takes in its query, by name, as its OpenAPI entry says: `get /api/tenant/catalog` → limit, … */
const documented = new Map<string, Rules>();
for (const [path, operations] of Object.entries(openapi.paths)) {
  for (const [method, { parameters }] of Object.entries(operations as Record<string, Operation>)) {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    documented.set(`${method} ${path}`, new Map(inQuery.map(({ name, schema }) => [name, schema])));
  }
}

/** Server routes: a repeated, empty or unknown parameter is refused, so that a typing error never answers a wrong question. */
export function strictQuery(request: Request, _response: Response, next: NextFunction): void {
  const rules = rulesOf(request);
  const isKnown = (name: string) => rules.has(name) || name === 'api_key';
  next(judge(request, rules, isKnown));
}

/** Widget and embed: sites append names of their own (utm_source), which are let pass. */
export function tolerantQuery(request: Request, _response: Response, next: NextFunction): void {
  next(judge(request, rulesOf(request), () => true));
}

/**
 * The query of a route that tsoa does not serve, by the rules of its OpenAPI entry; names that it does not know are left out.
 * Behind strictQuery or tolerantQuery, which judge the form.
 * @throws BadInputError validation_failed (400), every fault at once
 */
export function documentedQuery<T>(request: Request): T {
  const faults: InputFault[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, rule] of rulesOf(request)) {
    const text = request.query[name] as string | undefined;
    const message = text === undefined ? undefined : breach(text, rule);
    if (message) faults.push({ in: 'query', field: name, message });
    else if (text === undefined) values[name] = rule.default;
    else values[name] = rule.type === 'integer' ? Number(text) : text;
  }
  if (faults.length > 0) throw new BadInputError('validation_failed', faults);
  return values as T;
}

function rulesOf(request: Request): Rules {
  const template = (request.route as { path: string }).path.replace(/:(\w+)/g, '{$1}');
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  return documented.get(`${method} ${template}`) ?? new Map<string, Rule>();
}

function judge(
  request: Request,
  rules: Rules,
  isKnown: (name: string) => boolean,
): BadInputError | undefined {
  const repeated: InputFault[] = [];
  const unknown: InputFault[] = [];
  const malformed: InputFault[] = [];
  for (const [name, value] of Object.entries(request.query)) {
    const fault = (message: string): InputFault => ({ in: 'query', field: fieldName(name), message });
    const problem = Array.isArray(value) ? undefined : malformation(value as string, rules.get(name));
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

function malformation(value: string, rule: Rule | undefined): string | undefined {
  if (value === '') return 'must not be empty';
  if (CONTROL_CHARACTER.test(value)) return 'must not hold control characters';
  if (rule?.type === 'integer' && !WHOLE_NUMBER.test(value)) return 'must be a whole number';
  return undefined;
}

function breach(text: string, rule: Rule): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, maxLength = Infinity, pattern } = rule;
  if (rule.type === 'integer') {
    if (Number(text) < minimum) return `must be at least ${minimum}`;
    if (Number(text) > maximum) return `must be at most ${maximum}`;
    return undefined;
  }
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (pattern && !new RegExp(pattern).test(text)) return `must match ${pattern}`;
  return undefined;
}
