import type { Db } from '../../platform/database';
import type { AuditFilter, RecordedChange } from './recorded-change';
import { selectAuditEntries } from './audit.repository';

/** The newest changes first. */
export async function listChanges(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  return selectAuditEntries(db, filter);
}
