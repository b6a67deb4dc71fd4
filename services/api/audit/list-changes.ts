import type { Db } from '../../platform/database';
import type { AuditFilter, RecordedChange } from './recorded-change';
import { selectAuditEntries, selectAuditEntriesOf } from './audit.repository';

/** The newest changes first. */
export async function listChanges(db: Db, filter: AuditFilter): Promise<RecordedChange[]> {
  return selectAuditEntries(db, filter);
}

/** What was done from a terminal to these things, the oldest first. */
export async function listChangesOf(db: Db, subjects: string[]): Promise<RecordedChange[]> {
  return selectAuditEntriesOf(db, subjects);
}
