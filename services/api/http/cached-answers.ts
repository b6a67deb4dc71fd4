import type { Request, Response } from 'express';
import { type AnswerEarly, type EarlyStep, earlyStepsOf } from '../../platform/http/early-answer';
import { hasBody } from '../../platform/http/request-body';
import { nameRoute, routeOf } from '../../platform/http/request-log';
import type { CachedEntry, CachedReads, ReadCache } from '../../platform/read-cache/read-cache';
import { versionOfCaller } from '../credentials/credential';
import { sha256Of } from '../credentials/token';
import { cachedWidgetPrincipal } from '../credentials/verify-credential';
import { contextOf } from './api-context';
import { acceptPrincipal, cachedBearerOf, type Principal, principalOf } from './authentication';
import { ALREADY_SENT, type AnswerContent, sendContent } from './caching';
import { handleError } from './error-handler';
import { hasOnlyDocumentedParameters } from './query-parameters';
import { loadInShare, ReadShare, type RunRead, shareOf } from './read-share';
import { preferredTags } from './preferred-languages';

/*
 * Answers a repeated read with stored bytes, without Express (ADR 19). The first request passes all handlers of its route, and its
 * controller stores the answer. For the next request of the same tenant with the same target, only the early steps of these handlers run
 * (platform/http/early-answer.ts). A change clears the read cache, and with it the answers.
 */

/**
 * Reduces the language tags of a request to a value that is equal for all requests with the same answer. Runs no query. Undefined: the
 * languages of the catalog are not cached. app.ts gives this function to the cache, because the folder `http` does not import the catalog.
 */
export type ReduceWish = (reads: CachedReads, tags: string[]) => unknown;

/**
 * Content that stays the same until the cache is cleared, or a function that returns the present content. The function reads the database
 * in the share of the present caller.
 */
export type CachedContent = AnswerContent | PresentContent;
export type PresentContent = (share: ReadShare) => Promise<AnswerContent>;

interface CachedAnswer {
  /** The steps of the handlers of its route. */
  steps: EarlyStep[];
  /** True: the answer depends on the languages that the request prefers. */
  inLanguages: boolean;
  /** The template of the path, for the log line and the metrics. */
  template: string;
  content: CachedContent;
}

/**
 * Answers a read, and caches the answer. Call this function in a controller, after all checks of the request. Callers with the same key
 * share the answer. So the content must depend only on what the key has: the tenant, the target of the request, and `preferred`.
 * @param load runs in the share of the caller's key and gets its reads, and the cache key; undefined: the answer is not cached. Returns the
 * content and `until`: the time at which the content becomes invalid, in milliseconds since the epoch, by the database's clock. If the
 * content is a function, the function must not refer to the request
 * @param languages the reduced preference from which the content is made, its cursors too; `preferred` is undefined if the request prefers no language.
 *   Undefined: the answer does not depend on languages
 * @returns ALREADY_SENT
 * @rule what a shared answer may depend on: test/api/shared-answers.long.test.ts
 */
export async function answerRead<T>(
  request: Request,
  load: (reads: CachedReads, key: string | undefined) => Promise<{ content: CachedContent; until: number }>,
  languages?: { preferred: unknown },
): Promise<T> {
  const share = shareOf(request);
  const { answers } = contextOf(request);
  const key = cacheKeyOf(request, languages?.preferred);
  const loadAnswer = async (reads: CachedReads): Promise<CachedEntry<CachedAnswer>> => {
    const { content, until } = await load(reads, key);
    const steps = earlyStepsOf(request);
    const inLanguages = languages !== undefined;
    const value = { steps, inLanguages, template: routeOf(request), content };
    return { value, until, size: contentKib(content) };
  };
  const answer = key
    ? await loadInShare(answers, key, share.run, loadAnswer)
    : (await share.run(loadAnswer)).value;
  sendContent(request, request.res!, await contentOf(answer, share));
  return ALREADY_SENT;
}

/**
 * Answers a GET from the cache, and returns false if it cannot. Runs the early steps of all handlers that other requests of the route pass.
 */
export const answerFromCache: AnswerEarly = (request, response) => {
  // Leaves a request with a body to the app: if the body is malformed, Node would answer 400 by itself.
  if (request.method !== 'GET' || hasBody(request)) return false;
  const caller = cachedCallerOf(request);
  const answer = caller && cachedAnswerOf(request, caller);
  if (!answer?.steps.every((step) => step.accepts?.(request, response) ?? true)) return false;
  nameRoute(request, answer.template);
  void serve(request, response, caller!.principal, answer);
  return true;
};

/** Sends the answer, or the error of a step. Never rejects. */
async function serve(
  request: Request,
  response: Response,
  principal: Principal,
  answer: CachedAnswer,
): Promise<void> {
  const headers: string[] = [];
  try {
    acceptPrincipal(request, response, principal);
    for (const step of answer.steps) {
      const pending = step.run?.({ request, response, headers });
      if (pending) await pending;
    }
    const content = await contentOf(answer, new ReadShare(request, response));
    if (!response.headersSent) sendContent(request, response, content, headers);
  } catch (error) {
    if (!response.headersSent) setMissingHeaders(response, headers);
    handleError(error, request, response, () => {});
  }
}

/** Sets headers that the response does not have: giveBack has set the present ones of the quota. */
function setMissingHeaders(response: Response, headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2)
    if (!response.hasHeader(headers[at]!)) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** Estimates the memory of the content in KiB: two bytes for each character, and two KiB for the objects. */
function contentKib(content: CachedContent): number {
  return 2 + (typeof content === 'function' ? 0 : (2 * content.text.length) / 1024);
}

/**
 * Returns a function that returns the present list of departures. The function loads the list again only if its version has changed.
 * @param key the key of the answer; undefined: the answer is not cached
 * @param readVersion returns the present version. Undefined: the version is unknown, so the list is loaded for this request
 */
export function versionedContent(
  answers: ReadCache,
  key: string | undefined,
  readVersion: (run: RunRead) => Promise<string | undefined>,
  load: (reads: CachedReads) => Promise<AnswerContent>,
): (share: ReadShare) => Promise<AnswerContent> {
  const ofVersion = latestContent(answers, key);
  return async (share) => {
    // Reads no version while the read cache is not valid, because nothing can be cached then.
    const version = key && answers.isValid() ? await readVersion(share.run) : undefined;
    return ofVersion(version, (read) => share.runList('departures', read), load);
  };
}

/**
 * Returns a function that returns the content of a version. The read cache keeps the content of the latest version.
 * @param key the key of the answer; undefined: the answer is not cached
 */
export function latestContent(
  answers: ReadCache,
  key: string | undefined,
): (
  version: string | undefined,
  run: RunRead,
  load: (reads: CachedReads) => Promise<AnswerContent>,
) => Promise<AnswerContent> {
  let latest: string | undefined;
  return (version, run, load) => {
    if (key === undefined || version === undefined) return run(load);
    if (latest !== undefined && latest !== version) answers.drop(`${key} ${latest}`);
    latest = version;
    return loadInShare(answers, `${key} ${version}`, run, async (reads) => {
      const content = await load(reads);
      return { value: content, until: Infinity, size: contentKib(content) };
    });
  };
}

function contentOf({ content }: CachedAnswer, share: ReadShare): AnswerContent | Promise<AnswerContent> {
  return typeof content === 'function' ? content(share) : content;
}

/**
 * Returns the cached answer in the languages that the request prefers. The key of an answer that does not depend on languages has none, so
 * this key is tried first.
 */
function cachedAnswerOf(request: Request, caller: Caller): CachedAnswer | undefined {
  const { answers } = contextOf(request);
  const key = cacheKey(caller);
  const answer = answers.peek<CachedAnswer>(key);
  if (answer && !answer.inLanguages) return answer;
  const tags = preferredTags(request, LANG.exec(request.url)?.[1]);
  if (!tags) return answer;
  const preferred = (request.app.locals.reducePreference as ReduceWish)(contextOf(request), tags);
  return preferred === undefined ? undefined : answers.peek(key + wishKey(preferred));
}

/**
 * Matches the parameter `lang` in its usual form. A request with another form finds no answer of another language, because its target is
 * part of the key.
 */
const LANG = /[?&]lang=([A-Za-z0-9-]{1,35})(?=&|$)/;

/** Returns the end of a cache key for a reduced preference; empty for a request that prefers no language. */
function wishKey(preferred: unknown): string {
  return preferred === undefined ? '' : ` ${JSON.stringify(preferred)}`;
}

interface Caller {
  principal: Principal;
  /** Path and query without the widget token. */
  target: string;
}

/** Returns the caller if the credential is cached and sent only in its usual channel. Undefined: the common handlers must run. */
function cachedCallerOf(request: Request): Caller | undefined {
  const { url, headers } = request;
  if (headers.authorization !== undefined) {
    const principal = cachedBearerOf(request, CACHED_SCOPE);
    return principal && { principal, target: url };
  }
  if (headers['x-svc-widget-token'] !== undefined) return undefined;
  const { token, target } = splitToken(url);
  if (token === undefined) return undefined;
  const principal = cachedWidgetPrincipal(contextOf(request).credentials, sha256Of(token, request.socket));
  return principal && { principal, target };
}

/** The scope of the API keys that the cache serves. Other routes verify the key for each cached answer (controller-route.ts). */
export const CACHED_SCOPE = 'catalog:read';

/** Returns the cache key of a request. Undefined: the answer must not be cached, for example because of an unusual channel. */
function cacheKeyOf(request: Request, preferred: unknown): string | undefined {
  const { originalUrl, query, headers } = request;
  const principal = principalOf(request)!;
  if (query.api_key !== undefined || query.pass !== undefined) return undefined;
  // Does not cache requests with undocumented parameters. The widget accepts any, so a visitor could fill the cache with copies of one
  // answer.
  if (!hasOnlyDocumentedParameters(request)) return undefined;
  const preference = wishKey(preferred);
  if (principal.kind === 'api_key') return cacheKey({ principal, target: originalUrl }) + preference;
  const { token, target } = splitToken(originalUrl);
  if (token !== query.token || headers['x-svc-widget-token'] !== undefined) return undefined;
  // Does not cache requests with q or lang, which can have any value: a visitor could fill the cache.
  if (query.q !== undefined || query.lang !== undefined) return undefined;
  return cacheKey({ principal, target }) + preference;
}

function cacheKey({ principal, target }: Caller): string {
  return `${principal.kind} ${versionOfCaller(principal)} ${target}`;
}

const TOKEN = /[?&]token=(\w+)(?=&|$)/;

/** Removes the widget token from a target, so that all tokens of a tenant share the cached answers, and no cache key contains a secret. */
function splitToken(url: string): { token: string | undefined; target: string } {
  const found = TOKEN.exec(url);
  if (!found) return { token: undefined, target: url };
  const end = found.index + found[0].length;
  return { token: found[1], target: url.slice(0, end - found[1]!.length) + url.slice(end) };
}
