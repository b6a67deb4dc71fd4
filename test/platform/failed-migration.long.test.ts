import path from 'node:path';
import { inTransaction } from '../../services/platform/database/database';
import { migrateWithin } from '../../services/platform/migrate/migrate';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { useInstallations } from '../backup/installation';
import type { TestTerminal } from '../cli/terminal';
import { useTemporaryFolder } from '../support/temporary-folder';

const installations = useInstallations();
const folder = useTemporaryFolder();

/** Opens a terminal on a database with the migrations before `next`, in which a function has the name of one that `stopped` creates. */
async function givenObstacle(next: string, signature: string): Promise<TestTerminal> {
  const terminal = await installations.bare();
  await inTransaction(terminal.db, (trx) =>
    migrateWithin(
      trx,
      listMigrations().filter((name) => name < next),
    ),
  );
  await terminal.db.raw(`create function ${signature} returns text language sql return 'an obstacle'`);
  return terminal;
}

const taken = (name: string) => `function "${name}" already exists with same argument types (SQLSTATE 42723)`;

describe('an update whose migration fails', () => {
  it('names the migration, the sentence of the server, and the way back if nothing was applied', async () => {
    const terminal = await givenObstacle('0141', 'is_cutoff(cutoff text)');
    const { code, stderr } = await terminal.tourctl('migrate');
    expect([code, stderr.split('\n')]).toEqual([
      1,
      [
        `error: Migration 0141_closing_and_cancellation failed: ${taken('is_cutoff')}`,
        '  This run applied no other',
        '  To go on, remove the cause and run tourctl migrate again: it begins with 0141_closing_and_cancellation',
        '  To go back, start the version before on this database',
        '',
      ],
    ]);
    await terminal.db.raw('drop function is_cutoff(text)');
    expect((await terminal.json('migrate')).applied[0]).toBe('0141_closing_and_cancellation');
  });

  it('lists what was applied, and after an update that is not rolling leads back to the backup', async () => {
    const terminal = await givenObstacle('0141', 'first_category(categories jsonb)');
    const { error } = await terminal.tourctl('migrate --json');
    expect(error).toMatchObject({ code: 'migration_failed' });
    const applied = '0141_closing_and_cancellation, 0143_refunds_by_cancellation';
    expect(error.message.split('\n')).toEqual([
      `Migration 0144_price_categories failed: ${taken('first_category')}`,
      `Applied before it in this run: ${applied}`,
      expect.stringMatching(/begins with 0144_price_categories$/),
      'To go back, restore the backup from before the update with the version before',
    ]);
  });

  it('leads back to an empty database if the installation is new', async () => {
    const terminal = await givenObstacle('0101', 'refuse_another_kind()');
    const { stderr } = await terminal.tourctl('migrate');
    expect(stderr).toMatch(/^error: Migration 0101_tenants failed: .*\n +This run applied no other\n/);
    await terminal.db.raw('drop function refuse_another_kind()');
    await terminal.db.raw(
      `create function images_with_safe_addresses(images jsonb) returns jsonb language sql return images`,
    );
    const second = await terminal.tourctl('migrate');
    expect(second.stderr).toContain('Applied before it in this run: 0101_tenants, 0102_credentials\n');
    expect(second.stderr).toContain('To go back, begin with an empty database\n');
  });

  it('does not show a value that the server quotes', async () => {
    const terminal = await givenObstacle('0141', 'unrelated()');
    await terminal.db.raw(`
      create function complain() returns event_trigger language plpgsql as $$
      begin raise exception 'invalid input syntax for type date: "Ana Lima"' using errcode = '22007'; end $$;
      create event trigger complaining on ddl_command_start when tag in ('ALTER TABLE') execute function complain()`);
    const { stderr } = await terminal.tourctl('migrate');
    expect(stderr).toContain('failed: invalid input syntax for type date: "…" (SQLSTATE 22007)\n');
    expect(stderr).not.toContain('Ana');
  });
});

describe('a restore whose migration fails', () => {
  it('names the migration and the sentence of the server, and does not blame the backup', async () => {
    const source = await installations.migrated();
    const file = path.join(folder, 'good.backup');
    await source.json(`backup --out ${file}`);
    const target = await installations.bare();
    await target.db.raw(
      `create function is_cutoff(cutoff text) returns text language sql return 'an obstacle'`,
    );
    const { code, error } = await target.tourctl(`restore ${file} --json`);
    expect([code, error]).toEqual([
      1,
      {
        code: 'migration_failed',
        message: `Migration 0141_closing_and_cancellation failed: ${taken('is_cutoff')}\nNothing was changed: remove the cause, and try again`,
      },
    ]);
    await target.db.raw('drop function is_cutoff(text)');
    expect((await target.tourctl(`restore ${file}`)).code).toBe(0);
  });
});
