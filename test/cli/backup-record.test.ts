import { useTemporaryFolder } from '../support/temporary-folder';
import { checkOf } from './doctor-check';
import { useTestTerminal } from './terminal';

const THREE_HOURS_AGO = "now() - interval '3 hours 20 seconds'";

const terminal = useTestTerminal();
const folder = useTemporaryFolder();

/** Returns the age of the last backup as the metrics show it, in seconds. */
async function backupAge(): Promise<number> {
  const { rows } = await terminal.db.raw('select backup_age_seconds from database_health()');
  return rows[0].backupAgeSeconds;
}

describe('the age of the last backup', () => {
  beforeEach(async () => {
    await terminal.db.raw("update knex_migrations set migration_time = now() - interval '3 days'");
    await terminal.db('audit_log').delete();
  });

  it('a backup is as old as the installation until the first one is made', async () => {
    expect(await backupAge()).toBeGreaterThan(3 * 86_400 - 60);
  });

  it('tourctl backup leaves an audit row at its end, from which its age is counted', async () => {
    const file = `${folder}/tours.backup`;
    await terminal.json(`backup --out ${file}`);
    const audits = await terminal.db('audit_log').orderBy('id').select('action', 'subject');
    expect(audits).toEqual([
      { action: 'backup', subject: file },
      { action: 'backup.complete', subject: file },
    ]);
    expect(await backupAge()).toBeLessThan(60);
  });

  it('a backup that fails does not count', async () => {
    expect(await terminal.refusal(`backup --out ${folder}/${'n'.repeat(250)}`)).toBe('1 file_not_written');
    expect(await backupAge()).toBeGreaterThan(86_400);
  });

  it('tourctl backup --record counts the backup of another tool and writes no file', async () => {
    const { json, stdout } = await terminal.tourctl('backup --record pgbackrest --json');
    expect([json, stdout.includes('tables')]).toEqual([{ recorded: 'pgbackrest' }, false]);
    expect(await terminal.db('audit_log').pluck('subject')).toEqual(['pgbackrest']);
    expect(await backupAge()).toBeLessThan(60);
  });

  it('tourctl doctor tells the age of the last backup, and never fails for it', async () => {
    const advice = { code: 0, ok: true, name: 'backup', status: 'ok', commands: [] };
    expect(await checkOf(terminal, 'backup')).toEqual({
      ...advice,
      detail: 'no backup was made with tourctl yet (docs/back-up-and-restore.md)',
    });
    await terminal.json('backup --record pgbackrest');
    await terminal.db('audit_log').update({ at: terminal.db.raw("now() - interval '3 days'") });
    expect((await checkOf(terminal, 'backup')).detail).toBe('last backup: 3 d ago (pgbackrest)');
    const file = `${folder}/later.backup`;
    await terminal.json(`backup --out ${file}`);
    await terminal
      .db('audit_log')
      .where({ subject: file })
      .update({ at: terminal.db.raw(THREE_HOURS_AGO) });
    expect(await checkOf(terminal, 'backup')).toEqual({
      ...advice,
      detail: `last backup: 3 h ago (${file})`,
    });
  });

  it('tourctl doctor does not count a backup that did not end', async () => {
    await terminal.db('audit_log').insert({ actor: 'olga', host: 'host', action: 'backup', subject: 'cut' });
    expect((await checkOf(terminal, 'backup')).detail).toMatch(/^no backup was made/);
  });

  it('tourctl backup refuses --record together with --out', async () => {
    const { code, stderr } = await terminal.tourctl('backup --record pgbackrest --out x.backup');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--record writes no file: leave out --out')]);
  });
});
