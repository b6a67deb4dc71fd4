import { NO_STORE, type ProxyAnswer } from './answer.ts';
import { type BodySource, readJson } from './body.ts';
import { type CallName, findCall, type ProxyCall } from './calls.ts';
import { answerError, rateLimited, Refusal } from './problems.ts';
import { readQuery } from './query.ts';
import { assertSameOrigin } from './same-origin.ts';
import type { ProxyParts, Visit } from './visit.ts';
import { newVisitor, type Visitor } from './visitor.ts';

/** A request of the site's server, as an adapter reads it. */
export interface SiteRequest<Native> {
  method: string;
  /** The undecoded path below the address of the proxy. Undefined: the request is for another part of the site. */
  path: string | undefined;
  /** The undecoded text after the question mark. */
  query: string;
  host: string;
  header(name: string): string | undefined;
  body: BodySource;
  /** The request of the site's server, for the hook `allow`. */
  native: Native;
}

export interface HandlerParts<Native> extends ProxyParts {
  origins: ReadonlySet<string>;
  /** False: this request is one too many. */
  allow?(request: Native, call: CallName): boolean | Promise<boolean>;
  onError(error: unknown): void;
}

const ALLOW_SECONDS = 60;

/** Answers a request. Never throws: an error becomes an answer. OPTIONS gives a visitor without a valid cookie a new one. */
export async function handleRequest<Native>(
  parts: HandlerParts<Native>,
  request: SiteRequest<Native>,
): Promise<ProxyAnswer> {
  const answer = await answerOrProblem(parts, request);
  answer.headers['X-Content-Type-Options'] = 'nosniff';
  return request.method === 'HEAD' ? withoutBody(answer) : answer;
}

async function answerOrProblem<Native>(
  parts: HandlerParts<Native>,
  request: SiteRequest<Native>,
): Promise<ProxyAnswer> {
  try {
    const { call, slug, ofVisitor, allow } = findCall(request.method, request.path ?? '');
    assertSameOrigin(request, parts.origins);
    if (call) return await call.answer(parts, await readVisit(parts, request, call, slug));
    const cookies =
      ofVisitor && isNew(parts, request) ? [parts.cookies.write(request.host, newVisitor())] : [];
    return { status: 204, headers: { Allow: allow, 'Cache-Control': NO_STORE }, cookies };
  } catch (error) {
    const { answer, isReported } = answerError(error);
    if (isReported) parts.onError(error);
    return answer;
  }
}

/** Checks a request, and reads what its call needs. @throws Refusal */
async function readVisit<Native>(
  parts: HandlerParts<Native>,
  request: SiteRequest<Native>,
  call: ProxyCall,
  slug: string,
): Promise<Visit> {
  const { host, header } = request;
  const visitor = call.ofVisitor ? readVisitor(parts, request) : undefined;
  const isAllowed = (await parts.allow?.(request.native, call.name)) ?? true;
  if (!isAllowed) throw rateLimited('Too many requests.', ALLOW_SECONDS);
  const body = call.method === 'GET' ? undefined : await readJson(request.body, call.bodyMax);
  const query = readQuery(request.query, call.query);
  return { host, slug, query, body: body ?? {}, visitor, ifNoneMatch: header('if-none-match') };
}

/** Returns the visitor of a request. Undefined: a new one. @throws Refusal */
function readVisitor<Native>(
  { cookies }: HandlerParts<Native>,
  { host, header }: SiteRequest<Native>,
): Visitor | undefined {
  cookies.assertCookieFits(host, header('origin'));
  return cookies.read(host, header('cookie'));
}

/** Returns whether a request has no valid cookie. @throws Refusal origin_not_allowed (403) */
function isNew<Native>(parts: HandlerParts<Native>, request: SiteRequest<Native>): boolean {
  try {
    return readVisitor(parts, request) === undefined;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_visitor') return true;
    throw error;
  }
}

function withoutBody({ status, headers, cookies, body }: ProxyAnswer): ProxyAnswer {
  if (body === undefined) return { status, headers, cookies };
  const length = Buffer.byteLength(body);
  return { status, headers: { ...headers, 'Content-Length': `${length}` }, cookies };
}
