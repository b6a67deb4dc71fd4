import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { AppError, sqlState } from '../../../platform/errors';
import type { Logger } from '../../../platform/logger';
import { refusalPage } from '../pages/plain-pages';
import type { Viewer } from '../html/viewer';
import { notThere, Refusal } from './refusal';
import { requestIdOf } from '../../../platform/request-id';

type ErrorHandler = (error: unknown, request: Request, response: Response, next: NextFunction) => void;

/** Every refusal and every fault ends here, and becomes a page. */
export function handleErrors(log: Logger): ErrorHandler {
  return (thrown, request, response, _next) => {
    const refusal = thrown instanceof Refusal ? thrown : understand(thrown);
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

/** For a path that exists, under a method that it does not take. */
export function refuseMethod(methods: string[]): RequestHandler {
  const known = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const allowed = [...known, 'OPTIONS'].join(', ');
  return (request, response) => {
    response.setHeader('Allow', allowed);
    if (request.method !== 'OPTIONS') throw new Refusal(405, `This address takes ${allowed}.`);
    response.status(204).end();
  };
}

/** What the parsers of path and form throw, by its status. */
const UNREADABLE: Record<number, string> = {
  400: 'The request could not be read.',
  413: 'The form is too large.',
  415: 'The form is written in a way that is not understood here.',
};

function understand(error: unknown): Refusal {
  if (error instanceof AppError)
    return new Refusal(error.code.endsWith('_not_found') ? 404 : 409, error.message);
  const { status = 0 } = (error ?? {}) as { status?: number };
  if (UNREADABLE[status]) return new Refusal(status, UNREADABLE[status]);
  if (isLostDatabase(error)) return notThere();
  return new Refusal(500, 'Something failed on our side. The log of the webhook queue says what.');
}

/** No connection is to be had, or the server said goodbye. */
function isLostDatabase(error: unknown): boolean {
  const {
    code = '',
    name,
    message = '',
  } = (error ?? {}) as { code?: string; name?: string; message?: string };
  if (name === 'KnexTimeoutError' || /^(Connection terminated|Query read timeout)/.test(message)) return true;
  return (
    /^(08|28|3D|57P|53300)/.test(sqlState(error) ?? '') ||
    /^E(CONN|HOST|NET|NOTFOUND|PIPE|TIMEDOUT)/.test(code)
  );
}
