import type { Request } from 'express';
import { badInput, type BadInputError } from './http.errors';

/**
 * The one credential that a request carries, from whichever of its channels.
 * @param channels the values found, by the channel's name; a repeated query parameter is an array
 * @throws BadInputError duplicate_parameter, multiple_credentials (400)
 */
function onlyOne(channels: Record<Channel, unknown>): { token: string; channel: Channel } | undefined {
  const sent = Object.entries(channels).filter(([, value]) => value !== undefined);
  for (const [field, value] of sent) {
    if (Array.isArray(value)) throw oneFault('duplicate_parameter', field, 'must be sent once');
  }
  const [first, ...others] = sent as [Channel, string][];
  if (!first) return undefined;
  const other = others.find(([, value]) => value !== first[1]);
  if (other) {
    throw oneFault('multiple_credentials', other[0], `must not differ from the credential in ${first[0]}`);
  }
  return { channel: first[0], token: first[1] };
}

export type Channel = 'Authorization' | 'api_key' | 'token' | 'x-svc-widget-token' | 'pass';

/**
 * The credential of a request, wherever it stands and of whatever kind: `Authorization: Bearer` (the scheme in any case) and
 * api_key for an API key; token, the legacy header, and the pass of the embed page's own links for a widget token.
 */
export function credentialOf(request: Request): { token: string; channel: Channel } | undefined {
  assertOneHeader(request, 'authorization');
  assertOneHeader(request, 'x-svc-widget-token');
  const { authorization, 'x-svc-widget-token': header } = request.headers;
  const { api_key, token, pass } = request.query;
  // Another scheme is not ours to judge: a proxy before us may ask for one of its own. A bearer without a token is no good.
  const isBearer = /^bearer\b/i.test(authorization?.trim() ?? '');
  const bearer = isBearer ? (/^bearer +(\S+)$/i.exec(authorization!.trim())?.[1] ?? '') : undefined;
  return onlyOne({ Authorization: bearer, api_key, token, 'x-svc-widget-token': header, pass });
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
