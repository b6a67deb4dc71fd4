import ipaddr from 'ipaddr.js';
import type { Request } from 'express';
import {
  CredentialError,
  InvalidApiKeyError,
  InvalidWidgetTokenError,
  WrongCredentialTypeError,
} from '../credentials/credential.errors';
import { verifyEmbedPass } from '../credentials/embed-pass';
import type { ApiKeyPrincipal, WidgetPrincipal } from '../credentials/principal';
import type { Scope } from '../credentials/scope';
import { parseToken } from '../credentials/token-format';
import { verifyApiKey } from '../credentials/verify-api-key';
import { verifyWidgetToken } from '../credentials/verify-widget-token';
import { contextOf } from './api-context';
import { credentialOf } from './credentials-of-request';
import { RateLimitedError } from './http.errors';

export type Principal = ApiKeyPrincipal | WidgetPrincipal;

const FAILURES_PER_MINUTE = 60;
/** When the two channels beside the recommended ones were declared deprecated (RFC 9745). They stay supported. */
const DEPRECATED_SINCE = '@1795132800';

const principals = new WeakMap<object, Principal>();

/**
 * tsoa calls this before anything else of a route: credential, tenant and scope are judged anew on every request, by what the
 * lease lets this process remember of them (ADR 19).
 */
export async function expressAuthentication(
  request: Request,
  scheme: string,
  scopes?: string[],
): Promise<Principal> {
  const principal =
    scheme === 'apiKey'
      ? await authenticateApiKey(request, scopes![0] as Scope)
      : await authenticateWidget(request);
  principals.set(request, principal);
  contextOf(request).uses.note(principal, comesFromBrowser(request));
  return principal;
}

export function principalOf(request: Request): Principal | undefined {
  return principals.get(request);
}

/** The tenant's server behind a request of a route that @Security('apiKey') guards. */
export function apiKeyPrincipalOf(request: Request): ApiKeyPrincipal {
  return principals.get(request) as ApiKeyPrincipal;
}

/** The browser's token behind a request of a route that the widget scheme guards. */
export function widgetPrincipalOf(request: Request): WidgetPrincipal {
  return principals.get(request) as WidgetPrincipal;
}

async function authenticateApiKey(request: Request, scope: Scope): Promise<ApiKeyPrincipal> {
  const credential = credentialOf(request);
  if (!credential) throw new InvalidApiKeyError();
  noteDeprecated(request);
  const { credentials, secrets } = contextOf(request);
  return boundGuessing(request, verifyApiKey(credentials, secrets.keyPepper, credential.token, scope));
}

async function authenticateWidget(request: Request): Promise<WidgetPrincipal> {
  const credential = credentialOf(request);
  if (!credential) throw new InvalidWidgetTokenError();
  noteDeprecated(request);
  const { credentials, secrets } = contextOf(request);
  const { channel, token } = credential;
  const verification =
    channel === 'pass'
      ? verifyEmbedPass(credentials, secrets.cursorKey, token)
      : verifyWidgetToken(credentials, secrets.keyPepper, token);
  return boundGuessing(request, verification).catch((error: unknown) => {
    // A page with an API key in the place of its widget token shows nothing, but the key is there for all to read.
    const leaked = error instanceof WrongCredentialTypeError && comesFromBrowser(request);
    if (leaked) contextOf(request).uses.noteLeak(parseToken(token)!.id);
    throw error;
  });
}

/**
 * Marks that browsers set and pages cannot leave out. Sec-Fetch-Mode is none of them: the fetch of Node sends it too (seen, 20.20).
 */
function comesFromBrowser({ headers }: Request): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/** Sixty unproven failures a minute from one address, then 429. Who proves a secret, or sends none, does not count. */
async function boundGuessing<T>(request: Request, verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    if (!(error instanceof CredentialError) || error.proven) throw error;
    const bucket = `auth-failure:${networkOf(request.ip)}`;
    const quota = await contextOf(request).quotas.consume(bucket, FAILURES_PER_MINUTE);
    if (!quota.allowed) throw new RateLimitedError(quota.resetSeconds);
    throw error;
  }
}

/** An IPv6 host owns a /64, so that is what is counted. */
export function networkOf(address: string | undefined): string {
  if (!address || !ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  return ipaddr.fromByteArray([...ip.toByteArray().slice(0, 8), 0, 0, 0, 0, 0, 0, 0, 0]).toString();
}

function noteDeprecated(request: Request): void {
  if (request.query.api_key === undefined && request.headers['x-svc-widget-token'] === undefined) return;
  request.res!.setHeader('Deprecation', DEPRECATED_SINCE);
}
