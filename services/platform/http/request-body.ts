import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { lingerOnClose } from './connections';

const awaitsContinue = new WeakSet<IncomingMessage>();

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Marks a request whose client waits for `100 Continue`. readBody sends `100 Continue`. A refused request gets only its refusal. */
export function expectContinue(request: IncomingMessage): void {
  awaitsContinue.add(request);
}

/** Bytes of the largest accepted body. */
export const BODY_MAX = 16 * 1024;

/**
 * Runs a body parser of express. Refuses a body with a declared length above the maximum before it reads the body. Refuses a body without a
 * declared length when the received bytes exceed the maximum. The parsers alone would read such a body to its end.
 * @param max bytes
 */
export function readBody(parse: RequestHandler, max = BODY_MAX): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (Number(request.headers['content-length'] ?? 0) > max) return next(new BodyTooLargeError(max));
    if (awaitsContinue.delete(request)) response.writeContinue();
    let left = max;
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) finish(new BodyTooLargeError(max));
    };
    let isFinished = false;
    const finish = (error?: unknown) => {
      request.off('data', count);
      if (!isFinished) next(error);
      isFinished = true;
    };
    if (hasBody(request)) request.on('data', count);
    parse(request, response, finish);
  };
}

/** Has a status and the limit in bytes, like the errors of express's parsers. */
class BodyTooLargeError extends Error {
  readonly status = 413;

  constructor(readonly limit: number) {
    super('The body is too large.');
  }
}

/**
 * Ends the connection after a response that is sent before its request is read completely. Otherwise Node would read the remaining body,
 * without a limit, to find the next request.
 */
export function endConnectionOfUnreadBody(app: Express): void {
  const writeHead = ServerResponse.prototype.writeHead as (...args: unknown[]) => ServerResponse;
  const response = app.response as unknown as { writeHead: typeof writeHead };
  response.writeHead = function (this: Response, ...args: unknown[]) {
    if (!this.req.complete && hasBody(this.req)) {
      this.shouldKeepAlive = false;
      lingerOnClose(this.req.socket);
    }
    return writeHead.apply(this, args);
  };
}
