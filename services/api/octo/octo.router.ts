import { pipeline } from 'node:stream/promises';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { CachedReads } from '../../platform/read-cache/read-cache';
import { cachedTenantLanguages, reducePreference } from '../catalog/catalog-languages';
import type { PreferredLanguages } from '../catalog/tour-text';
import type { Scope } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import { contextOf } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { setCaching } from '../http/caching';
import { bookingBody } from '../http/json-body';
import { shareOf } from '../http/read-share';
import { preferredTags } from '../http/preferred-languages';
import { type BookingView, type OctoBooking, toOctoBooking } from './booking.dto';
import { type OctoCapability, readCapabilities } from './capabilities';
import { badOctoRequest } from './octo.errors';
import { type StoredOctoBooking, withItsCatalog } from './stored-octo-booking';

/** Sets the header Octo-Capabilities of every answer below /octo, also of errors. */
export function registerOcto(app: Express): void {
  app.use('/octo', (request, response, next) => {
    response.setHeader('Octo-Capabilities', capabilitiesOf(request).join(', '));
    next();
  });
}

export function capabilitiesOf(request: Request): OctoCapability[] {
  return readCapabilities(request.get('octo-capabilities'));
}

/** The language of an answer without texts of the catalog, for a tenant that sees no tour. */
const DEFAULT_LANGUAGE = 'en';

/**
 * Sets Content-Language and Available-Languages, which OCTO requires with octo/content. An answer has one language: the first preferred one
 * that the tenant's tours have, otherwise the most frequent own language of these tours.
 * @param preferred the languages in which the answer shows tours; undefined: it shows them in their own language
 */
export async function setContentLanguages(request: Request, preferred?: PreferredLanguages): Promise<void> {
  if (!hasContent(request)) return;
  // A write waits for no read of its key.
  const reads = request.method === 'GET' ? shareOf(request).cached() : contextOf(request);
  const available = await cachedTenantLanguages(reads, apiKeyPrincipalOf(request).tenant);
  const chosen = preferred?.flat().find((language) => available.includes(language));
  request.res!.setHeader('Content-Language', chosen ?? available[0] ?? DEFAULT_LANGUAGE);
  request.res!.setHeader('Available-Languages', available.join(', ') || DEFAULT_LANGUAGE);
  if (preferred) request.res!.vary('Accept-Language');
}

/** Sets Content-Language of an answer that shows one tour. @param language the language of the shown name */
export function setLanguageOfTour(
  request: Request,
  preferred: PreferredLanguages | undefined,
  language: string,
): void {
  if (!hasContent(request)) return;
  request.res!.setHeader('Content-Language', language);
  if (preferred) request.res!.vary('Accept-Language');
}

/**
 * Returns the languages in which an answer shows tours. Undefined: their own ones, also without octo/content.
 * @param lang the parameter of the query; undefined: Accept-Language chooses
 */
export async function contentWishOf(
  request: Request,
  reads: CachedReads,
  lang?: string,
): Promise<PreferredLanguages | undefined> {
  return hasContent(request) ? reducePreference(reads, preferredTags(request, lang)) : undefined;
}

function hasContent(request: Request): boolean {
  return capabilitiesOf(request).includes('octo/content');
}

/**
 * Sets Octo-Env: `test` for a sandbox tenant, else `live`. Refuses a request that names the other environment, because a test booking must
 * not take a real seat. Sets the languages of octo/content. Runs after authentication.
 */
export function octoEnvironment(request: Request, response: Response, next: NextFunction): void {
  const { sandbox } = apiKeyPrincipalOf(request).tenant;
  const environment = sandbox ? 'test' : 'live';
  response.setHeader('Octo-Env', environment);
  const expected = request.headers['octo-env'];
  const isOther = (expected === 'test' || expected === 'live') && expected !== environment;
  if (isOther) return next(badOctoRequest(`This key is for Octo-Env: ${environment}.`));
  setContentLanguages(request).then(() => next(), next);
}

/**
 * Refuses a key that has none of the scopes, before the booking is read, so that the answer is the same for every UUID. The controller then
 * checks the scope that the booking needs.
 * @param scopes the first one is named in the refusal
 */
export function anyScope(...scopes: [Scope, ...Scope[]]): RequestHandler {
  return (request, _response, next) => {
    const principal = apiKeyPrincipalOf(request);
    if (!scopes.some((scope) => principal.scopes.includes(scope))) assertScope(principal, scopes[0]);
    next();
  };
}

/** Reads a JSON body of at most 64 KiB. Fifty unit items with a contact each are larger than the 16 KiB that other routes read. */
export const octoBody: RequestHandler = (request, response, next) =>
  bookingBody(request, response, (error?: unknown) =>
    next(error ?? (isDeep(request.body) ? badOctoRequest('The body is nested too deeply.') : undefined)),
  );

const DEPTH_MAX = 32;

/**
 * Returns true for a body that is nested deeper than 32 levels. Such a body is refused, because the fingerprint of an Idempotency-Key is
 * computed recursively, and unknown fields may have any depth.
 */
function isDeep(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; depth <= DEPTH_MAX && level.length > 0; depth += 1)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  return level.length > 0;
}

/** Returns the values of the request on which the answer of a booking depends. */
export async function bookingViewOf(request: Request, reads: CachedReads): Promise<BookingView> {
  return {
    tenant: apiKeyPrincipalOf(request).tenant,
    capabilities: capabilitiesOf(request),
    baseUrl: contextOf(request).config.publicBaseUrl,
    preferred: await contentWishOf(request, reads),
  };
}

/** Returns the answer with a booking that the request has not changed. */
export async function answerBooking(
  request: Request,
  reads: CachedReads,
  booking: StoredOctoBooking,
): Promise<OctoBooking> {
  const view = await bookingViewOf(request, reads);
  const shown = await withItsCatalog(reads.db, view, booking);
  setLanguageOfTour(request, view.preferred, shown.language);
  return toOctoBooking(shown, view);
}

/**
 * Sends the texts as one JSON answer, no faster than the client reads. An error before the first text becomes an error answer.
 * @param caching the value of Cache-Control
 */
export async function sendTexts(
  request: Request,
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
    // Ignores the error of a connection that the client closed.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}
