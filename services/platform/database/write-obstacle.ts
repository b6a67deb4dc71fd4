import type { Db } from './database';

/**
 * Returns why the server refuses each write, as the end of a sentence about the server. Undefined: it accepts writes. A managed server
 * turns default_transaction_read_only on when its disk is nearly full.
 */
export async function findWriteObstacle(db: Db): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { standby: boolean; readOnly: boolean }[] }>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only')::boolean as read_only`,
  );
  const { standby, readOnly } = rows[0]!;
  if (standby) return 'it is a standby, which is read-only';
  return readOnly ? 'default_transaction_read_only is on' : undefined;
}
