import { checkOf, notice } from '../cli/doctor-check';
import { useTestTerminal } from '../cli/terminal';

const terminal = useTestTerminal();

const recordVersion = (version: string | null) =>
  terminal.db.raw('update pg_database set datcollversion = ? where datname = current_database()', [version]);

describe('the version of the collation', () => {
  it('tourctl doctor is content while the indexes match it', async () => {
    expect(await checkOf(terminal, 'collation')).toMatchObject({ code: 0, status: 'ok' });
  });

  it('tourctl doctor says so when the indexes were built with another one', async () => {
    await recordVersion('0.9');
    expect(await checkOf(terminal, 'collation')).toMatchObject(
      notice('built with version 0.9 of the collation'),
    );
  });

  it('the printed command builds the indexes again, and doctor is content', async () => {
    await recordVersion('0.9');
    const { commands } = (await checkOf(terminal, 'collation')) as { commands: [string] };
    for (const [, statement] of commands[0].matchAll(/-c '([^']+)'/g)) await terminal.db.raw(statement!);
    expect(await checkOf(terminal, 'collation')).toMatchObject({ code: 0, status: 'ok' });
  });
});
