import { migrate } from '../../../services/platform/migrate';
import type { Context } from '../../engine/context';

/** The audit row follows the migrations: its table may be among what they make. */
export async function migrateCommand({ audited, db, output }: Context): Promise<void> {
  const applied = await migrate(db);
  if (applied.length > 0) {
    await audited({ action: 'migrate' }, async (_, note) => note(null, { applied }));
  }
  output.answer({ applied }, () => (applied.length > 0 ? applied.join('\n') : 'The schema is up to date'));
}
