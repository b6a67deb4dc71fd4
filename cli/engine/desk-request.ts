import { type ComparedRequest } from '../../services/api/idempotency/fingerprint';
import { claimOf, type Subject } from '../../services/api/idempotency/key-claim';
import type { Operation } from '../../services/api/idempotency/operation';
import { findRepeat, type OperatorTransaction } from '../../services/api/seats/perform';
import { type Seller, sellerWithoutKey } from '../../services/api/seats/seat-change';
import type { Tenant } from '../../services/api/tenants/tenant';
import { flag } from './command';
import type { Context } from './context';
import { line } from './values';

/** The most characters of an Idempotency-Key. */
const REQUEST_ID_MAX = 255;
const WEEK_HOURS = 7 * 24;

export const REQUEST_ID_FLAG = flag(
  '--request-id <id>',
  'sell once: the same command with the same id answers the first sale again, for 7 days',
  { parse: line(REQUEST_ID_MAX) },
);

/** A request of the desk, which its id makes once. */
export interface DeskRequest {
  tenant: Tenant;
  operation: Operation;
  /** Undefined: the request has no id, so that each one sells. */
  id: string | undefined;
  /** The canonical ids of the request. */
  subject: Subject;
  /** Returns what the request asks for, as ComparedRequest has it. */
  validated: ComparedRequest['read'];
}

/** The answer of a request, and whether it is that of an earlier one. */
export interface Answered<Answer> {
  answer: Answer;
  isRepeat: boolean;
}

/**
 * Performs a request in the transaction of the operator, or returns the answer of the earlier request with its id.
 * @param perform performs the change with the seller, which stores the answer
 * @param toAnswer returns the answer to a change, inside the transaction
 * @throws IdempotencyKeyReusedError for another request with the id, and for one whose customer was erased
 */
export async function performOnce<Result, Answer extends object>(
  transaction: OperatorTransaction,
  { secrets }: Pick<Context, 'secrets'>,
  { tenant, operation, id, subject, validated }: DeskRequest,
  perform: (seller: Seller<Result>) => Promise<Result>,
  toAnswer: (result: Result) => Answer,
): Promise<Answered<Answer>> {
  if (id === undefined) return { answer: toAnswer(await perform(sellerWithoutKey(tenant))), isRepeat: false };
  const { cursorKey } = await secrets('cursorKey');
  const idempotent = {
    tenantId: tenant.id,
    operation,
    key: id,
    validated,
    phoneCountry: tenant.country,
    keepHours: WEEK_HOURS,
    keyFamily: null,
    secret: cursorKey,
    toResponse: (result: Result) => ({ status: 200, body: JSON.stringify(toAnswer(result)) }),
  };
  const seller = sellerWithoutKey(tenant, claimOf<Result>(idempotent, subject));
  const repeat = await findRepeat(transaction, seller);
  if (repeat) return { answer: JSON.parse(repeat.answer.body) as Answer, isRepeat: true };
  return { answer: toAnswer(await perform(seller)), isRepeat: false };
}
