import type { Request, RequestHandler, Response } from 'express';
import type { Quotas } from '../../platform/config';
import type { QuotaAnswer } from '../../platform/quota-store';
import { contextOf } from './api-context';
import { networkOf, principalOf } from './authentication';
import { RateLimitedError } from './http.errors';

const PER_ADDRESS_AND_TOKEN = 120;
const WINDOW_SECONDS = 60;

/**
 * Counts an authenticated request against its credential's quota of this kind, whatever the answer will be. A rotated key
 * shares its family's bucket.
 */
export function quota(kind: keyof Quotas): RequestHandler {
  return (request, response, next) => {
    spend(request, response, kind).then(() => next(), next);
  };
}

async function spend(request: Request, response: Response, kind: keyof Quotas): Promise<void> {
  const { config, quotas } = contextOf(request);
  const principal = principalOf(request)!;
  const spent: Spent[] = [];
  const take = async (policy: string, bucket: string, limit: number): Promise<void> => {
    const answer = await quotas.consume(bucket, limit);
    spent.push({ policy, limit, answer });
    setQuotaHeaders(response, spent);
    if (!answer.allowed) throw new RateLimitedError(answer.resetSeconds);
  };
  const family = `${kind}:${principal.familyId}`;
  // All visitors of a site spend one widget token. The address's share goes first, so that one visitor who is refused
  // takes nothing from the others.
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

/** The drafts' present and former shape (RateLimit header fields 10 and 06), in seconds from now; the former has room for one. */
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
