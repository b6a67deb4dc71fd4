import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Request, Response } from 'express';
import { discardInput, lingerOnClose } from './connections';
import { createTurns, type RequestsInTurn } from './requests-in-turn';
import { expectContinue } from './request-body';

/** Answers a request whose body cannot be read. */
export type RefuseBody = (request: Request, response: Response) => void;

export interface RequestMalformation {
  reason: 'unreadable' | 'too_slow' | 'headers_too_large' | 'too_many_headers' | 'header_too_long' | 'host';
  /** The header's name, or `request` for the request line and all headers. */
  header: string;
}

const HEADERS_MAX = 100;
/**
 * Headers that are parsed as lists. The parsing time grows faster than the length. 15 KB of `a/b,` in Accept took 60 ms, and 15 KB of
 * trusted addresses in X-Forwarded-For took 110 ms. Clients send less than 500 characters.
 */
const PARSED_HEADERS = [
  'accept',
  'content-type',
  'if-none-match',
  'traceparent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];
export const PARSED_HEADER_MAX = 1024;
const BY_CODE: Record<string, RequestMalformation['reason']> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'too_slow',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};
/** Matches request targets with a path. Express would answer other targets by itself. */
const HAS_PATH = /^(\/|\*$|https?:\/\/)/i;
const malformed = new WeakMap<object, RequestMalformation>();

/**
 * Passes every request to the app. Without this function, Node would itself answer requests that its parser refuses, CONNECT requests, and
 * requests with an unknown Expect header.
 */
export function passRequests(
  server: http.Server,
  app: Express,
  requests: RequestsInTurn,
  refuseBody: RefuseBody,
): void {
  const limitEachTurn = createTurns(1);
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const last = requests.lastUnanswered(socket);
    // Sends no response if the client closed the connection before the headers of the request were complete, because nobody would read the
    // response.
    if (!last && error.code === 'HPE_INVALID_EOF_STATE') return void socket.destroy();
    if (!last) {
      discardInput(socket);
      // Answers only one unparsed request in each turn of the event loop. An answer takes a millisecond, so thousands in one turn would
      // delay all other requests.
      const reason = BY_CODE[error.code ?? ''] ?? 'unreadable';
      return limitEachTurn(() => answerUnparsed(socket, app, reason));
    }
    requests.endAfterLast(socket);
    if (last.request.complete) return;
    if (last.response.headersSent) socket.destroy();
    else if (last.hasBegun) refuseBody(last.request as Request, last.response as Response);
    // Marks the last request of the connection as malformed. The app refuses this request after it has answered the earlier ones.
    else malformed.set(last.request, { reason: 'unreadable', header: 'request' });
  });
  server.on('connect', (request, stream) => {
    const socket = stream as Socket;
    socket.on('error', () => socket.destroy());
    // Sets a path: a CONNECT request has none, and Express would itself answer a request without a path.
    request.url = '/';
    neutralize(request);
    if (requests.lastUnanswered(socket)) requests.endAfterLast(socket);
    else answerOn(socket, app, request as Request);
  });
  const receive: http.RequestListener = (request, response) => {
    neutralize(request);
    requests.listener(request, response);
  };
  server.on('request', receive);
  server.on('checkContinue', (request, response) => {
    expectContinue(request);
    receive(request, response);
  });
  // Passes on a request with an unknown Expect, which a server may ignore (RFC 9110 section 10.1.1).
  server.on('checkExpectation', receive);
}

/**
 * Replaces a request target without a path, and deletes headers that are too long to parse. Records the reason for which the app refuses
 * the request later.
 */
function neutralize(request: http.IncomingMessage): void {
  if (!HAS_PATH.test(request.url!)) {
    malformed.set(request, { reason: 'unreadable', header: 'request' });
    request.url = '/';
  }
  for (const header of PARSED_HEADERS) {
    const value = request.headers[header];
    if (value === undefined || value.length <= PARSED_HEADER_MAX) continue;
    malformed.set(request, { reason: 'header_too_long', header });
    delete request.headers[header];
  }
}

/** Passes an unparsed request through the app, so that it gets an id, a log line and a response. */
function answerUnparsed(socket: Socket, app: Express, reason: RequestMalformation['reason']): void {
  if (!socket.writable) return void socket.destroy();
  const request = Object.setPrototypeOf(new http.IncomingMessage(socket), app.request) as Request;
  request.method = 'GET';
  request.url = '/';
  request.httpVersion = '1.1';
  malformed.set(request, { reason, header: 'request' });
  answerOn(socket, app, request);
}

/** Lets the app answer a request outside Node's parser, then closes the connection. */
function answerOn(socket: Socket, app: Express, request: Request): void {
  const response = Object.setPrototypeOf(new http.ServerResponse(request), app.response) as Response;
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  lingerOnClose(socket);
  discardInput(socket);
  response.once('finish', () => socket.destroySoon());
  app(request, response);
}

/**
 * Returns why a request is malformed. HTTP/1.1 requires exactly one Host header (RFC 9112 section 3.2), but Node accepts several. Refuses
 * more than 100 headers: the work for a request grows with the number of headers, and clients send fewer.
 * @param isHostNeeded requires Host in HTTP/1.0 too
 */
export function malformationOf(
  request: Request,
  { isHostNeeded = false } = {},
): RequestMalformation | undefined {
  const known = malformed.get(request);
  if (known) return known;
  const { rawHeaders } = request;
  if (rawHeaders.length > 2 * HEADERS_MAX) return { reason: 'too_many_headers', header: 'request' };
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHeaderName(rawHeaders[at]!, 'host')) hosts += 1;
  const isMissing = hosts === 0 && (isHostNeeded || request.httpVersion === '1.1');
  return isMissing || hosts > 1 ? { reason: 'host', header: 'Host' } : undefined;
}

/** Returns false for a request whose line or headers could not be read: its path stands for an unknown one. */
export function isTargetKnown(request: Request): boolean {
  return malformed.get(request)?.header !== 'request';
}

/** Compares a header's name with a name in lower case. Compares the lengths first, because most lengths differ. */
export function isHeaderName(raw: string, name: string): boolean {
  return raw.length === name.length && raw.toLowerCase() === name;
}
