import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Scope } from '../credentials/credential';
import { assertScope } from '../credentials/verify-credential';
import type { ApiContext } from '../http/api-context';
import { apiKeyPrincipalOf } from '../http/authentication';
import { jsonBodyUpTo } from '../http/json-body';
import type { BookingView } from './booking';
import { type OctoCapability, readCapabilities } from './capabilities';
import { badOctoRequest } from './octo.errors';

/** Sets the headers of every answer below /octo, also of errors. */
export function registerOcto(app: Express): void {
  app.use('/octo', (request, response, next) => {
    response.setHeader('Octo-Capabilities', capabilitiesOf(request).join(', '));
    next();
  });
}

/** Returns the capabilities in effect. */
export function capabilitiesOf(request: Request): OctoCapability[] {
  return readCapabilities(request.get('octo-capabilities'));
}

/**
 * Says in Octo-Env whether the tenant's seats are real. Refuses a request that expects the other environment, because a test
 * booking must not take a real seat. Runs after authentication.
 */
export function octoEnvironment(request: Request, response: Response, next: NextFunction): void {
  const { sandbox } = apiKeyPrincipalOf(request).tenant;
  const environment = sandbox ? 'test' : 'live';
  response.setHeader('Octo-Env', environment);
  const expected = request.headers['octo-env'];
  const isOther = (expected === 'test' || expected === 'live') && expected !== environment;
  next(isOther ? badOctoRequest(`This key is for Octo-Env: ${environment}.`) : undefined);
}

/**
 * Refuses a key that has none of the scopes, with the same answer for every UUID. The call checks the scope that its booking needs.
 * @param scopes the first one is named in the refusal
 */
export function anyScope(...scopes: [Scope, ...Scope[]]): RequestHandler {
  return (request, _response, next) => {
    const principal = apiKeyPrincipalOf(request);
    if (!scopes.some((scope) => principal.scopes.includes(scope))) assertScope(principal, scopes[0]);
    next();
  };
}

const OCTO_BODY_MAX = 64 * 1024;

/** Reads a JSON body of at most 64 KiB: fifty unit items with a contact each are larger than the 16 KiB of other routes. */
export const octoBody: RequestHandler = (request, response, next) =>
  readOctoBody(request, response, (error?: unknown) =>
    next(error ?? (isDeep(request.body) ? badOctoRequest('The body is nested too deeply.') : undefined)),
  );

const readOctoBody = jsonBodyUpTo(OCTO_BODY_MAX);

const DEPTH_MAX = 32;

/** Returns true above 32 levels: unknown fields are accepted, and the fingerprint of an Idempotency-Key reads a body recursively. */
function isDeep(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; depth <= DEPTH_MAX && level.length > 0; depth += 1)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  return level.length > 0;
}

/** Returns how the bookings of the caller become answers. */
export function bookingViewOf(request: Request, { config }: ApiContext): BookingView {
  const { tenant } = apiKeyPrincipalOf(request);
  return { tenant, capabilities: capabilitiesOf(request), baseUrl: config.publicBaseUrl };
}
