import { setTimeout as sleep } from 'node:timers/promises';
import { bindKeys, KEYS, LOCK_OF_KEY } from '../../services/api/idempotency/idempotency.repository';
import type { Operation } from '../../services/api/idempotency/operation';
import type { Trx } from '../../services/platform/database';

/** Claims an Idempotency-Key until the transaction ends, as a request of another instance does. */
export async function claimKeyElsewhere(
  trx: Trx,
  key: { tenantId: string; operation: Operation; key: string },
): Promise<void> {
  await trx.raw(
    `select pg_advisory_xact_lock(${LOCK_OF_KEY}) from ${KEYS}`,
    bindKeys([{ ...key, erasedKey: '' }]),
  );
}

/** Waits 150 ms, in which the request meets the key several times, and checks that it has no answer yet. */
export async function untilItMeetsKey(answer: Promise<unknown>): Promise<void> {
  const first = await Promise.race([answer, sleep(150, 'no answer')]);
  expect(first).toBe('no answer');
}
