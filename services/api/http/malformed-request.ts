import http from 'node:http';
import type { Socket } from 'node:net';
import type { Express, NextFunction, Request, Response } from 'express';
import { BadInputError } from './http.errors';

const unreadable = new WeakSet<object>();

/**
 * Node answers what its parser refuses with a bare 400, or 431 and 408, and an unknown Expect with a bare 417. Such a
 * request goes through the app like any other, so that its answer is one of ours, and the connection ends with it.
 */
export function answerMalformedRequests(server: http.Server, app: Express): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { _httpMessage: answering } = socket as unknown as { _httpMessage?: object };
    if (error.code === 'ECONNRESET' || !socket.writable || answering) {
      socket.destroy();
      return;
    }
    const request = Object.setPrototypeOf(new http.IncomingMessage(socket as Socket), app.request) as Request;
    const response = Object.setPrototypeOf(new http.ServerResponse(request), app.response) as Response;
    Object.assign(request, { method: 'GET', url: '/', httpVersion: '1.1' });
    unreadable.add(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once('finish', () => (socket as Socket).destroySoon());
    app(request, response);
  });
  // Sent by no client of ours and binding for no server (RFC 9110 section 10.1.1): answered as if it were not there.
  server.on('checkExpectation', app);
}

/** Two Host headers are one too many, and HTTP/1.1 has one (RFC 9112 section 3.2); Node takes the first of several (seen). */
export function refuseMalformedRequest(request: Request, _response: Response, next: NextFunction): void {
  if (unreadable.has(request)) return next(inHeader('request', 'could not be read as HTTP/1.1'));
  const hosts = request.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  ).length;
  const missing = hosts === 0 && request.httpVersion === '1.1';
  next(missing || hosts > 1 ? inHeader('Host', 'must be sent once') : undefined);
}

function inHeader(field: string, message: string): BadInputError {
  return new BadInputError('validation_failed', [{ in: 'header', field, message }]);
}
