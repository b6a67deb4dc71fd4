import { listChangesOf } from '../../../services/api/audit/list-changes';
import type { Db } from '../../../services/platform/database';
import type { Screen } from '../../screen';
import { shortTime, table } from '../../table';

/** Who did something to it at a terminal, or looked at its customer. */
export async function findChangesDocument(db: Db, subjects: string[]) {
  const changes = await listChangesOf(db, subjects);
  return changes.map(({ at, actor, host, action, subject }) => ({
    ...{ at: at.toISOString(), actor, host, action, subject },
  }));
}

export function describeChanges(
  changes: Awaited<ReturnType<typeof findChangesDocument>>,
  screen: Screen,
): string {
  const rows = changes.map(({ at, actor, host, action }) => [shortTime(at), actor, host, action]);
  return table(['at (utc)', 'who', { heading: 'host', least: 8 }, 'action'], rows, 'Nobody', screen);
}
