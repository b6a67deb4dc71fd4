import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readBackupFile, writeBackupFile, END_OF_TABLE } from '../../services/api/backup/backup-file';
import { useTestTerminal } from '../cli/terminal';
import { freePorts } from '../support/free-ports';
import { PEPPER } from '../support/given';
import { readSchemaFacts } from '../support/schema-facts';
import { SERVICE_ENTRY } from '../support/service-entry';
import { useTemporaryFolder } from '../support/temporary-folder';

const FIRST = '0001_tenants';
/** The last migration of the builds before 0.1.0. */
const LAST = '0037_departure_status_index';
const SENTENCE = 'This database has migrations from before 0.1.0: migrate with 0.1.0 first';

const folder = useTemporaryFolder();
const backup = path.join(folder, 'present.backup');
/** A terminal on a database that records a migration from before 0.1.0. */
const terminal = useTestTerminal({ KEY_PEPPER: PEPPER });

beforeAll(async () => {
  await terminal.json(`backup --out ${backup}`);
});

/** Runs `work` while the database records this migration. Checks that `work` changes neither the schema nor the record. */
async function withRecorded(name: string, work: () => Promise<void> | void): Promise<void> {
  const { db } = terminal;
  await db('knex_migrations').insert({ name, batch: 1, migration_time: db.fn.now() });
  const state = async () => [await readSchemaFacts(db), await db('knex_migrations').orderBy('id')];
  try {
    const before = await state();
    await work();
    expect(await state()).toEqual(before);
  } finally {
    await db('knex_migrations').where({ name }).delete();
  }
}

describe('a database from before 0.1.0', () => {
  it.each([
    ['migrate', FIRST],
    ['migrate', LAST],
    ['tenant list', LAST],
    ['status', LAST],
    ['backup --out FOLDER/new.backup', LAST],
    ['restore FOLDER/present.backup', LAST],
  ])('tourctl %s refuses a database that lists %s with one sentence, and changes nothing', (line, name) =>
    withRecorded(name, async () => {
      const { code, error } = await terminal.tourctl(`${line.replace('FOLDER', folder)} --json`);
      expect([code, error]).toEqual([1, { code: 'database_too_old', message: SENTENCE }]);
    }),
  );

  it('tourctl doctor ends with 1 and gives the sentence', () =>
    withRecorded(LAST, async () => {
      const { code, json } = await terminal.tourctl('doctor --json');
      expect(code).toBe(1);
      expect(json.checks).toContainEqual(expect.objectContaining({ status: 'broken', detail: SENTENCE }));
    }));
});

describe.each(['api', 'webhook-queue'] as const)('the start of the %s', (service) => {
  it('a service ends with exit code 1 and the sentence', () =>
    withRecorded(LAST, async () => {
      const [port, metrics] = await freePorts();
      const { status, stderr } = spawnSync(process.execPath, [SERVICE_ENTRY[service]], {
        encoding: 'utf8',
        env: {
          ...terminal.env,
          API_PORT: `${port}`,
          WEBHOOK_QUEUE_PORT: `${port}`,
          METRICS_PORT: `${metrics}`,
        },
      });
      expect([status, stderr]).toEqual([1, `${service}: ${SENTENCE}\n`]);
    }));
});

describe('a backup of a database from before 0.1.0', () => {
  it('tourctl restore refuses the backup with one sentence', async () => {
    const old = path.join(folder, 'old.backup');
    await readBackupFile(backup, (header, nextRows) =>
      writeBackupFile(old, async function* () {
        yield Buffer.from(`${JSON.stringify({ ...header, migrations: [FIRST, LAST] })}\n`);
        for (let table = 0; table < header.tables.length; table++) {
          yield* nextRows();
          yield END_OF_TABLE;
        }
      }),
    );
    const { code, error } = await terminal.tourctl(`restore ${old} --json`);
    const message = `${old} has migrations from before 0.1.0: restore it with 0.1.0 first`;
    expect([code, error]).toEqual([1, { code: 'database_too_old', message }]);
  });
});
