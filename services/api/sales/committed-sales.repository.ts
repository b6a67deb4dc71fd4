import type { Db } from '../../platform/database';

/**
 * Returns the status of a transaction, and how many of its holds and leads exist. Locks the rows, so that the statement's own COMMIT
 * waits for the standby, as the lost one did.
 */
export async function findCommitted(
  db: Db,
  transactionId: string,
  holdIds: string[],
  leadIds: number[],
): Promise<{ status: 'in progress' | 'committed' | 'aborted' | null; rows: number }> {
  const { rows } = await db.raw(
    `with holds as (select id from seat_holds where id = any(:holdIds::uuid[]) for key share),
       leads as (select id from booking_leads where id = any(:leadIds::bigint[]) for key share)
     select pg_xact_status(:transactionId::xid8) as "status",
       ((select count(*) from holds) + (select count(*) from leads))::integer as "rows"`,
    { transactionId, holdIds, leadIds },
  );
  return rows[0];
}
