import { migrate } from '../../services/platform/migrate/migrate';
import type { VerbBody } from '../engine/command';
import type { AuditedContext } from '../engine/context';

export const migrateVerb: VerbBody = {
  schema: 'as-is',
  creates: true,
  audits: true,
  run: migrateCommand,
};

/** Writes the audit row after the migrations, because they may create the audit table. */
async function migrateCommand({ audited, db, output }: AuditedContext): Promise<void> {
  const applied = await migrate(db, (line) => output.warn(line));
  if (applied.length > 0) {
    await audited({ action: 'migrate' }, async (_, note) => note(null, { applied }));
  }
  await output.answer({ applied }, () =>
    applied.length > 0 ? applied.join('\n') : 'The schema is up to date',
  );
}
