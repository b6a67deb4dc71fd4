import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config, Quotas } from '../../platform/config';
import { type QuotaAnswer, WINDOW_SECONDS } from '../../platform/shared-store/quota-store';
import { addressOf, networkOf } from '../../platform/http/client-address';
import { setHeaderList } from '../../platform/http/edge';
import { InsufficientScopeError } from '../credentials/credential.errors';
import { contextOf } from './api-context';
import { type Principal, principalOf } from './authentication';
import { RateLimitedError } from './http.errors';

/** Requests a minute of one address with one widget token. limitOf has the other quotas. */
const PER_ADDRESS_AND_TOKEN = 120;

/**
 * Counts each authenticated request against the quota of its credential, whatever its answer. A rotated key and its successors share one
 * quota. Also counts a request whose key lacks the scope. The answer to such a request is 401, even if the quota is used up.
 */
export function quota(kind: keyof Quotas): RequestHandler {
  // Express accepts a list of handlers, but the type of tsoa's decorator accepts only one.
  return [countRequest, countScopeless] as unknown as RequestHandler;

  function countRequest(request: Request, response: Response, next: NextFunction): void {
    spend(request, response, kind, principalOf(request)!).then(() => next(), next);
  }

  function countScopeless(error: unknown, request: Request, response: Response, next: NextFunction): void {
    if (!(error instanceof InsufficientScopeError)) return next(error);
    const refuse = (failure?: unknown) =>
      next(failure === undefined || failure instanceof RateLimitedError ? error : failure);
    spend(request, response, kind, error.principal).then(refuse, refuse);
  }
}

type Spender = Pick<Principal | InsufficientScopeError['principal'], 'kind' | 'familyId' | 'tenant'>;

async function spend(
  request: Request,
  response: Response,
  kind: keyof Quotas,
  principal: Spender,
): Promise<void> {
  const spent: SpentQuota[] = [];
  try {
    await spendQuota(request, kind, principal, spent);
  } finally {
    setHeaderList(response, quotaHeaders(spent));
  }
}

/**
 * Counts one request.
 * @param spent the function adds the quotas that counted the request, also one that refuses it
 * @throws RateLimitedError (429)
 */
export async function spendQuota(
  request: Request,
  kind: keyof Quotas,
  principal: Spender,
  spent: SpentQuota[],
): Promise<void> {
  const { config, quotas } = contextOf(request);
  const family = `${kind}:${principal.familyId}`;
  // Counts the visitor's address before the token, because all visitors of a site share one widget token. A visitor who is refused for the
  // address does not use up the quota of the token.
  if (principal.kind === 'widget_token') {
    const limit = PER_ADDRESS_AND_TOKEN;
    const answer = await quotas.consume(`${family}:${networkOf(addressOf(request))}`, limit);
    addSpent(spent, { policy: `${kind}-address`, limit, answer });
  }
  const limit = limitOf(config, principal.tenant, kind);
  addSpent(spent, { policy: kind, limit, answer: await quotas.consume(family, limit) });
}

/** Returns the requests a minute of a key or a widget token: the tenant's own number, or that of the variable, such as GATEWAY_HOLD_RPM. */
function limitOf({ quotas }: Config, tenant: Spender['tenant'], kind: keyof Quotas): number {
  const own = kind === 'widget' ? null : tenant[`${kind}Rpm` as const];
  return own ?? quotas[kind];
}

function addSpent(spent: SpentQuota[], quota: SpentQuota): void {
  spent.push(quota);
  if (!quota.answer.allowed) throw new RateLimitedError(quota.answer.resetSeconds);
}

/** A quota that has counted a request. */
export interface SpentQuota {
  policy: string;
  limit: number;
  answer: QuotaAnswer;
}

/**
 * Returns the RateLimit headers as alternating names and values: of version 10 of the draft and of version 06, an earlier form. The earlier
 * form has room for one quota, and shows the last of `spent`.
 */
export function quotaHeaders(spent: SpentQuota[]): string[] {
  let policies = '';
  let states = '';
  for (const { policy, limit, answer } of spent) {
    const separator = policies && ', ';
    policies = `"${policy}";q=${limit};w=${WINDOW_SECONDS}${separator}${policies}`;
    states = `"${policy}";r=${answer.remaining};t=${answer.resetSeconds}${separator}${states}`;
  }
  const last = spent.at(-1);
  if (!last) return [];
  return [
    'RateLimit-Policy',
    policies,
    'RateLimit',
    states,
    'RateLimit-Limit',
    `${last.limit}`,
    'RateLimit-Remaining',
    `${last.answer.remaining}`,
    'RateLimit-Reset',
    `${last.answer.resetSeconds}`,
  ];
}
