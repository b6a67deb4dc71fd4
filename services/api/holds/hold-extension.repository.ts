import type { Db, Trx } from '../../platform/database';
import type { Actor } from '../tenants/actor';
import type { HoldExtension } from './seat-hold';

/** Would `minutes` from `at` be more than two hours after the hold was placed? */
export async function exceedsHoldLife(trx: Trx, id: string, minutes: number, at: string): Promise<boolean> {
  const { rows } = await trx.raw(
    `select :at::timestamptz + make_interval(mins => :minutes) > created_at + interval '120 minutes' as exceeds
     from seat_holds where id = :id`,
    { id, minutes, at },
  );
  return rows[0].exceeds;
}

/** Moves the hold's end to `minutes` from `at`; where more is left, the hold stays as it is. */
export async function extendHoldRow(
  trx: Trx,
  id: string,
  extension: { minutes: number; at: string; by: Actor | null },
): Promise<void> {
  await trx.raw(
    `with extended as (
       update seat_holds
       set expires_at = :at::timestamptz + make_interval(mins => :minutes), hold_minutes = :minutes
       where id = :id and expires_at < :at::timestamptz + make_interval(mins => :minutes)
       returning id, expires_at
     )
     insert into hold_extensions (hold_id, at, expires_at, by) select id, :at::timestamptz, expires_at, :by from extended`,
    { id, ...extension },
  );
}

/** The oldest first. */
export async function findExtensions(db: Db, holdId: string): Promise<HoldExtension[]> {
  return db('hold_extensions')
    .where({ hold_id: holdId })
    .orderBy('at')
    .select<HoldExtension[]>('at', 'expires_at as expiresAt', 'by');
}
