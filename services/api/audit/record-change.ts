import type { Trx } from '../../platform/database';
import type { AuditEntry } from './audit-entry';
import { insertAuditEntry } from './audit.repository';

/** In the change's own transaction, so that there is no change without its row and no row without its change. */
export async function recordChange(trx: Trx, entry: AuditEntry): Promise<void> {
  await insertAuditEntry(trx, entry);
}
