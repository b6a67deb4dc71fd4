import type { Db } from '../../platform/database';
import { pendingMigrations } from '../../platform/migrate';

/** Ready is: the database answers, and has every migration that this build knows. */
export async function checkReadiness(db: Db): Promise<{ ready: boolean; reason?: string }> {
  try {
    const pending = await pendingMigrations(db);
    return pending.length ? { ready: false, reason: 'migrations pending' } : { ready: true };
  } catch {
    return { ready: false, reason: 'database does not answer' };
  }
}
