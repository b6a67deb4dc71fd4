import type { Db } from '../../platform/database';
import { pendingMigrations } from '../../platform/migrate';

/** A pooler lets a statement wait for a lost server, and a probe that hangs tells nobody why. */
const PATIENCE_MS = 2000;
const SILENT = { ready: false, reason: 'database does not answer' };

/** Ready is: the database answers, in two seconds, and has every migration that this build knows. */
export async function checkReadiness(db: Db): Promise<{ ready: boolean; reason?: string }> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof SILENT>((resolve) => {
    timer = setTimeout(() => resolve(SILENT), PATIENCE_MS);
  });
  const answer = pendingMigrations(db).then(
    (pending) => (pending.length ? { ready: false, reason: 'migrations pending' } : { ready: true }),
    () => SILENT,
  );
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
