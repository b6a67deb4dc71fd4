import type { Db } from '../../platform/database';
import { ChangeNotFoundError } from './audit.errors';
import { findAuditEntry } from './audit.repository';
import type { RecordedChange } from './recorded-change';

/** @throws ChangeNotFoundError */
export async function showChange(db: Db, id: number): Promise<RecordedChange> {
  const change = await findAuditEntry(db, id);
  if (!change) throw new ChangeNotFoundError(id);
  return change;
}
