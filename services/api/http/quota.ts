import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config, Quotas } from '../../platform/config/config';
import { type QuotaAnswer, WINDOW_SECONDS } from '../../platform/shared-store/quota-store';
import { addressOf, networkOf } from '../../platform/http/client-address';
import { type EarlyCall, withEarlyStep } from '../../platform/http/early-answer';
import { setHeaderList } from '../../platform/http/edge';
import { InsufficientScopeError } from '../credentials/credential.errors';
import { contextOf } from './api-context';
import { type Principal, principalOf } from './authentication';
import { RateLimitedError, TransportError } from './http.errors';
import { isShed } from './load-shedding';

/** Requests a minute of one address with one widget token. limitOf has the other quotas. */
const PER_ADDRESS_AND_TOKEN = 120;

/**
 * Counts each authenticated request against the quota of its credential, whatever its answer. A rotated key and its successors share one
 * quota. Also counts a request whose key lacks the scope. The answer to such a request is 401, even if the quota is used up. Also counts a
 * request that is refused because the process is overloaded (503). Does not count a request that is refused because too many bodies of its
 * key have not arrived.
 */
export function quota(kind: keyof Quotas): RequestHandler {
  // Express accepts a list of handlers, but the type of tsoa's decorator accepts only one.
  return [withEarlyStep(countRequest, { run: countEarly }), countScopeless] as unknown as RequestHandler;

  async function countEarly({ request, headers }: EarlyCall): Promise<void> {
    const spent: SpentQuota[] = [];
    try {
      await spendQuota(request, kind, principalOf(request)!, spent);
    } finally {
      headers.push(...quotaHeaders(spent));
    }
  }

  function countRequest(request: Request, response: Response, next: NextFunction): void {
    countOrRefuse(request, response).then(
      () => next(isShed(request) ? new TransportError('overloaded') : undefined),
      next,
    );
  }

  async function countOrRefuse(request: Request, response: Response): Promise<void> {
    const principal = principalOf(request)!;
    try {
      contextOf(request).bodies.enter(request, response, principal.familyId);
    } catch (refusal) {
      await spend(request, response, kind, principal, 0);
      throw refusal;
    }
    await spend(request, response, kind, principal);
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
  cost = 1,
): Promise<void> {
  const spent: SpentQuota[] = [];
  try {
    await spendQuota(request, kind, principal, spent, cost);
  } finally {
    setHeaderList(response, quotaHeaders(spent));
  }
}

/** The quotas that each request has spent, for giveBack. */
const spentBy = new WeakMap<Request, SpentQuota[]>();

/**
 * Counts one request.
 * @param spent the function adds the quotas that counted the request, also one that refuses it
 * @param cost 0: only reads the quotas
 * @throws RateLimitedError (429)
 */
async function spendQuota(
  request: Request,
  kind: keyof Quotas,
  principal: Spender,
  spent: SpentQuota[],
  cost = 1,
): Promise<void> {
  const { config, quotas } = contextOf(request);
  spentBy.set(request, spent);
  const take = async (policy: string, bucket: string, limit: number) => {
    const answer = await quotas.consume(bucket, limit, cost);
    // Takes a second off, because the store rounds up.
    const endsAt = performance.now() + (answer.resetSeconds - 1) * 1000;
    spent.push({ policy, bucket, limit, cost, endsAt, answer });
    if (!answer.allowed) throw new RateLimitedError(answer.resetSeconds);
  };
  const family = `${kind}:${principal.familyId}`;
  // Counts the visitor's address before the token, because all visitors of a site share one widget token. A visitor who is refused for the
  // address does not use up the quota of the token.
  if (principal.kind === 'widget_token') {
    await take(`${kind}-address`, `${family}:${networkOf(addressOf(request))}`, PER_ADDRESS_AND_TOKEN);
  }
  await take(kind, family, limitOf(config, principal.tenant, kind));
}

/**
 * Gives back what the request has spent, because it is refused for another reason than its quota. Gives nothing back if the window
 * may have ended meanwhile, because the next window would then allow one request more.
 */
export async function giveBack(request: Request, response: Response): Promise<void> {
  const spent = spentBy.get(request) ?? [];
  for (const quota of spent) {
    if (performance.now() >= quota.endsAt) continue;
    quota.answer = await contextOf(request).quotas.consume(quota.bucket, quota.limit, -quota.cost);
  }
  setHeaderList(response, quotaHeaders(spent));
}

/** The rows of a list that one unit of a quota pays. */
export const ROWS_A_UNIT = 366;

/**
 * Spends what a long list costs: one unit of the quota for each 366 rows or part of it, less the unit that the request itself has spent. A
 * list that costs more than the whole quota costs the whole quota. Call it before the list is read.
 * @throws RateLimitedError (429)
 * @rule a long list costs by its rows: test/octo/long-availability.long.test.ts
 */
export async function spendForRows(request: Request, kind: keyof Quotas, rows: number): Promise<void> {
  const { config, quotas } = contextOf(request);
  const { familyId, tenant } = principalOf(request)!;
  const limit = limitOf(config, tenant, kind);
  const cost = Math.min(limit, Math.ceil(rows / ROWS_A_UNIT)) - 1;
  if (cost < 1) return;
  const answer = await quotas.consume(`${kind}:${familyId}`, limit, cost);
  const spent = spentBy.get(request)!.find(({ policy }) => policy === kind)!;
  spent.cost += cost;
  spent.answer = answer;
  setHeaderList(request.res!, quotaHeaders([spent]));
  if (!answer.allowed) throw new RateLimitedError(answer.resetSeconds);
}

/**
 * Returns the requests a minute of a key or a widget token: the tenant's own number, or that of the variable, such as GATEWAY_HOLD_RPM.
 * @rule the rate limit, or quota, of a minute: test/api/quotas.long.test.ts
 */
function limitOf({ quotas }: Config, tenant: Spender['tenant'], kind: keyof Quotas): number {
  const own = kind === 'widget' ? null : tenant[`${kind}Rpm` as const];
  return own ?? quotas[kind];
}

/** A quota that has counted a request. */
interface SpentQuota {
  policy: string;
  bucket: string;
  limit: number;
  cost: number;
  /** Time of performance.now() until which the window of the quota lasts at least. */
  endsAt: number;
  answer: QuotaAnswer;
}

/**
 * Returns the RateLimit headers as alternating names and values: of version 10 of the draft and of version 06, an earlier form. The earlier
 * form has room for one quota, and shows the last of `spent`.
 */
function quotaHeaders(spent: SpentQuota[]): string[] {
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
