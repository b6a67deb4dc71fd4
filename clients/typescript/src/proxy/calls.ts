import type { ProxyAnswer } from './answer.ts';
import { BODY_MAX, BOOKING_BODY_MAX } from './body.ts';
import { book, readBooking } from './bookings.ts';
import { changeHold, extendHold, placeHold, readHold, releaseHold } from './holds.ts';
import { Refusal } from './problems.ts';
import { slugOf } from './slug.ts';
import { checkAvailability, listDepartures, listTours, readTour } from './tours.ts';
import type { ProxyParts, Visit } from './visit.ts';

export type CallName =
  | 'listTours'
  | 'readTour'
  | 'listDepartures'
  | 'checkAvailability'
  | 'placeHold'
  | 'readHold'
  | 'changeHold'
  | 'releaseHold'
  | 'extendHold'
  | 'book'
  | 'readBooking';

/** One call that the proxy answers. All that is not in CALLS is refused without asking the platform. */
export interface ProxyCall {
  name: CallName;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the address of the proxy. `{slug}` is a slug or a UUID. */
  path: string;
  /** The parameters that the query may have. */
  query: readonly string[];
  /** True: the call belongs to a visitor, and so reads and sets the cookie. */
  ofVisitor: boolean;
  /** The most bytes of the body. */
  bodyMax: number;
  answer(parts: ProxyParts, visit: Visit): Promise<ProxyAnswer>;
}

const FILTERS = [
  'limit',
  'continent',
  'q',
  'cursor',
  'lang',
  'country',
  'tag',
  'departs_from',
  'departs_to',
  'duration_min',
  'duration_max',
  'sort',
];
const DATES = ['from', 'to', 'status', 'limit', 'cursor'];
const DEPARTURE = ['departure_date', 'departure_time', 'quantity'];
const TOUR = '/tours/{slug}';
const NONE: readonly string[] = [];

/** @rule which calls a page may make through the proxy: test/client/proxy-isolation.long.test.ts */
const CALLS: readonly ProxyCall[] = [
  tours('listTours', '/tours', FILTERS, listTours),
  tours('readTour', TOUR, ['lang'], readTour),
  tours('listDepartures', `${TOUR}/departures`, DATES, listDepartures),
  tours('checkAvailability', `${TOUR}/availability`, DEPARTURE, checkAvailability),
  visitors('placeHold', 'POST', '/hold', placeHold),
  visitors('readHold', 'GET', '/hold', readHold),
  visitors('changeHold', 'PATCH', '/hold', changeHold),
  visitors('releaseHold', 'DELETE', '/hold', releaseHold),
  visitors('extendHold', 'POST', '/hold/extend', extendHold),
  { ...visitors('book', 'POST', '/booking', book), bodyMax: BOOKING_BODY_MAX },
  visitors('readBooking', 'GET', '/booking', readBooking),
];

function tours(
  name: CallName,
  path: string,
  query: readonly string[],
  answer: ProxyCall['answer'],
): ProxyCall {
  return { name, method: 'GET', path, query, ofVisitor: false, bodyMax: BODY_MAX, answer };
}

function visitors(
  name: CallName,
  method: ProxyCall['method'],
  path: string,
  answer: ProxyCall['answer'],
): ProxyCall {
  return { name, method, path, query: NONE, ofVisitor: true, bodyMax: BODY_MAX, answer };
}

/**
 * The calls with the pattern of their path. A segment that is no slug reaches slugOf, which answers 404 for a tour. A slash at the end is
 * the same path: Next with `trailingSlash` and some CDNs add it.
 */
const PATTERNS = CALLS.map((call) => ({
  call,
  pattern: new RegExp(`^${call.path.replace('{slug}', '([^/]+)')}/?$`),
}));

/** A call that a request means. Undefined: an OPTIONS request asks for `allow` alone. */
export interface FoundCall {
  call: ProxyCall | undefined;
  slug: string;
  /** True: the path belongs to a visitor. */
  ofVisitor: boolean;
  /** The methods of the path, for the header Allow. */
  allow: string;
}

/**
 * Finds the call of a request by its undecoded path.
 * @throws Refusal not_found or tour_not_found (404), method_not_allowed (405)
 */
export function findCall(method: string, path: string): FoundCall {
  const onPath = PATTERNS.filter(({ pattern }) => pattern.test(path));
  if (onPath.length === 0) throw new Refusal('not_found', 'There is nothing at this path.');
  const methods = onPath.map(({ call }) => call.method);
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
  const wanted = method === 'HEAD' ? 'GET' : method;
  const found = onPath.find(({ call }) => call.method === wanted);
  if (!found && method !== 'OPTIONS')
    throw new Refusal('method_not_allowed', `This path accepts ${allow}.`, { headers: { Allow: allow } });
  const slug = onPath[0]!.pattern.exec(path)![1];
  const { ofVisitor } = onPath[0]!.call;
  return { call: found?.call, slug: slug === undefined ? '' : slugOf(slug), ofVisitor, allow };
}
