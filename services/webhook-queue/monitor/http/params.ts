import express, { type Request, type Response } from 'express';
import { CONTROL_CHARACTER } from '../../../platform/text-forms';
import type { Params } from '../queries/read-query';
import { Refusal } from './refusal';

const parseForm = express.urlencoded({ extended: false, limit: '16kb', parameterLimit: 50 });

/** Each at most once, and one line of text: a database refuses NUL, and nothing here has a second line. */
export function plainParams(given: Record<string, unknown>): Params {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw new Refusal(400, 'A parameter is given more than once.');
    if (CONTROL_CHARACTER.test(name + value))
      throw new Refusal(400, 'A parameter holds a control character, such as a line break.');
  }
  return { ...given } as Params;
}

/** The fields of a form; none where no body was sent. */
export async function readForm(request: Request, response: Response): Promise<Params> {
  const isEmpty = request.get('content-length') === '0';
  if (!isEmpty && request.is('urlencoded') === false)
    throw new Refusal(415, 'This takes the fields of a form.');
  await new Promise<void>((resolve, reject) => {
    parseForm(request, response, (error?: Error) => (error ? reject(error) : resolve()));
  });
  return plainParams((request.body ?? {}) as Record<string, unknown>);
}
