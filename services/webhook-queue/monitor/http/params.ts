import express, { type NextFunction, type Request, type Response } from 'express';
import { readBody } from '../../../platform/http/request-body';
import { CONTROL_CHARACTER } from '../../../platform/text-forms';
import type { Params } from '../queries/read-query';
import { RequestRefusal } from './errors';

const LIMIT_BYTES = 16 * 1024;
const parseForm = readBody(
  express.urlencoded({ extended: false, limit: LIMIT_BYTES, parameterLimit: 50 }),
  LIMIT_BYTES,
);

/** Accepts each parameter once, as one line of text without control characters: PostgreSQL refuses NUL. */
export function plainParams(given: Record<string, unknown>): Params {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw new RequestRefusal(400, 'A parameter is given more than once.');
    if (CONTROL_CHARACTER.test(name + value))
      throw new RequestRefusal(400, 'A parameter holds a control character, such as a line break.');
  }
  return { ...given } as Params;
}

/** Reads the fields of a form. Returns no fields for an empty body. */
export async function readForm(request: Request, response: Response): Promise<Params> {
  const isEmpty = request.get('content-length') === '0';
  if (!isEmpty && request.is('urlencoded') === false)
    throw new RequestRefusal(415, 'Send the fields of a form.');
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error) => (error ? reject(error) : resolve());
    void parseForm(request, response, done as NextFunction);
  });
  return plainParams((request.body ?? {}) as Record<string, unknown>);
}
