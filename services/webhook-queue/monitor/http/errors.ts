import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError, isDatabaseAway } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { refusalPage, type Viewer } from '../pages/layout';
import { requestIdOf } from '../../../platform/http/request-log';
import { PARSED_HEADER_MAX, type RequestMalformation } from '../../../platform/http/malformed-request';

/** Ends a request with a page that explains the reason. The text never repeats input of the client. */
export class RequestRefusal extends Error {
  constructor(
    readonly status: number,
    text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(text);
    this.name = 'Refusal';
  }
}

export function notFound(): RequestRefusal {
  return new RequestRefusal(404, 'This page does not exist.');
}

export function databaseUnavailable(): RequestRefusal {
  return new RequestRefusal(503, 'The database is unavailable. Try again in a few seconds.', {
    'Retry-After': '5',
  });
}

type ErrorHandler = (error: unknown, request: Request, response: Response, next: NextFunction) => void;

/** Answers every refusal and every unexpected error with a page. */
export function handleErrors(log: Logger): ErrorHandler {
  return (thrown, request, response, _next) => {
    const refusal = thrown instanceof RequestRefusal ? thrown : toRefusal(thrown);
    if (refusal !== thrown && refusal.status >= 500)
      log.error({ err: thrown, request_id: requestIdOf(request) }, 'failed');
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const viewer = response.locals.viewer as Viewer | undefined;
    response.status(refusal.status).set({ 'Cache-Control': 'no-store', ...refusal.headers });
    response.type('html').send(refusalPage(refusal.status, refusal.message, viewer));
  };
}

/** Answers a request whose body is incomplete or too late. */
export function refuseUnreadableForm(log: Logger): (request: Request, response: Response) => void {
  const refuse = handleErrors(log);
  return (request, response) =>
    refuse(new RequestRefusal(400, 'The request could not be read.'), request, response, () => {});
}

/** Refuses a method that an existing path does not support, and answers OPTIONS. */
export function refuseMethod(methods: string[]): RequestHandler {
  const known = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const allowed = [...known, 'OPTIONS'].join(', ');
  return (request, response) => {
    response.setHeader('Allow', allowed);
    if (request.method !== 'OPTIONS') throw new RequestRefusal(405, `This path supports ${allowed}.`);
    response.status(204).end();
  };
}

/** Texts for the errors of express's parsers, by status. */
const UNREADABLE: Record<number, string> = {
  400: 'The request could not be read.',
  413: 'The form is too large.',
  415: 'The encoding of the form is not supported.',
};

function toRefusal(error: unknown): RequestRefusal {
  if (error instanceof AppError)
    return new RequestRefusal(error.code.endsWith('_not_found') ? 404 : 409, error.message);
  const { status = 0 } = (error ?? {}) as { status?: number };
  if (UNREADABLE[status]) return new RequestRefusal(status, UNREADABLE[status]);
  if (isDatabaseAway(error)) return databaseUnavailable();
  return new RequestRefusal(500, 'An internal error occurred. See the log of the webhook queue.');
}

const REFUSALS: Record<RequestMalformation['reason'], [status: number, text: string]> = {
  unreadable: [400, 'The request could not be read.'],
  too_slow: [408, 'The request took too long to arrive.'],
  headers_too_large: [431, 'The request has more than 16 KiB of headers.'],
  too_many_headers: [431, 'The request has more than 100 headers.'],
  header_too_long: [431, `The request has a header of more than ${PARSED_HEADER_MAX} characters.`],
  host: [400, 'The request must have exactly one Host header.'],
};

export function refusalOfMalformed({ reason }: RequestMalformation): RequestRefusal {
  return new RequestRefusal(...REFUSALS[reason]);
}
