import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, NextFunction, Request, Response } from 'express';
import { handleError } from './error-handler';
import { badInput } from './http.errors';

const unreadable = new WeakSet<object>();
const UNREADABLE_BODY = badInput('validation_failed', 'body', 'body', 'could not be read');

/**
 * Node answers what its parser refuses with a bare 400, or 431 and 408, and an unknown Expect with a bare 417. Here such a
 * request gets an answer of ours, and the connection ends with it.
 */
export function answerMalformedRequests(server: http.Server, app: Express): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const { _httpMessage: inFlight } = socket as unknown as { _httpMessage?: Response };
    const bodyIsUnreadable = inFlight && !inFlight.headersSent && !inFlight.req.complete;
    if (error.code === 'ECONNRESET' || !socket.writable || (inFlight && !bodyIsUnreadable)) {
      socket.destroy();
      return;
    }
    const response = inFlight ?? openResponse(socket, app);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.destroySoon());
    if (inFlight) handleError(UNREADABLE_BODY, response.req, response, () => {});
    else app(response.req, response);
  });
  // Sent by no client of ours and binding for no server (RFC 9110 section 10.1.1): answered as if it were not there.
  server.on('checkExpectation', app);
}

/** A request that never came about goes through the app like any other, so that it is named, logged and answered. */
function openResponse(socket: Socket, app: Express): Response {
  const request = Object.setPrototypeOf(new http.IncomingMessage(socket), app.request) as Request;
  const response = Object.setPrototypeOf(new http.ServerResponse(request), app.response) as Response;
  Object.assign(request, { method: 'GET', url: '/', httpVersion: '1.1' });
  unreadable.add(request);
  response.assignSocket(socket);
  return response;
}

/** Two Host headers are one too many, and HTTP/1.1 has one (RFC 9112 section 3.2); Node takes the first of several (seen). */
export function refuseMalformedRequest(request: Request, _response: Response, next: NextFunction): void {
  if (unreadable.has(request))
    return next(badInput('validation_failed', 'header', 'request', 'could not be read as HTTP/1.1'));
  const hosts = request.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  ).length;
  const missing = hosts === 0 && request.httpVersion === '1.1';
  next(
    missing || hosts > 1 ? badInput('validation_failed', 'header', 'Host', 'must be sent once') : undefined,
  );
}
