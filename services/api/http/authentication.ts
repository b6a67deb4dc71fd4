import type { Request, Response } from 'express';
import {
  CredentialError,
  InvalidApiKeyError,
  InvalidWidgetTokenError,
  WrongCredentialTypeError,
} from '../credentials/credential.errors';
import { tokenIdOfPass, verifyEmbedPass } from '../credentials/embed-pass';
import { type CredentialKind, offeredToken, parseToken, sha256Of } from '../credentials/token';
import type { ApiKeyPrincipal, Scope, WidgetPrincipal } from '../credentials/credential';
import {
  cachedApiKeyPrincipal,
  refuseMisplaced,
  verifyApiKey,
  verifyKeyAgain,
  verifyWidgetToken,
} from '../credentials/verify-credential';
import { addressOf, networkOf } from '../../platform/http/client-address';
import { isHeaderName } from '../../platform/http/malformed-request';
import { contextOf } from './api-context';
import { badInput, type BadInputError, RateLimitedError } from './http.errors';

export type Principal = ApiKeyPrincipal | WidgetPrincipal;

const FAILURES_PER_MINUTE = 60;
/** Date of the deprecation of api_key and x-svc-widget-token (RFC 9745). Both stay supported. */
const DEPRECATED_SINCE = '@1795132800';

const principals = new WeakMap<object, Principal>();
/** The public id of each request's well-formed credential, proven or not. */
const offeredIds = new WeakMap<object, string>();

/**
 * Authenticates a request. Every route calls this function first. It checks the credential, the tenant and the scope on every
 * request, with data from the read cache while that is valid (ADR 19). The needed scope is named by @Security of the controller. If the key
 * lacks it, credentials/verify-credential.ts throws InsufficientScopeError, problems.ts answers `insufficient_scope` with 401, and
 * error-handler.ts names the missing scope in WWW-Authenticate.
 */
export async function authenticate(request: Request, scheme: string, scopes?: string[]): Promise<Principal> {
  const usual = scheme === 'apiKey' ? cachedPrincipalOf(request, scopes![0] as Scope | undefined) : undefined;
  if (usual) {
    acceptPrincipal(request, request.res!, usual);
    return usual;
  }
  const sent = credentialOf(request);
  if (!sent) throw scheme === 'apiKey' ? new InvalidApiKeyError() : new InvalidWidgetTokenError();
  setDeprecation(request);
  recordOfferedId(request, sent);
  const verification: Promise<Principal> =
    scheme === 'apiKey'
      ? verifyServer(request, sent, scopes![0] as Scope | undefined)
      : verifyWidget(request, sent);
  const principal = await limitGuessing(request, verification);
  acceptPrincipal(request, request.res!, principal);
  return principal;
}

/** Returns the caller if its API key is cached and is the only credential of the request. Undefined: all checks must run. */
function cachedPrincipalOf(request: Request, scope: Scope | undefined): ApiKeyPrincipal | undefined {
  const { api_key, token, pass } = request.query;
  return (api_key ?? token ?? pass) === undefined ? cachedBearerOf(request, scope) : undefined;
}

const BEARER = 'Bearer ';

/**
 * Returns the caller if its API key is cached, has the scope, and is the only credential in the headers. Undefined: all checks must run.
 */
export function cachedBearerOf(request: Request, scope: Scope | undefined): ApiKeyPrincipal | undefined {
  const { authorization, 'x-svc-widget-token': widgetToken } = request.headers;
  if (!authorization?.startsWith(BEARER) || widgetToken !== undefined) return undefined;
  if (countHeaders(request, 'authorization') > 1) return undefined;
  const digest = sha256Of(authorization.slice(BEARER.length), request.socket);
  return cachedApiKeyPrincipal(contextOf(request).credentials, digest, scope);
}

/**
 * Verifies the API key of a request again when its body has arrived, because the key may have been revoked since the request began. The
 * request continues as the caller with its present tenant and scopes.
 * @throws CredentialError
 * @rule the key of a request is verified again after its body: test/api/late-revocation.test.ts
 */
export async function authenticateAgain(request: Request): Promise<void> {
  const principal = apiKeyPrincipalOf(request);
  const cached = cachedBearerOf(request, principal.scope);
  principals.set(request, cached ?? (await verifyKeyAgain(contextOf(request).db, principal)));
}

/** Records the verified caller of a request, for its handlers, its log line and the times of last use. */
export function acceptPrincipal(request: Request, response: Response, principal: Principal): void {
  principals.set(request, principal);
  markSandbox(response, principal.tenant);
  contextOf(request).uses.record(principal, comesFromBrowser(request));
}

/** Marks every answer to a sandbox tenant, so that no client mistakes its bookings for real ones. */
function markSandbox(response: Response, { sandbox }: { sandbox: boolean }): void {
  if (sandbox) response.setHeader('X-Sandbox', 'true');
}

export function principalOf(request: Request): Principal | undefined {
  return principals.get(request);
}

/** Returns the caller of a route with @Security('apiKey'). */
export function apiKeyPrincipalOf(request: Request): ApiKeyPrincipal {
  return principals.get(request) as ApiKeyPrincipal;
}

/** Returns the caller of a route with the widget scheme. */
export function widgetPrincipalOf(request: Request): WidgetPrincipal {
  return principals.get(request) as WidgetPrincipal;
}

/** Returns the public id of the request's credential for the log, also if the credential is refused. Undefined: it is malformed. */
export function credentialIdOf(request: Request): string | undefined {
  const principal = principals.get(request);
  if (!principal) return offeredIds.get(request);
  return principal.kind === 'api_key' ? principal.keyId : principal.tokenId;
}

function recordOfferedId(request: Request, { token, channels }: SentCredential): void {
  const id = channels.includes('pass') ? tokenIdOfPass(token) : parseToken(token)?.id;
  if (id !== undefined) offeredIds.set(request, id);
}

async function verifyServer(
  request: Request,
  sent: SentCredential,
  scope: Scope | undefined,
): Promise<ApiKeyPrincipal> {
  const { credentials, secrets } = contextOf(request);
  if (isCarriedAs('api_key', sent)) return verifyApiKey(credentials, secrets.keyPepper, sent.token, scope);
  return refuseMisplaced(credentials, offeredToken(sent.token, secrets.keyPepper), 'api_key');
}

async function verifyWidget(request: Request, sent: SentCredential): Promise<WidgetPrincipal> {
  const { credentials, secrets } = contextOf(request);
  if (isCarriedAs('widget_token', sent)) {
    return verifyWidgetToken(credentials, secrets.keyPepper, sent.token);
  }
  if (sent.channels.includes('pass')) return verifyEmbedPass(credentials, secrets.cursorKey, sent.token);
  return refuseMisplaced(credentials, offeredToken(sent.token, secrets.keyPepper), 'widget_token');
}

/**
 * Records an API key that a web page sends in place of a widget token. The API refuses the request, but every visitor of the page can read
 * the key.
 */
function recordLeakedKey(request: Request): void {
  const token = credentialOf(request)?.token;
  const parsed = token === undefined ? undefined : parseToken(token);
  if (parsed?.kind === 'api_key' && comesFromBrowser(request)) contextOf(request).uses.recordLeak(parsed.id);
}

/**
 * Returns whether a browser sent the request, by headers that only browsers send. Sec-Fetch-Mode is not one of them: the fetch of Node
 * 20.20 sends it too (observed).
 */
function comesFromBrowser({ headers }: Request): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/**
 * Limits the guessing of secrets: after sixty failures in a minute from one network, answers 429. Only a malformed credential, an unknown
 * id or a wrong secret counts as a failure.
 */
async function limitGuessing<T>(request: Request, verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    if (error instanceof WrongCredentialTypeError) recordLeakedKey(request);
    if (!(error instanceof CredentialError)) throw error;
    if (error.tenant) markSandbox(request.res!, error.tenant);
    if (error.proven) throw error;
    const bucket = `auth-failure:${networkOf(addressOf(request))}`;
    const quota = await contextOf(request).quotas.consume(bucket, FAILURES_PER_MINUTE);
    if (!quota.allowed) throw new RateLimitedError(quota.resetSeconds);
    throw error;
  }
}

function setDeprecation(request: Request): void {
  if (request.query.api_key === undefined && request.headers['x-svc-widget-token'] === undefined) return;
  request.res!.setHeader('Deprecation', DEPRECATED_SINCE);
}

/**
 * Returns the credential of a request. The request may send it in several channels, but may not send two different credentials.
 * @param channels the value of each channel; a repeated query parameter is an array
 * @throws BadInputError duplicate_parameter, multiple_credentials (400)
 */
function onlyOne(channels: Record<Channel, unknown>): SentCredential | undefined {
  const sent = Object.entries(channels).filter(([, value]) => value !== undefined);
  for (const [field, value] of sent) {
    if (Array.isArray(value)) throw oneIssue('duplicate_parameter', field, 'must be sent once');
  }
  const [first, ...others] = sent as [Channel, string][];
  if (!first) return undefined;
  const other = others.find(([, value]) => value !== first[1]);
  if (other) {
    throw oneIssue('multiple_credentials', other[0], `must not differ from the credential in ${first[0]}`);
  }
  return { token: first[1], channels: sent.map(([name]) => name as Channel) };
}

export type Channel = 'Authorization' | 'api_key' | 'token' | 'x-svc-widget-token' | 'pass';

interface SentCredential {
  token: string;
  /** All channels in which the request sent this token. */
  channels: Channel[];
}

/** The channels of each kind of credential. The API refuses a credential in any other channel. */
const CHANNELS_OF: Record<CredentialKind, Channel[]> = {
  api_key: ['Authorization', 'api_key'],
  widget_token: ['token', 'x-svc-widget-token'],
};

/** Returns whether the request sent the credential in a channel of this kind. */
function isCarriedAs(kind: CredentialKind, { channels }: SentCredential): boolean {
  return channels.some((channel) => CHANNELS_OF[kind].includes(channel));
}

/**
 * Reads the credential of a request. API keys come in `Authorization: Bearer` (the scheme in any case) or in api_key. Widget tokens come in
 * token or in the legacy header; the links of the embed page have a pass instead.
 */
function credentialOf(request: Request): SentCredential | undefined {
  assertOneHeader(request, 'authorization');
  assertOneHeader(request, 'x-svc-widget-token');
  const { authorization, 'x-svc-widget-token': header } = request.headers;
  const { api_key, token, pass } = request.query;
  // Ignores other schemes, because a proxy may use one. `Bearer` without a token is an invalid credential.
  const isBearer = /^bearer\b/i.test(authorization?.trim() ?? '');
  const bearer = isBearer ? (/^bearer +(\S+)$/i.exec(authorization!.trim())?.[1] ?? '') : undefined;
  return onlyOne({ Authorization: bearer, api_key, token, 'x-svc-widget-token': header, pass });
}

function assertOneHeader(request: Request, name: string): void {
  if (countHeaders(request, name) > 1) throw oneIssue('multiple_credentials', name, 'must be sent once');
}

/** Counts the raw headers: in `headers`, Node keeps the first of two Authorization headers and drops the second (observed). */
function countHeaders({ rawHeaders }: Request, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHeaderName(rawHeaders[at]!, name)) count += 1;
  return count;
}

function oneIssue(
  code: 'duplicate_parameter' | 'multiple_credentials',
  field: string,
  message: string,
): BadInputError {
  const place = ['token', 'api_key', 'pass'].includes(field) ? 'query' : 'header';
  return badInput(code, place, field, message);
}
