import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Quotas } from '../../platform/config';
import type { QuotaAnswer } from '../../platform/quota-store';
import { networkOf } from '../../platform/http/client-address';
import { InsufficientScopeError } from '../credentials/credential.errors';
import { contextOf } from './api-context';
import { type Principal, principalOf } from './authentication';
import { RateLimitedError } from './http.errors';

const PER_ADDRESS_AND_TOKEN = 120;
const WINDOW_SECONDS = 60;

/**
 * Counts an authenticated request against the quota of its credential, with any answer. Rotated keys share the bucket of
 * their family. A key without the scope counts too, and gets 401 even over its quota.
 */
export function quota(kind: keyof Quotas): RequestHandler {
  // Express accepts a list of handlers; the type of tsoa's decorator accepts one handler only.
  return [countRequest, countScopeless] as unknown as RequestHandler;

  function countRequest(request: Request, response: Response, next: NextFunction): void {
    spendQuota(request, response, kind, principalOf(request)!).then(() => next(), next);
  }

  function countScopeless(error: unknown, request: Request, response: Response, next: NextFunction): void {
    if (!(error instanceof InsufficientScopeError)) return next(error);
    const refuse = (failure?: unknown) =>
      next(failure === undefined || failure instanceof RateLimitedError ? error : failure);
    spendQuota(request, response, kind, error.principal).then(refuse, refuse);
  }
}

type Spender = Pick<Principal, 'kind' | 'familyId'>;

/** @throws RateLimitedError (429) */
export async function spendQuota(
  request: Request,
  response: Response,
  kind: keyof Quotas,
  principal: Spender,
): Promise<void> {
  const { config, quotas } = contextOf(request);
  const spent: Spent[] = [];
  const take = async (policy: string, bucket: string, limit: number): Promise<void> => {
    const answer = await quotas.consume(bucket, limit);
    spent.push({ policy, limit, answer });
    setQuotaHeaders(response, spent);
    if (!answer.allowed) throw new RateLimitedError(answer.resetSeconds);
  };
  const family = `${kind}:${principal.familyId}`;
  // All visitors of a site share one widget token. The address is counted first, so that a refused visitor takes nothing
  // from the others.
  if (principal.kind === 'widget_token') {
    await take(`${kind}-address`, `${family}:${networkOf(request.ip)}`, PER_ADDRESS_AND_TOKEN);
  }
  await take(kind, family, config.quotas[kind]);
}

interface Spent {
  policy: string;
  limit: number;
  answer: QuotaAnswer;
}

/** Sets the headers of the current and the former draft (RateLimit header fields 10 and 06). The former holds one quota only. */
function setQuotaHeaders(response: Response, spent: Spent[]): void {
  const all = (show: (one: Spent) => string) => spent.map(show).reverse().join(', ');
  response.setHeader(
    'RateLimit-Policy',
    all(({ policy, limit }) => `"${policy}";q=${limit};w=${WINDOW_SECONDS}`),
  );
  response.setHeader(
    'RateLimit',
    all(({ policy, answer }) => `"${policy}";r=${answer.remaining};t=${answer.resetSeconds}`),
  );
  const { limit, answer } = spent.at(-1)!;
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', answer.remaining);
  response.setHeader('RateLimit-Reset', answer.resetSeconds);
}
