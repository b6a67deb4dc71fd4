import fc from 'fast-check';
import { type ApiProcess, startApiProcess } from '../support/api-process';
import { createTestDatabase, type TestDatabase } from '../support/database';
import {
  checkAgreement,
  checkAnswers,
  checkDepartureEvents,
  checkEvents,
  checkWrites,
  readEvents,
} from './check-history';
import { checkChoices } from './check-choices';
import { checkFirstSales, checkSales } from './check-sales';
import { Clients } from './client';
import { createJournal, takeJournal } from './journal';
import { Model } from './model';
import { type Schedule, schedules } from './schedule';
import { givenWorld } from './world';

/** `npm run lab -- model` makes 1,000 runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? 25);
/** Number of runs at the same time. Each has its own tenants and tour. */
const LANES = 4;
/**
 * A failed run prints both values. With both values, the test replays the failed schedule. Replays it several times, because the
 * requests arrive in another order each time.
 */
const { MODEL_SEED, MODEL_PATH } = process.env;
const REPLAYS = 20;

let database: TestDatabase;
/** Two with group commit, and two without. */
let instances: Record<'on' | 'off', ApiProcess[]>;
const figures = { runs: 0, commands: 0, acknowledged: 0, steps: 0 };

beforeAll(async () => {
  database = await createTestDatabase();
  await createJournal(database.db);
  const start = (GROUP_COMMIT: string) => startApiProcess(database.url, { GROUP_COMMIT });
  const [on, off] = await Promise.all(
    ['on', 'off'].map((setting) => Promise.all([start(setting), start(setting)])),
  );
  instances = { on: on!, off: off! };
}, 60_000);
afterAll(async () => {
  for (const api of [...instances.on, ...instances.off]) expect(await api.stop()).toBe(0);
  await database.drop();
}, 30_000);

async function runAndCheck(schedule: Schedule): Promise<void> {
  const { db } = database;
  const world = await givenWorld(db, schedule);
  const baseUrls = schedule.groupCommit.map((setting, n) => instances[setting][n]!.baseUrl);
  const model = new Model(world);
  await checkFirstSales(db, world, model, baseUrls, schedule.firstSales);
  const clients = new Clients(db, world, baseUrls);
  await clients.run(schedule.clients);

  // Reads the journal and the events in one snapshot, because an instance may mark sales as expired between two snapshots.
  const { transactions, events } = await db.transaction(
    async (trx) => ({ transactions: await takeJournal(trx, world), events: await readEvents(trx, world) }),
    { isolationLevel: 'repeatable read' },
  );
  checkAnswers(clients);
  for (const transaction of transactions) model.apply(transaction);
  await checkWrites(db, clients, model);
  checkChoices(clients, world, model);
  checkEvents(events, model);
  checkDepartureEvents(events, world, model);
  await checkAgreement(db, world, model, baseUrls);
  await checkSales(db, world, model, baseUrls);

  figures.runs += 1;
  figures.commands += schedule.clients.flat().length;
  figures.acknowledged += clients.writes.filter(({ answers }) =>
    answers.some(({ status }) => status < 300),
  ).length;
  figures.steps += model.transitions.length;
}

/** Runs schedules one after another, or repeats a failed schedule. @throws Error with the command that replays the failed schedule */
async function runMany(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(schedules, runAndCheck);
  const check = (replayed: fc.Parameters<[Schedule]>) =>
    fc.check(property, { endOnFailure: true, ...replayed });
  if (!MODEL_SEED) return assertPassed(await check({ numRuns }));
  const replay = { seed: Number(MODEL_SEED), path: MODEL_PATH, numRuns: 1 };
  for (let n = 0; n < REPLAYS; n++) assertPassed(await check(replay));
}

function assertPassed(result: fc.RunDetails<[Schedule]>): void {
  if (!result.failed) return;
  const again = `MODEL_SEED=${result.seed} MODEL_PATH=${result.counterexamplePath} npm run lab -- model`;
  const clients = result.counterexample![0].clients.flat().map((command) => JSON.stringify(command));
  throw new Error(`Replay: ${again}\n${clients.join('\n')}`, { cause: result.errorInstance });
}

it(
  'two instances and a model agree after random commands of concurrent clients',
  async () => {
    const lanes = MODEL_SEED ? 1 : Math.min(LANES, RUNS);
    await Promise.all(Array.from({ length: lanes }, () => runMany(Math.ceil(RUNS / lanes))));
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect(figures.acknowledged).toBeGreaterThan(0);
  },
  60_000 + RUNS * 10_000,
);
