import type { Db, Trx } from '../../platform/database/database';

/**
 * Returns a time between the last commit that changed the catalog and the next one, RFC 3339 (ADR 28). This statement and later ones see
 * all changes from before this time. All other changes will have a later time.
 * @param since RFC 3339, the time of the client's copy. If this copy may contain changes that a restore has lost, returns the time of the
 * backup, which is before `since` (ADR 33)
 */
export async function readAsOf(db: Db, since?: string): Promise<string> {
  const { rows } = await db.raw<{ rows: [{ changedAt: Date; lostAfter: Date | null }] }>(
    `select v.changed_at, (select min(r.lost_after) from catalog_restores r
                           where r.lost_after < :since::timestamptz and r.lost_until >= :since::timestamptz) as lost_after
     from change_version v`,
    { since: since ?? null },
  );
  const { changedAt, lostAfter } = rows[0];
  return (lostAfter ?? new Date(changedAt.getTime() + 1)).toISOString();
}

/**
 * Makes the next as_of later than every earlier one. Records the period between the backup and the restore, because the changes of this
 * period are lost. Sets a version above all versions that processes may have seen, so that they drop their caches.
 * @param lostAfter `as_of` of the backup
 * @param seenVersion the version of the database before the restore
 */
export async function recordRestore(
  trx: Trx,
  { lostAfter, seenVersion }: { lostAfter: string; seenVersion: number },
): Promise<void> {
  await trx.raw(
    `with restored as (
       update change_version
       set version = greatest(version, :seenVersion::bigint) + 1,
         changed_at = greatest(date_trunc('milliseconds', clock_timestamp()), changed_at + interval '2 milliseconds')
       returning changed_at)
     insert into catalog_restores (lost_after, lost_until) select :lostAfter::timestamptz, changed_at from restored`,
    { lostAfter, seenVersion },
  );
}
