import { type Db, inTransaction } from '../../services/platform/database/database';
import { EVENT_TYPES } from '../../services/webhook-queue/deliveries/delivery';
import { addEndpoint } from '../../services/webhook-queue/endpoints/add-endpoint';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { givenKey, givenTenant, unique } from '../support/given';
import { givenResource, givenUses } from '../support/given-resources';
import { givenSeats } from '../support/website';
import { type Pair, startPair, untilReady, type Watched } from './fault-points/pair';
import type { FaultPoint, Transaction } from './fault-points/statement-proxy';
import { BOOK_BY_HOLD, holdOf, OTHER_WRITES, TOGETHER, type WriteKind } from './fault-points/writes';
import { ask, askOnce, type Definite, Figures, type Question } from './mixed/ask';
import type { Stock } from './mixed/clients';
import { describeSale, readSales } from './mixed/sales';
import { findUndelivered } from './mixed/verdict';

/**
 * True (`npm run lab -- chaos`): kills before and after each statement of all kinds of writes. False: kills once at each statement of
 * BOOK_BY_HOLD and TOGETHER, and twice at COMMIT.
 */
const LONG = process.env.FAULT_POINTS === 'all';
const SECRETS_KEY = 's'.repeat(32);
/** Attempts to reach one fault point. An attempt misses the point if the requests do not share the first transaction after `arm`. */
const ATTEMPTS = 12;
const TIMEOUT_MS = 20_000;
/** Time for which a batch stays open. Requests reach the sale queue faster than this. */
const OPEN_MS = 300;

const say = (line: string) => process.stdout.write(`${line}\n`);

describe.each([
  ['off', 'without resources', [BOOK_BY_HOLD, ...(LONG ? OTHER_WRITES : [])]],
  ['on', 'on a boat with a guide', [TOGETHER, ...(LONG ? [BOOK_BY_HOLD, ...OTHER_WRITES] : [])]],
] as const)('an API with group commit %s, %s', (setting, resources, kinds) => {
  let database: TestDatabase;
  let db: Db;
  let pair: Pair;
  let authorization: string;
  let stock: Stock;
  const figures = new Figures();
  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.db;
    const tenant = await givenTenant(db, { status: 'active', maxHolds: 100_000, maxUnpaid: 100_000 });
    // Without a subscriber, only booking.created is stored.
    await inTransaction(db, (trx) =>
      addEndpoint(trx, SECRETS_KEY, {
        tenantId: tenant.id,
        url: 'https://example.com/',
        events: [...EVENT_TYPES],
      }),
    );
    authorization = `Bearer ${await givenKey(db, tenant)}`;
    const { tour, date } = await givenSeats(db, { seats: 100_000, prices: { adult: 50_000, child: 30_000 } });
    if (resources !== 'without resources') {
      const boat = await givenResource(db, { places: 100_000, turnaround: 30 });
      const guide = await givenResource(db, { kind: 'guide' });
      await givenUses(db, tour, [{ resource: boat, shared: true }, { resource: guide }]);
    }
    const row = await db('departures').where({ tour_id: tour.id, departure_date: date }).first('id');
    stock = { tour, date, departureId: row.id };
    pair = await startPair(database.url, {
      SECRETS_KEY,
      GROUP_COMMIT: setting,
      PREPARED_STATEMENTS: setting,
    });
    await Promise.all(pair.both.map(untilReady));
  }, 240_000);
  afterAll(async () => {
    await pair?.stop();
    await database?.drop();
  }, 60_000);

  /** Asks these APIs until there is a definite answer. */
  const askAll = (apis: Watched[], question: Question): Promise<Definite> =>
    ask({ apis: apis.map(({ api }) => api.baseUrl), authorization, figures, random: Math.random }, question);

  /** Sends the requests. Several requests wait in the queue while a batch is open, so that the next transaction contains all of them. */
  async function send({ api, proxy }: Watched, questions: Question[], begin = () => {}): Promise<void> {
    const sendOne = (question: Question) => askOnce(api.baseUrl, authorization, question, TIMEOUT_MS);
    const sent: Promise<Definite>[] = [];
    if (questions.length > 1) {
      const isOpen = proxy.delayCommit(OPEN_MS);
      // This hold has no key, so that its statements differ from those of the requests.
      sent.push(sendOne({ ...holdOf(stock, unique('open')), key: undefined }));
      await Promise.race([isOpen, ...sent]);
    }
    begin();
    await Promise.all([...sent, ...questions.map(sendOne)]);
  }

  /** Runs the writes without a fault until one transaction has them all: on a busy machine a request may come after the batch. @returns its statements */
  async function recordTogether(kind: WriteKind): Promise<string[]> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const statements = await record(kind);
      if (statements) return statements;
    }
    throw new Error(`no transaction had all writes of: ${kind.name}`);
  }

  /** Runs the writes without a fault. @returns the statements of the transaction that contains the Idempotency-Keys of all writes; undefined: none does */
  async function record(kind: WriteKind): Promise<string[] | undefined> {
    const [one, other] = pair.both;
    // The test of the previous write kind may have killed this API.
    await untilReady(one);
    const reference = unique('dry');
    const questions = await kind.prepare((question) => askAll([other], question), stock, reference);
    const recorded = one.proxy.record();
    await send(one, questions);
    // The key of the first question is a prefix of the other keys.
    const hasKey = (sent: string, key: string) => new RegExp(`${key}(?!-)`).test(sent);
    const isWhole = ({ statements, sent }: Transaction) =>
      /^commit/i.test(statements.at(-1)!) && questions.every(({ key }) => hasKey(sent, key!));
    const whole = recorded.filter(isWhole);
    expect(whole.length).toBeLessThanOrEqual(1);
    await expectMade(kind, reference, questions, undefined);
    return whole[0]?.statements;
  }

  /** Checks that each write exists once, and that a repeat gets the same bytes. */
  async function expectMade(
    { expected }: WriteKind,
    reference: string,
    questions: Question[],
    answers: Definite[] | undefined,
  ): Promise<void> {
    const { found, doubled } = await readSales(db);
    expect(doubled).toEqual([]);
    const references = expected.map((_, n) => (n === 0 ? reference : `${reference}-${n}`));
    expect(references.map((one) => describeSale(found.get(one)))).toEqual(expected);
    expect(await findUndelivered(db, [])).toEqual([]);
    const keys = questions.map(({ key }) => key!);
    const stored = await db('idempotency_keys').whereIn('key', keys).whereNotNull('answer').pluck('key');
    expect(stored.sort()).toEqual(keys.sort());
    const again = await Promise.all(questions.map((question) => askAll(pair.both, question)));
    expect(again.map(({ replayed }) => replayed)).toEqual(again.map(() => true));
    if (answers) expect(again.map(({ text }) => text)).toEqual(answers.map(({ text }) => text));
  }

  /** Kills an API at the fault point, and repeats the requests. @returns whether the fault point was reached */
  async function killAt(kind: WriteKind, turn: number, point: FaultPoint): Promise<boolean> {
    const victim = pair.both[turn % 2]!;
    const reference = unique('order');
    await untilReady(victim);
    const others = pair.both.filter((one) => one !== victim);
    await Promise.all(others.map(untilReady));
    const questions = await kind.prepare((question) => askAll(others, question), stock, reference);
    await send(victim, questions, () => victim.proxy.arm(point, () => victim.api.kill()));
    const reached = victim.proxy.disarm();
    const answers = await Promise.all(questions.map((question) => askAll(pair.both, question)));
    await expectMade(kind, reference, questions, answers);
    return reached;
  }

  async function killAtUntilReached(kind: WriteKind, point: FaultPoint): Promise<number> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++)
      if (await killAt(kind, attempt + point.statements.length, point)) return attempt;
    throw new Error(`${kind.name} did not come to this statement: ${point.statements.at(-1)}`);
  }

  it.each(kinds.map((kind) => [kind.name, kind] as const))(
    'after a kill at any statement, the retry leaves exactly one change: %s',
    async (_name, kind) => {
      const begun = performance.now();
      const statements = await recordTogether(kind);
      let kills = 0;
      for (let step = 1; step <= statements.length; step++) {
        const both = ['before', 'after'] as const;
        const isCommit = step === statements.length;
        for (const when of LONG || isCommit ? both : [both[step % 2]!])
          kills += await killAtUntilReached(kind, { statements: statements.slice(0, step), when });
      }
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      say(`${kind.name}: ${statements.length} statements, ${kills} trials in ${seconds} s`);
      // BEGIN with the locks, read, write, COMMIT.
      expect(statements.length).toBeGreaterThanOrEqual(4);
    },
    LONG ? 900_000 : 600_000,
  );
});
