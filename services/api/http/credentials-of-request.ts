import type { Request } from 'express';
import { badInput, type BadInputError } from './http.errors';

/**
 * The one credential that a request carries, from whichever of its channels.
 * @param channels the values found, by the channel's name; a repeated query parameter is an array
 * @throws BadInputError duplicate_parameter, multiple_credentials (400)
 */
function onlyOne(channels: Record<string, unknown>): { token: string; channel: string } | undefined {
  const sent = Object.entries(channels).filter(([, value]) => value !== undefined);
  for (const [field, value] of sent) {
    if (Array.isArray(value)) throw oneFault('duplicate_parameter', field, 'must be sent once');
  }
  const [first, ...others] = sent as [string, string][];
  if (!first) return undefined;
  const other = others.find(([, value]) => value !== first[1]);
  if (other) {
    throw oneFault('multiple_credentials', other[0], `must not differ from the credential in ${first[0]}`);
  }
  return { channel: first[0], token: first[1] };
}

/** `Authorization: Bearer` (the scheme in any case), or the query parameter api_key. */
export function apiKeyOf(request: Request): { token: string; channel: string } | undefined {
  assertOneHeader(request, 'authorization');
  const header = request.headers.authorization;
  const bearer = header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
  return onlyOne({ Authorization: bearer, api_key: request.query.api_key });
}

/** The query parameter token, the legacy header x-svc-widget-token, or the pass that stands in the embed page's own links. */
export function widgetTokenOf(request: Request): { token: string; channel: string } | undefined {
  assertOneHeader(request, 'x-svc-widget-token');
  const header = request.headers['x-svc-widget-token'];
  return onlyOne({ token: request.query.token, 'x-svc-widget-token': header, pass: request.query.pass });
}

/** Node keeps the first of two Authorization headers and drops the second (seen), so the raw ones are counted. */
function assertOneHeader(request: Request, name: string): void {
  const times = request.rawHeaders.filter(
    (header, index) => index % 2 === 0 && header.toLowerCase() === name,
  ).length;
  if (times > 1) throw oneFault('multiple_credentials', name, 'must be sent once');
}

function oneFault(
  code: 'duplicate_parameter' | 'multiple_credentials',
  field: string,
  message: string,
): BadInputError {
  const place = ['token', 'api_key', 'pass'].includes(field) ? 'query' : 'header';
  return badInput(code, place, field, message);
}
