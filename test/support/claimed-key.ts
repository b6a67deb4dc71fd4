import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../services/api/idempotency/operation';
import { LOCK_OF_KEY } from '../../services/api/sales/lock-sales';
import type { Trx } from '../../services/platform/database';

/** Claims an Idempotency-Key, or with `octo` the UUID of an OCTO booking, until the transaction ends, as a request of another instance does. */
export async function claimKeyElsewhere(
  trx: Trx,
  { tenantId, operation, key }: { tenantId: string; operation: Operation | 'octo'; key: string },
): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_KEY}) from (select ?::text as key)`, [
    `${tenantId} ${operation} ${key}`,
  ]);
}

/** Waits 150 ms, in which the request meets the key several times, and checks that the request has no answer yet. */
export async function untilItMeetsKey(answer: Promise<unknown>): Promise<void> {
  const first = await Promise.race([answer, sleep(150, 'no answer')]);
  expect(first).toBe('no answer');
}
