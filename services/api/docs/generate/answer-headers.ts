import { type ProblemCode, PROBLEMS } from '../../http/problems';
import type { Answer, Header, OpenApiOperation, Reference } from '../openapi-document';
import { takesKey } from './shared-parts';
import { CURSOR } from './wire-names';

/** Ends the name of each component that describes a header as optional. */
const OPTIONAL = '.optional';

const QUOTA = ['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Operations whose answer has an ETag, so that a client may store the answer, and revalidate it with If-None-Match. */
const HAVE_ETAG = ['listFilters', 'listTours', 'readTour', 'listDepartures', 'listWidgetTours'];

export function hasETag({ operationId }: OpenApiOperation): boolean {
  return HAVE_ETAG.includes(operationId);
}

export function isOcto({ tags }: OpenApiOperation): boolean {
  return tags.includes('OCTO');
}

function hasLanguages({ parameters }: OpenApiOperation): boolean {
  return parameters.some(({ name }) => name === 'lang');
}

/** Returns the headers of a success, or of a 304. */
export function successHeaders(
  method: string,
  operation: OpenApiOperation,
  answer: Answer,
): Answer['headers'] {
  const headers = ['X-Request-Id', 'X-Sandbox?', 'Deprecation?', 'Cache-Control', ...QUOTA];
  if (isOcto(operation))
    headers.push('Octo-Capabilities', 'Octo-Env', 'Content-Language?', 'Available-Languages?', 'Vary?');
  const isPage = operation.parameters.some(({ name }) => name === 'cursor');
  if (isPage && (!answer.content || 'application/json' in answer.content)) headers.push('Link?');
  if (takesKey(method, operation)) headers.push('Idempotent-Replayed?');
  if (hasETag(operation)) headers.push('ETag');
  if (operation.operationId === 'checkAvailability')
    headers.push('Age', 'Cache-Status', 'CDN-Cache-Control?', 'Vary');
  if (operation.operationId === 'listWidgetTours') headers.push('Vary', ...CORS);
  else if (hasLanguages(operation)) headers.push('Vary?');
  if (hasLanguages(operation)) headers.push('Content-Language?');
  return references(headers);
}

/** Returns the headers of a success of the embed page. */
export function pageHeaders(): Answer['headers'] {
  return references([
    'X-Request-Id',
    'X-Sandbox?',
    'Deprecation?',
    'Cache-Control',
    ...OF_PAGE,
    'Content-Language?',
    'Vary?',
    ...QUOTA,
  ]);
}

/** Returns the headers of an answer of a health check. */
export function healthHeaders(): Answer['headers'] {
  return references(['X-Request-Id', 'Cache-Control']);
}

/**
 * Returns the headers of a refusal with these codes. Describes the headers of authentication and of the quota as optional: a refusal of any
 * status may come before these steps.
 */
export function refusalHeaders(
  status: number,
  codes: ProblemCode[],
  operation: OpenApiOperation,
): Answer['headers'] {
  // Marks the headers that routes set as optional: a malformed request, or any request under load, may be refused before a route runs.
  const early = status === 400 || status === 503 ? '?' : '';
  const headers = ['X-Request-Id', 'Cache-Control'];
  if (operation.security.length > 0)
    headers.push('X-Sandbox?', 'Deprecation?', ...QUOTA.map((name) => `${name}?`));
  if (isOcto(operation)) headers.push(`Octo-Capabilities${early}`, 'Octo-Env?');
  if (operation.tags.includes('Widget')) headers.push(`Vary${early}`);
  if (operation.operationId === 'listWidgetTours') headers.push(...CORS);
  if (operation.operationId === 'showTours') headers.push(...OF_PAGE.map((name) => `${name}${early}`));
  if (status === 401) headers.push('WWW-Authenticate');
  if (codes.some((code) => PROBLEMS[code].retryable))
    headers.push(status === 429 || status === 503 ? 'Retry-After' : 'Retry-After?');
  return references(headers);
}

/** The headers of every answer of the embed page. */
const OF_PAGE = ['X-Robots-Tag', 'Cross-Origin-Embedder-Policy'];

/** The headers that allow a listed origin to read the answer. */
const CORS = ['Access-Control-Allow-Origin?', 'Access-Control-Expose-Headers?'];

/** @param headers names of headers; a ? at the end of a name marks a header that may be absent */
function references(headers: string[]): Record<string, Reference> {
  return Object.fromEntries(
    headers.map((name) => [
      name.replace('?', ''),
      { $ref: `#/components/headers/${name.replace('?', OPTIONAL)}` },
    ]),
  );
}

const whole = { type: 'integer', minimum: 0 };
const text = { type: 'string' };

const ALL: Record<string, Header> = {
  'X-Request-Id': {
    description:
      'The id that the request sent in this header, or a new one. Give it to the operator when you ask for help. An id has 1 to 128 characters of `A-Za-z0-9._:+/=-`, without `svc_`.',
    schema: text,
    example: '3b1b0c52-7d0a-4a64-9e0c-51b1f6a4c3de',
  },
  'X-Sandbox': {
    description: '`true` for a sandbox tenant, whose holds and bookings take no real seat; else absent.',
    schema: text,
    example: 'true',
  },
  'Content-Language': {
    description:
      'The language of the tours, if the request prefers a language and all tours of the answer are shown in one. OCTO: with `octo/content`, always.',
    schema: text,
    example: 'de',
  },
  'Available-Languages': {
    description: 'With `octo/content`: the languages in which the catalog has texts.',
    schema: text,
    example: 'en, de',
  },
  'Octo-Capabilities': {
    description: 'The capabilities in effect.',
    schema: text,
    example: 'octo/pricing',
  },
  'Octo-Env': {
    description: '`test` for a sandbox tenant, whose bookings take no real seat; else `live`.',
    schema: text,
    example: 'live',
  },
  'RateLimit-Policy': {
    description: 'The quota: q requests in w seconds. The window begins with its first request.',
    schema: text,
    example: '"hold";q=60;w=60',
  },
  RateLimit: {
    description:
      'The remaining quota: r requests; after t seconds, at most 60, the window ends and the quota is complete again.',
    schema: text,
    example: '"hold";r=58;t=41',
  },
  'RateLimit-Limit': { description: 'The value of q.', schema: whole, example: 60 },
  'RateLimit-Remaining': { description: 'The value of r.', schema: whole, example: 58 },
  'RateLimit-Reset': { description: 'The value of t.', schema: whole, example: 41 },
  'Retry-After': {
    description:
      'Seconds to wait before the same request may succeed. A 500 has it while the database is away.',
    schema: { ...whole, minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'RFC 6750; names the scope that is missing.',
    schema: text,
    example: 'Bearer realm="api", error="invalid_token"',
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer of an earlier request.',
    schema: text,
    example: 'true',
  },
  Link: {
    description: 'The next page, as `rel="next"`, without a credential; absent at the end.',
    schema: text,
    example: `<https://api.example.com/api/tenant/catalog?cursor=${CURSOR}>; rel="next"`,
  },
  ETag: {
    description: 'Version of this answer: send it as `If-None-Match` to get 304 while nothing has changed.',
    schema: text,
    example: '"oZCNiPkvUPLHnmL6NJZ7jJ2mBXs9nHbdw0tP8jwVJ6A"',
  },
  Age: { description: 'Seconds since the seats were counted.', schema: whole, example: 3 },
  'Cache-Status': {
    description: "RFC 9211: whether the count came from the API's cache.",
    schema: text,
    example: 'availability; hit',
  },
  'Cache-Control': {
    description:
      '`no-store` for errors, for answers that change at any time, and for a request with `api_key` in its address.',
    schema: text,
    example: 'private, no-cache',
  },
  'CDN-Cache-Control': {
    description: 'RFC 9213: only where the operator has set `CDN_CACHE`, for a CDN that checks keys itself.',
    schema: text,
    example: 'max-age=10, stale-while-revalidate=60',
  },
  Vary: {
    description: 'The headers of the request that the answer depends on.',
    schema: text,
    example: 'Origin',
  },
  Deprecation: {
    description: 'RFC 9745: the request carries its credential in a deprecated way, since this time.',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1795132800',
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the request, if the token lists it; else absent.',
    schema: text,
    example: 'https://www.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'The headers that a page of a listed origin may read.',
    schema: text,
    example: 'X-Request-Id, X-Sandbox, Retry-After',
  },
  'Cross-Origin-Embedder-Policy': {
    description: 'Pages with a header of this name may show the page in a frame too.',
    schema: { type: 'string', enum: ['credentialless'] },
    example: 'credentialless',
  },
  'X-Robots-Tag': {
    description: 'Search engines must not list the page.',
    schema: { type: 'string', enum: ['noindex'] },
    example: 'noindex',
  },
};

/** Describes each header twice: as always present, and as optional. Leaves out a description to which no answer refers. */
export function headerComponents(paths: object): Record<string, Header> {
  const described = JSON.stringify(paths);
  const isUsed = ([name]: [string, Header]) => described.includes(`/headers/${name}"`);
  const all = Object.entries(ALL).flatMap(([name, header]): [string, Header][] => [
    [name, { required: true, ...header }],
    [`${name}${OPTIONAL}`, header],
  ]);
  return Object.fromEntries(all.filter(isUsed));
}
