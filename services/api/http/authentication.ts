import type { Request } from 'express';
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
 * Authenticates a request. tsoa calls it first in every route. Checks credential, tenant and scope on every request; the
 * read cache may hold them while it is valid (ADR 19). @Security of the controller names the scope.
 * credentials/verify-credential.ts compares it with those of the key, and throws InsufficientScopeError; problems.ts answers
 * `insufficient_scope` with 401, and error-handler.ts names the missing scope in WWW-Authenticate.
 */
export async function expressAuthentication(
  request: Request,
  scheme: string,
  scopes?: string[],
): Promise<Principal> {
  const usual = scheme === 'apiKey' ? cachedPrincipalOf(request, scopes![0] as Scope | undefined) : undefined;
  if (usual) {
    acceptPrincipal(request, usual);
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
  acceptPrincipal(request, principal);
  return principal;
}

/** Returns the caller if its API key is cached, and is the only credential of the request. Otherwise undefined: then all checks run. */
function cachedPrincipalOf(request: Request, scope: Scope | undefined): ApiKeyPrincipal | undefined {
  const { api_key, token, pass } = request.query;
  return (api_key ?? token ?? pass) === undefined ? cachedBearerOf(request, scope) : undefined;
}

const BEARER = 'Bearer ';

/**
 * Returns the caller if its API key is cached, has the scope, and is the only credential of the headers. Otherwise undefined: then all
 * checks run.
 */
export function cachedBearerOf(request: Request, scope: Scope | undefined): ApiKeyPrincipal | undefined {
  const { authorization, 'x-svc-widget-token': widgetToken } = request.headers;
  if (!authorization?.startsWith(BEARER) || widgetToken !== undefined) return undefined;
  if (countHeaders(request, 'authorization') > 1) return undefined;
  const digest = sha256Of(authorization.slice(BEARER.length), request.socket);
  return cachedApiKeyPrincipal(contextOf(request).credentials, digest, scope);
}

/** Records the verified caller of a request, for its handlers, its log line and the times of last use. */
export function acceptPrincipal(request: Request, principal: Principal): void {
  principals.set(request, principal);
  markSandbox(request, principal.tenant);
  contextOf(request).uses.record(principal, comesFromBrowser(request));
}

/** Marks every answer to a sandbox tenant, so that its client never takes a booking for a real one. */
function markSandbox({ res }: Request, { sandbox }: { sandbox: boolean }): void {
  if (sandbox) res!.setHeader('X-Sandbox', 'true');
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

/** Returns the public id of a well-formed credential for the log, of a refused one too. */
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

/** Records an API key that a page uses as its widget token: the API refuses it there, but every visitor can read it. */
function recordLeakedKey(request: Request): void {
  const token = credentialOf(request)?.token;
  const parsed = token === undefined ? undefined : parseToken(token);
  if (parsed?.kind === 'api_key' && comesFromBrowser(request)) contextOf(request).uses.recordLeak(parsed.id);
}

/**
 * Checks for headers that browsers always send. Sec-Fetch-Mode does not count: the fetch of Node 20.20 sends it too (observed).
 */
function comesFromBrowser({ headers }: Request): boolean {
  return headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
}

/** Limits guessing: 429 after sixty unproven failures a minute from one address. A proven or missing credential does not count. */
async function limitGuessing<T>(request: Request, verification: Promise<T>): Promise<T> {
  try {
    return await verification;
  } catch (error) {
    if (error instanceof WrongCredentialTypeError) recordLeakedKey(request);
    if (!(error instanceof CredentialError)) throw error;
    if (error.tenant) markSandbox(request, error.tenant);
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
 * Returns the only credential of a request, from any of its channels.
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
  /** All channels with this value. */
  channels: Channel[];
}

/** The channels of each kind of credential. The API refuses a credential in any other channel. */
const CHANNELS_OF: Record<CredentialKind, Channel[]> = {
  api_key: ['Authorization', 'api_key'],
  widget_token: ['token', 'x-svc-widget-token'],
};

/** Checks whether the request carries the credential in a channel of this kind. */
function isCarriedAs(kind: CredentialKind, { channels }: SentCredential): boolean {
  return channels.some((channel) => CHANNELS_OF[kind].includes(channel));
}

/**
 * Reads the credential of a request. API keys: `Authorization: Bearer` (the scheme in any case) and api_key. Widget tokens:
 * token, the legacy header, and the pass in the links of the embed page.
 */
function credentialOf(request: Request): SentCredential | undefined {
  assertOneHeader(request, 'authorization');
  assertOneHeader(request, 'x-svc-widget-token');
  const { authorization, 'x-svc-widget-token': header } = request.headers;
  const { api_key, token, pass } = request.query;
  // Ignores other schemes, because a proxy may use its own. A bearer without a token is invalid.
  const isBearer = /^bearer\b/i.test(authorization?.trim() ?? '');
  const bearer = isBearer ? (/^bearer +(\S+)$/i.exec(authorization!.trim())?.[1] ?? '') : undefined;
  return onlyOne({ Authorization: bearer, api_key, token, 'x-svc-widget-token': header, pass });
}

function assertOneHeader(request: Request, name: string): void {
  if (countHeaders(request, name) > 1) throw oneIssue('multiple_credentials', name, 'must be sent once');
}

/** Counts the raw headers, because Node keeps the first of two Authorization headers and drops the second (observed). */
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
