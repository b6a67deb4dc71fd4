import path from 'node:path';
import { COPIED_TABLES } from '../../services/api/backup/tables';
import type { Db } from '../../services/platform/database/database';
import { listMigrations } from '../../services/platform/migrate/migration-files';
import { printTable } from '../bench/table';
import { useTestDatabase } from '../support/database';
import { describeUnless, describeWith } from '../support/describe-with';
import { writeEarlierBackup } from '../support/earlier-backup';
import { readSchemaFacts } from '../support/schema-facts';
import { useTemporaryFolder } from '../support/temporary-folder';
import { givenEarlier0145, givenRelease, RELEASED, upTo } from './releases';
import { expectSale, sellWithin } from './sell-on-server';
import { startServerOf, type StartedServer } from './started-server';
import { findServers, type TestedServer } from './tested-servers';

/** Reads of the terminal, with statements that no sale runs. */
const QUESTIONS = [
  'status',
  'booking list --search lima',
  'booking stats',
  'booking export --out -',
  'booking refusals',
  'hold list --search lima',
  'report sales --from 2020-01-01 --to 2050-01-01 --refunds',
  'report sales --from 2020-01-01 --to 2050-01-01 --by tenant,month,tour,departure',
  'catalog list',
  'catalog export --out -',
  'departure list TOUR',
  'visibility show TENANT',
  'pricing show TENANT',
  'key list TENANT',
  'webhook list',
  'delivery list',
  'audit list',
];

/** The longest time of a step on a busy machine. */
const STEP_MS = 180_000;

const folder = useTemporaryFolder();
/** The database of the run. */
const reference = useTestDatabase();
const servers = findServers(process.env.SERVERS === 'all');
/** The seconds of each step on each server, or why there are none. */
const results = new Map<string, Map<string, string>>();

function record({ name }: TestedServer, step: string, result: string): void {
  results.set(step, (results.get(step) ?? new Map<string, string>()).set(name, result));
}

afterAll(() => {
  const names = servers.map(({ name }) => name);
  const rows = [...results].map(([step, cells]) => [step, ...names.map((name) => cells.get(name) ?? '-')]);
  printTable('Seconds of each step on each server', ['step', ...names], rows);
});

describeWith('postgresql', 'the servers', describeServers, servers.length > 0);

function describeServers(): void {
  for (const server of servers) {
    if (server.missing) record(server, 'version', 'not installed');
    describeUnless(server.missing, `an installation on ${server.name}`, () => describeServer(server));
  }
}

function describeServer(server: TestedServer): void {
  let started: StartedServer;
  beforeAll(async () => {
    started = await startServerOf(await server.programs());
    record(server, 'version', started.version);
  });
  afterAll(() => started?.stop());

  /** Returns a test whose time is a cell of the table. */
  const step = (name: string, work: (on: StartedServer) => Promise<void>) => async () => {
    record(server, name, 'failed');
    const begun = performance.now();
    await work(started);
    record(server, name, ((performance.now() - begun) / 1000).toFixed(1));
  };

  it(
    'tourctl migrate makes the same schema in an empty database',
    step('migrate, new', async (on) => {
      const db = await on.create('fresh');
      expect((await on.tourctl('fresh', 'migrate --json')).json.applied).toEqual(listMigrations());
      await expectSchema(db);
    }),
    STEP_MS,
  );

  describe.each(RELEASED)('a database of $name', (release) => {
    const name = `release_${release.last.slice(0, 4)}`;
    const file = path.join(folder, `${server.name}-${name}`);

    it(
      'migrate gives a database of an earlier release the same schema, it keeps its rows, and sells',
      step(`update, ${release.name}`, async (on) => {
        const db = await on.create(name);
        await givenRelease(db, release);
        await writeEarlierBackup(db, file, upTo(release.last));
        const before = await countRows(db);
        await on.tourctl(name, 'migrate');
        await expectSchema(db);
        expect(await countRows(db)).toMatchObject(before);
        await sellWithin(db);
      }),
      STEP_MS,
    );

    it(
      'a backup of an earlier release is restored with the same schema, and sells',
      step(`restore, ${release.name}`, async (on) => {
        const db = await on.create(`restored_${name}`);
        await on.tourctl(`restored_${name}`, ['restore', file]);
        await expectSchema(db);
        await sellWithin(db);
      }),
      STEP_MS,
    );
  });

  it(
    'migrate gives a database of the first 0145 the same schema, and it sells',
    step('update, first 0145', async (on) => {
      const db = await on.create('first_0145');
      await givenEarlier0145(db);
      await expect(expectSchema(db)).rejects.toThrow('next_update_of');
      await on.tourctl('first_0145', 'migrate');
      await expectSchema(db);
      await sellWithin(db);
    }),
    STEP_MS,
  );

  it(
    'services with the role of the owner sell, and deliver the event',
    step('sell, one role', async (on) => {
      const db = await on.create('of_one');
      await on.tourctl('of_one', 'migrate');
      await expectSale(db, { api: on.urlOf('of_one'), queue: on.urlOf('of_one') });
    }),
    STEP_MS,
  );

  it(
    'the commands that read have an answer, and the doctor finds nothing broken',
    step('read', async (on) => {
      await on.tourctl('of_one', 'catalog import docs/examples/tours.json --yes');
      const { json } = await on.tourctl('of_one', 'tenant list --json');
      for (const question of QUESTIONS) {
        const line = question.replace('TOUR', 'lofoten-by-sail').replace('TENANT', json.items[0].slug);
        await on.tourctl('of_one', line);
      }
      expect((await on.tourctl('of_one', 'doctor')).code).toBe(0);
    }),
    STEP_MS,
  );

  it(
    'services with logins of their own sell, and deliver the event',
    step('sell, three roles', async (on) => {
      await on.createLogins();
      const db = await on.create('of_three');
      await on.tourctl('of_three', 'migrate');
      await expectSchema(db, EVERY_FACT);
      await expectSale(db, loginsOf('of_three', on));
    }),
    STEP_MS,
  );

  it(
    'a backup is restored with its schema and its sale, and sells',
    step('backup, restore', async (on) => {
      const file = path.join(folder, `${server.name}.backup`);
      await on.tourctl('of_three', ['backup', '--out', file]);
      const db = await on.create('restored');
      await on.tourctl('restored', ['restore', file]);
      await expectSchema(db, EVERY_FACT);
      expect((await on.tourctl('restored', 'booking list --json')).json.items).toHaveLength(1);
      await expectSale(db, loginsOf('restored', on));
    }),
    STEP_MS,
  );
}

function loginsOf(database: string, { urlOf }: StartedServer): { api: string; queue: string } {
  return { api: urlOf(database, 'tours_api'), queue: urlOf(database, 'tours_queue') };
}

const EVERY_FACT = (): boolean => true;
/** Leaves out the rights of the logins, which an installation with one role does not have. */
const WITHOUT_LOGINS = (fact: string): boolean => !fact.startsWith('right tour_platform_');

/** Compares the schema with that of the database of the run. */
async function expectSchema(db: Db, isCompared = WITHOUT_LOGINS): Promise<void> {
  const found = (await readSchemaFacts(db)).filter(isCompared);
  const expected = (await readSchemaFacts(reference.db)).filter(isCompared);
  expect({
    missing: expected.filter((fact) => !found.includes(fact)),
    foreign: found.filter((fact) => !expected.includes(fact)),
  }).toEqual({ missing: [], foreign: [] });
}

/** Records of changes and of work to do, which an update may add to. */
const GROWING = ['audit_log', 'catalog_commits', 'change_version', 'next_departures', 'next_departures_due'];

async function countRows(db: Db): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of COPIED_TABLES) {
    if (GROWING.includes(table) || !(await db.schema.hasTable(table))) continue;
    const [row] = await db(table).count<{ count: string }[]>();
    counts[table] = Number(row!.count);
  }
  return counts;
}
