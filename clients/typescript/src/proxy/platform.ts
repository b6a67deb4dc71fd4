import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { jsonObjectOf } from '../answers.ts';
import type { components } from '../openapi.ts';
import { errorOfAnswer, errorWithoutAnswer, type SentRequest } from '../retries.ts';
import { withinRange } from './options.ts';

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

/** A success of the platform, or a 304. */
export interface PlatformAnswer {
  status: number;
  headers: { get(name: string): string | null };
  /** The parsed body. Undefined: it has none. */
  json: unknown;
}

/** Sends one request to the platform, once: the visitor's page repeats it. @throws TourPlatformError */
export type CallPlatform = (request: PlatformRequest) => Promise<PlatformAnswer>;

export interface PlatformOptions {
  /** Address of the platform, without a path. */
  baseUrl: string;
  /** `svc_live_…`, with the scopes catalog:read, booking:create and booking:read. */
  apiKey: string;
  /** Most milliseconds of a call of the platform: 1 to 120,000, by default 10,000. */
  timeoutMs?: number;
}

/** @throws TypeError for an address that is none of HTTP, a key of another kind, and a time out of its range */
export function platformCaller({ baseUrl, apiKey, ...options }: PlatformOptions): CallPlatform {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError(
      'tourProxy: baseUrl must be the address of the platform. A build that runs your routes, as of Next and SvelteKit, needs it too.',
    );
  if (typeof apiKey !== 'string' || !apiKey.startsWith('svc_live_'))
    throw new TypeError('tourProxy: apiKey must be a key of the platform, svc_live_….');
  const timeoutMs = withinRange(options.timeoutMs, 'timeoutMs', 10_000, 120_000);
  const base = baseUrl.replace(/\/+$/, '');
  // Node's own client takes a third of the processor time of fetch.
  const { request: open, Agent } = base.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true });
  const server = urlToHttpOptions(new URL(base));
  const root = new URL(base).pathname.replace(/\/$/, '');
  return async ({ method = 'GET', path, query, body, headers = {} }) => {
    const address = query === undefined || query.size === 0 ? path : `${path}?${query.toString()}`;
    const sent: Record<string, string | number> = { Authorization: `Bearer ${apiKey}`, ...headers };
    const text = body === undefined ? undefined : JSON.stringify(body);
    if (text !== undefined) {
      sent['Content-Type'] = 'application/json';
      sent['Content-Length'] = Buffer.byteLength(text);
    }
    const request = { method, url: base + address, idempotencyKey: headers['Idempotency-Key'] };
    const client = open({ ...server, agent, method, path: root + address, headers: sent });
    const received = await receive(client, text, timeoutMs).catch((error: unknown) => {
      throw errorWithoutAnswer(request, error);
    });
    return answerOf(request, received);
  };
}

/** Sends a request, and reads its answer to the end. */
function receive(client: ClientRequest, text: string | undefined, timeoutMs: number): Promise<Received> {
  return new Promise<Received>((resolve, reject) => {
    const late = setTimeout(() => client.destroy(new Error(`timeout after ${timeoutMs} ms`)), timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(late);
      reject(error);
    };
    client.on('error', fail).once('response', (message) => {
      let body = '';
      message.setEncoding('utf8').on('error', fail);
      message.on('data', (chunk: string) => (body += chunk));
      message.once('end', () => {
        clearTimeout(late);
        resolve({ message, body });
      });
    });
    client.end(text);
  });
}

interface Received {
  message: IncomingMessage;
  body: string;
}

/** @throws TourPlatformError unless the answer is a success of the platform, or a 304 */
function answerOf(request: SentRequest, { message, body }: Received): PlatformAnswer {
  const headers = headersOf(message);
  const answer = {
    status: message.statusCode!,
    headers,
    json: jsonObjectOf(headers.get('Content-Type'), body),
  };
  const error = errorOfAnswer(request, answer);
  if (error) throw error;
  return answer;
}

function headersOf({ headers }: IncomingMessage): PlatformAnswer['headers'] {
  return { get: (name) => headers[name.toLowerCase()]?.toString() ?? null };
}
