import type { Db } from '../../../platform/database/database';
import { findEndpointsOfHosts } from '../queries/endpoints.repository';
import { hostOf } from './formats';

interface Address {
  id: string;
  url: string;
}

/** Matches a part of a path that consists of words. Any other part, if it is longer than a number, may be a secret. */
const WORDS = /^[a-z]{1,24}([-_.][a-z]{1,24}){0,3}$/;
const NUMBER_LENGTH_MAX = 6;
/** Number of characters that a name contains of a part that may be a secret. */
const SHOWN_OF_SECRET = 4;
/** Number of characters of an id that distinguish endpoints with the same path. `tourctl` finds an endpoint by them. */
const SHOWN_OF_ID = 8;

/**
 * Names endpoints by their host. If several endpoints have the host, the name also has the end of the path, as far as the ends differ. A
 * name has neither the query nor a part of the path that may be a secret.
 * @returns the name of each endpoint, by id
 */
export async function nameEndpoints(db: Db, endpoints: readonly Address[]): Promise<Map<string, string>> {
  const hosts = [...new Set(endpoints.map(({ url }) => hostOf(url)))];
  const known = hosts.length > 0 ? await findEndpointsOfHosts(db, hosts) : [];
  return new Map(endpoints.map((endpoint) => [endpoint.id, nameAmong(endpoint, known)]));
}

/**
 * @param known all endpoints of the host
 * @rule what a page shows of an endpoint's address: test/webhook-queue/endpoint-names.test.ts
 */
export function nameAmong({ id, url }: Address, known: readonly Address[]): string {
  const host = hostOf(url);
  const others = known.filter((other) => other.id !== id && hostOf(other.url) === host);
  if (others.length === 0) return host;
  const otherEnds = others.map((other) => endsOf(other.url));
  const distinct = endsOf(url).find((end, index) =>
    otherEnds.every((ends) => (ends[index] ?? ends.at(-1)) !== end),
  );
  return `${host}${distinct ?? ` (${id.slice(0, SHOWN_OF_ID)})`}`;
}

/** Returns the ends of a path, from the last part to all parts. An end that leaves out a part begins with `/…`. */
function endsOf(url: string): string[] {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const parts = path.split('/').filter(Boolean).map(withoutSecret);
  if (parts.length === 0) return ['/'];
  return parts.map((_, index) => {
    const end = parts.slice(parts.length - 1 - index).join('/');
    return index === parts.length - 1 ? `/${end}` : `/…/${end}`;
  });
}

function withoutSecret(part: string): string {
  const isHarmless = part.length <= NUMBER_LENGTH_MAX || WORDS.test(part);
  return isHarmless ? part : `…${part.slice(-SHOWN_OF_SECRET)}`;
}
