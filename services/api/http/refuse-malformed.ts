import type { NextFunction, Request, Response } from 'express';
import {
  malformationOf,
  PARSED_HEADER_MAX,
  type RequestMalformation,
} from '../../platform/http/malformed-request';
import { handleError } from './error-handler';
import { badInput } from './http.errors';

const UNREADABLE_BODY = badInput('validation_failed', 'body', 'body', 'could not be read');
const MESSAGES: Record<RequestMalformation['reason'], string> = {
  unreadable: 'could not be read as HTTP/1.1',
  too_slow: 'did not come in time',
  headers_too_large: 'has more than 16 KiB of headers',
  too_many_headers: 'has more than 100 headers',
  header_too_long: `must have at most ${PARSED_HEADER_MAX} characters`,
  host: 'must be sent once',
};

/** Refuses a request that platform/http found malformed. */
export function refuseMalformedRequest(request: Request, _response: Response, next: NextFunction): void {
  const malformation = malformationOf(request);
  if (!malformation) return next();
  next(badInput('validation_failed', 'header', malformation.header, MESSAGES[malformation.reason]));
}

/** Answers a request whose body broke off, or did not come in time. */
export function refuseUnreadableBody(request: Request, response: Response): void {
  handleError(UNREADABLE_BODY, request, response, () => {});
}
