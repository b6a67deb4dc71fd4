import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../../services/api/idempotency/operation';
import { LOCK_OF_KEY } from '../../services/api/seats/lock';
import type { Trx } from '../../services/platform/database/database';

/**
 * Claims an Idempotency-Key until the transaction ends, like a request on another instance. With `octo`, claims the UUID of an OCTO
 * booking.
 */
export async function claimKeyElsewhere(
  trx: Trx,
  { tenantId, operation, key }: { tenantId: string; operation: Operation | 'octo'; key: string },
): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_KEY}) from (select ?::text as key) as claimed`, [
    `${tenantId} ${operation} ${key}`,
  ]);
}

/** Waits 150 ms, and checks that the request still has no answer. In this time the request tries the claimed key several times. */
export async function untilItMeetsKey(answer: Promise<unknown>): Promise<void> {
  const first = await Promise.race([answer, sleep(150, 'no answer')]);
  expect(first).toBe('no answer');
}
