import { refuseWhenLocked, type Trx } from '../../platform/database';
import { IdempotencyInProgressError, type IdempotencyKeyReusedError } from './idempotency.errors';
import { findAnswersOfKeys, insertAnswers, lockKey, tryLockKeys } from './idempotency.repository';
import { type KeyClaim, replay, type ReplayedResponse, type StoredResponse } from './run-idempotent';

/** The state of a claimed key: no request has its answer, the earlier answer, or a refusal (422). */
export type KeyState = 'free' | 'claimed elsewhere' | ReplayedResponse | IdempotencyKeyReusedError;

/**
 * Claims keys until the transaction ends, in one statement for all, and waits for none. An advisory lock stands for the key, so
 * that no transaction waits for the row of another one. Reads the rows in a second statement, because the first one's snapshot
 * is older than its locks.
 * @param claims of different keys; the process runs the requests of one key one after another (single-flight.ts)
 * @param wait true for one claim that waits for an erasure of its answer; else it is `claimed elsewhere`
 * @returns one state per claim, in their order
 * @throws IdempotencyInProgressError when an erasure took two seconds (409)
 */
export async function claimKeys(trx: Trx, claims: KeyClaim<never>[], wait: boolean): Promise<KeyState[]> {
  if (claims.length === 0) return [];
  const own = await tryLockKeys(trx, claims);
  const reading = findAnswersOfKeys(
    trx,
    own.map((index) => claims[index]!),
    wait,
  );
  const found = await refuseWhenLocked('idempotency_key', reading, () => new IdempotencyInProgressError());
  const answers = new Map(found.map((answer) => [own[answer.n]!, answer]));
  return claims.map(({ request }, index) => {
    if (!own.includes(index)) return 'claimed elsewhere';
    const earlier = answers.get(index);
    if (!earlier) return 'free';
    if (earlier.isLocked) return 'claimed elsewhere';
    return replay(earlier, request);
  });
}

/**
 * Waits until this transaction has the key; claimKeys then returns its state.
 * @throws IdempotencyInProgressError after two seconds (409)
 */
export async function waitForKey(trx: Trx, claim: KeyClaim<never>): Promise<void> {
  await refuseWhenLocked('idempotency_key', lockKey(trx, claim), () => new IdempotencyInProgressError());
}

export interface AnsweredClaim {
  claim: KeyClaim<never>;
  response: StoredResponse;
}

/**
 * Stores the answers under their claimed keys.
 * @throws IdempotencyInProgressError when a key was erased meanwhile, or an instance of an earlier release, which claims it by its
 *   row alone, has it (409)
 */
export async function storeAnswers(trx: Trx, answers: AnsweredClaim[]): Promise<void> {
  const storing = insertAnswers(
    trx,
    answers.map(({ claim, response }) => Object.assign({}, claim, response)),
  );
  const stored = await refuseWhenLocked('idempotency_key', storing, () => new IdempotencyInProgressError());
  if (stored !== answers.length) throw new IdempotencyInProgressError();
}
