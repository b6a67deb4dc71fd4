import type { components } from '../openapi.ts';
import { fetchWithRetries } from '../retries.ts';

export type Hold = components['schemas']['HoldDetail'];
export type HoldItem = components['schemas']['HoldItem'];
export type BookingItem = components['schemas']['BookingItem'];
export type Tour = components['schemas']['TourDetail'];

export interface PlatformRequest {
  method?: string;
  /** Begins with a slash. Contains no text of a visitor but checked slugs and ids. */
  path: string;
  query?: URLSearchParams;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends one request to the platform, once: the visitor's page repeats it. @throws TourPlatformError */
export type CallPlatform = (request: PlatformRequest) => Promise<Response>;

export interface PlatformOptions {
  /** Address of the platform, without a path. */
  baseUrl: string;
  /** `svc_live_…`, with the scopes catalog:read, booking:create and booking:read. */
  apiKey: string;
  /** Most milliseconds of a call of the platform: 10,000 by default. */
  timeoutMs?: number;
}

/** @throws TypeError for an address that is none, or a missing key */
export function platformCaller({ baseUrl, apiKey, timeoutMs = 10_000 }: PlatformOptions): CallPlatform {
  if (!URL.canParse(baseUrl)) throw new TypeError('tourProxy: baseUrl must be the address of the platform.');
  if (typeof apiKey !== 'string' || apiKey === '') throw new TypeError('tourProxy: apiKey is missing.');
  const base = baseUrl.replace(/\/+$/, '');
  const limits = { maxTries: 1, timeoutMs, totalTimeoutMs: timeoutMs };
  return ({ method = 'GET', path, query, body, headers = {} }) => {
    const search = query === undefined || query.size === 0 ? '' : `?${query.toString()}`;
    const sent: Record<string, string> = { Authorization: `Bearer ${apiKey}`, ...headers };
    if (body !== undefined) sent['Content-Type'] = 'application/json';
    const text = body === undefined ? undefined : JSON.stringify(body);
    return fetchWithRetries(new Request(base + path + search, { method, headers: sent, body: text }), limits);
  };
}
