import type { NextFunction, Request, Response } from 'express';
import type { InputIssue } from '../../platform/errors';
import { calendarDateForm, instantForm } from '../../platform/forms/days';
import { CONTROL_CHARACTER } from '../../platform/forms/text-forms';
import { HAS_CONTROL_CHARACTER, lengthIssue } from '../../platform/forms/texts';
import openapi from '../generated/openapi.json';
import { type EarlyStep, withEarlyStep } from '../../platform/http/early-answer';
import { valueIssue } from './body-schema';
import { BadInputError, fieldName } from './http.errors';

/** Matches a whole number in its usual form, such as `10` or `-5`. Refuses `1e1`, `+5` and `05` as typing errors. */
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;

interface Rule {
  type: 'integer' | 'string';
  format?: string;
  enum?: string[];
  default?: number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: RegExp;
  required?: boolean;
}

type Rules = Map<string, Rule>;

interface DocumentedOperation {
  parameters: {
    in: string;
    name: string;
    required: boolean;
    schema: Omit<Rule, 'pattern'> & { pattern?: string };
  }[];
}

/** The query parameters in the OpenAPI entry of each route. A key is a method and a path: `get /api/tenant/catalog`. */
const documented = new Map<string, Rules>();
for (const [path, operations] of Object.entries(openapi.paths)) {
  for (const [method, { parameters }] of Object.entries(operations as Record<string, DocumentedOperation>)) {
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    documented.set(
      `${method} ${path}`,
      new Map(
        inQuery.map(({ name, required, schema: { pattern, ...schema } }) => [
          name,
          { ...schema, pattern: pattern === undefined ? undefined : new RegExp(pattern), required },
        ]),
      ),
    );
  }
}

/** Needs no check: an early answer was made for a request with the same query. */
const SAME_QUERY: EarlyStep = {};

/**
 * Refuses a repeated, empty or unknown parameter on server routes, so that a typing error never gives a wrong answer. Checks the complete
 * query by the OpenAPI entry of the route, so that one answer names all issues. The controller would find issues of dates only later.
 */
export const strictQuery = withEarlyStep((request: Request, _response: Response, next: NextFunction) => {
  const rules = rulesOf(request);
  const isKnown = (name: string) => rules.has(name) || name === 'api_key';
  next(undecodableIssue(request) ?? checkQuery(request, rules, isKnown));
}, SAME_QUERY);

/** Checks the query of widget routes. Accepts unknown parameters there, because sites append their own (utm_source). */
export const tolerantQuery = withEarlyStep((request: Request, _response: Response, next: NextFunction) => {
  next(undecodableIssue(request) ?? checkQuery(request, rulesOf(request), () => true));
}, SAME_QUERY);

/** Returns whether the query has no other parameters than those of the route and the widget token. */
export function hasOnlyDocumentedParameters(request: Request): boolean {
  const rules = rulesOf(request);
  return Object.keys(request.query).every((name) => rules.has(name) || name === 'token');
}

/**
 * Reads the query of a route by its OpenAPI entry. Leaves out unknown names. strictQuery or tolerantQuery must
 * have checked the values.
 */
export function documentedQuery<T>(request: Request): T {
  const values: Record<string, unknown> = {};
  for (const [name, rule] of rulesOf(request)) {
    const text = request.query[name] as string | undefined;
    if (text === undefined) values[name] = rule.default;
    else values[name] = rule.type === 'integer' ? Number(text) : text;
  }
  return values as T;
}

/** Returns the method and path of the request's OpenAPI entry: `get /api/tenant/tours/{id_or_slug}`. */
function operationOf(request: Request): string {
  const { path } = request.route as { path: string };
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  return `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

/** Caches the rules by Express's route, because a lookup by method and template takes 9 µs. */
const rulesByRoute = new WeakMap<object, Rules>();

function rulesOf(request: Request): Rules {
  const route = request.route as { path: string };
  const known = rulesByRoute.get(route);
  if (known) return known;
  const rules = documented.get(operationOf(request)) ?? new Map<string, Rule>();
  rulesByRoute.set(route, rules);
  return rules;
}

function checkQuery(
  request: Request,
  rules: Rules,
  isKnown: (name: string) => boolean,
): BadInputError | undefined {
  // Reads the query once, because Express parses it at each access.
  const { query } = request;
  const repeated: InputIssue[] = [];
  const unknown: InputIssue[] = [];
  const malformed: InputIssue[] = [];
  const issue = (name: string, message: string): InputIssue => ({
    in: 'query',
    field: fieldName(name),
    message,
  });
  for (const [name, value] of Object.entries(query)) {
    const problem = Array.isArray(value) ? undefined : issueOf(value as string, rules.get(name));
    if (!isKnown(name)) unknown.push(issue(name, 'is not a parameter of this call'));
    else if (Array.isArray(value)) repeated.push(issue(name, 'must be sent once'));
    else if (problem) malformed.push(issue(name, problem));
  }
  for (const [name, { required }] of rules) {
    if (required && query[name] === undefined) malformed.push(issue(name, 'is required'));
  }
  const issues = [...unknown, ...repeated, ...malformed];
  if (issues.length === 0) return undefined;
  if (issues.length === unknown.length) return new BadInputError('unknown_parameter', issues);
  return new BadInputError(
    issues.length === repeated.length ? 'duplicate_parameter' : 'validation_failed',
    issues,
  );
}

/**
 * Returns an error that names the parameters that are not percent-encoded UTF-8. Express would read their broken bytes as U+FFFD.
 */
function undecodableIssue({ url }: Request): BadInputError | undefined {
  const query = url.slice(url.indexOf('?') + 1);
  const broken = query.includes('%') ? query.split('&').filter((pair) => !isDecodable(pair)) : [];
  if (broken.length === 0) return undefined;
  const issues = broken.map((pair): InputIssue => ({
    in: 'query',
    field: fieldName(pair.split('=', 1)[0]!),
    message: 'must be percent-encoded UTF-8',
  }));
  return new BadInputError('validation_failed', issues);
}

/** Matches a percent sign that encodes nothing. It means itself, as in `q=100%`. */
const BARE_PERCENT = /%(?![0-9a-f]{2})/gi;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text.replace(BARE_PERCENT, '%25'));
    return true;
  } catch {
    return false;
  }
}

function issueOf(value: string, rule: Rule | undefined): string | undefined {
  if (value === '') return 'must not be empty';
  if (CONTROL_CHARACTER.test(value)) return HAS_CONTROL_CHARACTER;
  if (!rule) return undefined;
  if (rule.type !== 'integer') return valueIssue(value, rule) ?? textIssue(value, rule);
  return valueIssue(WHOLE_NUMBER.test(value) ? Number(value) : value, rule);
}

function textIssue(value: string, rule: Rule): string | undefined {
  const { format, maxLength = Infinity, pattern } = rule;
  if (format === 'date') return calendarDateForm(value).issue;
  if (format === 'date-time') return instantForm(value).issue;
  const tooLong = lengthIssue(value.normalize('NFC').trim(), maxLength);
  if (tooLong !== undefined) return tooLong;
  // Checks the pattern of `lang`. The other patterns only forbid control characters, and issueOf has already refused a value with control
  // characters.
  if (pattern?.test(value) === false) return 'must be a language tag such as de or pt-BR';
  return undefined;
}
