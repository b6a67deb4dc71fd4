import { pipeline } from 'node:stream/promises';
import type { Request as HttpRequest } from 'express';
import { contextOf } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { setCaching } from '../http/caching';
import { RateLimitedError } from '../http/http.errors';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';

/** Lets one list of a kind a key run at a time. @throws RateLimitedError after two seconds of waiting (429) */
export async function inTurnOfKey(
  request: HttpRequest,
  kind: 'products' | 'bookings',
  send: () => Promise<void>,
): Promise<void> {
  const { familyId } = apiKeyPrincipalOf(request);
  try {
    await contextOf(request).singleFlight(`octo ${kind} ${familyId}`, send);
  } catch (error) {
    throw error instanceof IdempotencyInProgressError ? new RateLimitedError(1) : error;
  }
}

/**
 * Sends the texts as one JSON answer, no faster than the client reads. An error before the first text has an answer of its own.
 * @param caching the value of Cache-Control
 */
export async function sendTexts(
  request: HttpRequest,
  texts: AsyncGenerator<string>,
  caching: string,
): Promise<void> {
  const response = request.res!;
  const first = await texts.next();
  setCaching(request, caching);
  response.type('application/json').status(200);
  const all = async function* () {
    if (!first.done) yield first.value;
    yield* texts;
  };
  try {
    await pipeline(all, response);
  } catch (error) {
    // The client left.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
