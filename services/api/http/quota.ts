import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config, Quotas } from '../../platform/config/config';
import { type QuotaAnswer, WINDOW_SECONDS } from '../../platform/shared-store/quota-store';
import { addressOf, networkOf } from '../../platform/http/client-address';
import { setHeaderList } from '../../platform/http/edge';
import { InsufficientScopeError } from '../credentials/credential.errors';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';
import { type ApiContext, contextOf } from './api-context';
import { type Principal, principalOf } from './authentication';
import { RateLimitedError, TransportError } from './http.errors';
import { isShed } from './load-shedding';

/** Requests a minute of one address with one widget token. limitOf has the other quotas. */
const PER_ADDRESS_AND_TOKEN = 120;

/**
 * Counts each authenticated request against the quota of its credential, whatever its answer. A rotated key and its successors share one
 * quota. Also counts a request whose key lacks the scope. The answer to such a request is 401, even if the quota is used up. Also counts a
 * request that is refused because the process is overloaded (503).
 */
export function quota(kind: keyof Quotas): RequestHandler {
  // Express accepts a list of handlers, but the type of tsoa's decorator accepts only one.
  return [countRequest, countScopeless] as unknown as RequestHandler;

  function countRequest(request: Request, response: Response, next: NextFunction): void {
    spend(request, response, kind, principalOf(request)!).then(
      () => next(isShed(request) ? new TransportError('overloaded') : undefined),
      next,
    );
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

/** The rows of a list that one unit of a quota pays. */
export const ROWS_A_UNIT = 366;

/**
 * Spends what a long list costs: one unit of the quota for each 366 rows or part of it, less the unit that the request itself has spent. A
 * list that costs more than the whole quota costs the whole quota. Call it before the list is read.
 * @throws RateLimitedError (429)
 */
export async function spendForRows(request: Request, kind: keyof Quotas, rows: number): Promise<void> {
  const { config, quotas } = contextOf(request);
  const { familyId, tenant } = principalOf(request)!;
  const limit = limitOf(config, tenant, kind);
  const cost = Math.min(limit, Math.ceil(rows / ROWS_A_UNIT)) - 1;
  if (cost < 1) return;
  const answer = await quotas.consume(`${kind}:${familyId}`, limit, cost);
  setHeaderList(request.res!, quotaHeaders([{ policy: kind, limit, answer }]));
  if (!answer.allowed) throw new RateLimitedError(answer.resetSeconds);
}

/**
 * Runs the work of one long list at a time for each API key and kind of list; the others wait. The successor of a rotated key waits for its
 * predecessor.
 * @throws RateLimitedError after two seconds of waiting (429)
 */
export async function inTurnOfKey<T>(
  { inTurn }: Pick<ApiContext, 'inTurn'>,
  { familyId }: Pick<Principal, 'familyId'>,
  kind: 'products' | 'bookings' | 'departures',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await inTurn(`list of ${kind} ${familyId}`, work);
  } catch (error) {
    throw error instanceof IdempotencyInProgressError ? new RateLimitedError(1) : error;
  }
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
