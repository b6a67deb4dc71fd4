import { createLogger } from '../../services/platform/logger';
import { listMigrations, readMigration } from '../../services/platform/migrate/migration-files';
import { NEEDS_STOPPED_INSTANCES } from '../../services/platform/migrate/running-instances';
import { Readiness, type Trial } from '../../services/platform/readiness';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();
const log = createLogger('silent', 'test');

/** Counts how often it runs. */
function countedTrial(): Trial & { runs: number } {
  const trial = {
    runs: 0,
    run: () => {
      trial.runs += 1;
      return Promise.resolve();
    },
  };
  return trial;
}

const HOUR_MS = 3_600_000;

describe('a readiness', () => {
  it('many requests at the same time share one check, and its result is given again while it is fresh', async () => {
    const trial = countedTrial();
    const readiness = new Readiness(database.db, trial, log, HOUR_MS);
    const reasons = await Promise.all(Array.from({ length: 20 }, () => readiness.whyNot()));
    expect(new Set(reasons)).toEqual(new Set([undefined]));
    await readiness.whyNot();
    expect(trial.runs).toBe(1);
  });

  it('a result that is no longer fresh is checked again', async () => {
    const trial = countedTrial();
    const readiness = new Readiness(database.db, trial, log, 0);
    await readiness.whyNot();
    await readiness.whyNot();
    expect(trial.runs).toBe(2);
  });

  it('a check rolls back what its trial writes', async () => {
    const { db } = database;
    const trial: Trial = {
      run: async (trx) => void (await trx('rolling_migrations').insert({ name: '9999_tried' })),
    };
    expect(await new Readiness(db, trial, log).whyNot()).toBeUndefined();
    expect(await db('rolling_migrations').where({ name: '9999_tried' })).toEqual([]);
  });

  it('an error of the server that has no words of its own is a refusal of writes', async () => {
    const trial: Trial = { run: async (trx) => void (await trx.raw(`select 1 / 0`)) };
    expect(await new Readiness(database.db, trial, log).whyNot()).toBe('database refuses writes');
  });
});

/** The first number of a migration that an instance with this check can lack. Those below belong to the release that brought the check. */
const FIRST_LATER = '0160';

describe('the migrations of later releases', () => {
  it('each of them declares either that it is rolling, by its own name, or that it needs stopped instances', () => {
    for (const name of listMigrations().filter((one) => one >= FIRST_LATER)) {
      const sql = readMigration(name);
      const declarations = [
        sql.includes(`rolling_migrations values ('${name}')`),
        sql.includes(NEEDS_STOPPED_INSTANCES),
      ];
      expect([name, declarations.filter(Boolean).length]).toEqual([name, 1]);
    }
  });
});
