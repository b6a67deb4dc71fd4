import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithRedis } from '../support/redis';
import { canMountSmallDisk } from '../support/small-disk';
import { askOnce, Figures } from './mixed/ask';
import { buyLastSeat, type Load, runClient } from './mixed/clients';
import { disturb, listFaults } from './mixed/faults';
import { type Installation, startInstallation } from './mixed/installation';
import type { Supervised } from './mixed/supervise';
import { between, createRandom, type Random, shuffle } from './mixed/random';
import {
  countSeats,
  FAULTLESS,
  findOpenTransactions,
  findUnfinished,
  findWorkersWithLease,
  inspect,
} from './mixed/verdict';

/** The long form is `npm run lab -- chaos`. */
const KILLS = Number(process.env.KILLS ?? 5);
/** Repeats the order of the faults and the random choices of the clients. The timing of the processes still differs. */
const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));
const CLIENTS = 8;
/** Average milliseconds between two kills. */
const KILL_EVERY_MS = KILLS > 10 ? 6000 : 4000;
const CLOCK_SHIFT_MS = 7 * 60_000;
/** Longer than a lease of the queue and the pauses of its breakers, on a slow machine too. */
const SETTLE_MS = 240_000;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Calls `find` until it returns an empty list, or for SETTLE_MS at most. @returns the last list */
async function untilNone(find: () => Promise<string[]>): Promise<string[]> {
  for (const end = Date.now() + SETTLE_MS; ; await sleep(200)) {
    const left = await find();
    if (left.length === 0 || Date.now() > end) return left;
  }
}

describeWithRedis(`two APIs and two queues in chaos (CHAOS_SEED=${SEED})`, () => {
  const random = createRandom(SEED);
  const canFillDisk = canMountSmallDisk();
  let installation: Installation;
  beforeAll(async () => {
    say(`CHAOS_SEED=${SEED}`);
    installation = await startInstallation({ ownDisk: canFillDisk, clockShiftMs: CLOCK_SHIFT_MS });
    await untilReady();
  }, 60_000 + SETTLE_MS);
  afterAll(() => installation?.stop(), 60_000);

  const services = () => [...installation.apis, ...installation.queues];

  async function untilReady(): Promise<void> {
    const unready = async () => {
      const ready = await Promise.all(services().map((one) => one.isReady()));
      return services().flatMap(({ baseUrl }, n) => (ready[n] ? [] : [baseUrl]));
    };
    expect(await untilNone(unready)).toEqual([]);
  }

  async function kill(order: Random): Promise<void> {
    // Each API is killed twice as often as a queue.
    const victims = () => shuffle(order, [...installation.apis, ...services()]);
    for (let left: Supervised[] = [], kills = 0; kills < KILLS; kills++) {
      await sleep(between(order, 0, 2 * KILL_EVERY_MS));
      if (left.length === 0) left = victims();
      await left.pop()!.kill();
    }
  }

  /** Kills both queues together, again and again, until a killed queue leaves a delivery with an unfinished lease. */
  async function killQueuesAtWork(): Promise<{ kills: number; killedAtWork: string[] }> {
    const { db, queues } = installation;
    let kills = 0;
    for (const end = Date.now() + SETTLE_MS; Date.now() < end; await sleep(5)) {
      const before = await findWorkersWithLease(db);
      if (before.length === 0) continue;
      await Promise.all(queues.map((queue) => queue.kill()));
      kills += queues.length;
      const after = await findWorkersWithLease(db);
      const killedAtWork = after.filter((worker) => before.includes(worker));
      if (killedAtWork.length > 0) return { kills, killedAtWork };
    }
    return { kills, killedAtWork: [] };
  }

  /**
   * Reads the free seats of each departure from each API, without a retry.
   * @returns the answers that disagree with the rows of holds and bookings
   */
  async function compareAvailability(): Promise<string[]> {
    const { apis, authorization, db, stock } = installation;
    const seats = await countSeats(db, stock);
    const reading = seats.flatMap(({ slug, date, total, taken }) =>
      apis.map(async ({ baseUrl }) => {
        const path = `/api/gateway/tours/${slug}/availability?departure_date=${date}`;
        const { body, text } = await askOnce(baseUrl, authorization, { method: 'GET', path }, 30_000);
        return body.seats_available === Math.max(0, total - taken)
          ? []
          : [`${baseUrl}: ${text}, taken ${taken}`];
      }),
    );
    return (await Promise.all(reading)).flat();
  }

  it(
    'the services lose no acknowledged write, repeat none, oversell nothing, and recover without help',
    async () => {
      const { apis, db, authorization, stock, receiver } = installation;
      const figures = new Figures();
      const shared = { figures, authorization, stock, apis: apis.map(({ baseUrl }) => baseUrl) };
      const load: Omit<Load, 'random'> = { ...shared, promised: new Map(), unexpected: [] };
      const loads = Array.from({ length: CLIENTS }, () => ({
        ...load,
        random: createRandom(random() * 2 ** 32),
      }));
      const [killOrder, faultOrder] = [0, 1].map(() => createRandom(random() * 2 ** 32)) as [Random, Random];

      const begun = performance.now();
      let isKilled = false;
      let isOver = false;
      const clients = loads.map((one, name) => runClient(one, name, () => isOver));
      const killing = kill(killOrder).then(() => (isKilled = true));
      const disturbing = disturb(faultOrder, listFaults({ ...installation, canFillDisk }), () => isKilled);
      const faults = await Promise.race([
        Promise.all([killing, disturbing]).then(([, counts]) => counts),
        // A client that gets no definite answer ends the run.
        Promise.all(clients).then(() => ({})),
      ]);
      const lastFault = performance.now();
      await untilReady();
      const recovered = performance.now();
      const { kills: more, killedAtWork } = await killQueuesAtWork();
      const lastKill = performance.now();
      isOver = true;
      await Promise.all(clients);
      const served = await Promise.all(loads.map(buyLastSeat));
      await untilReady();
      expect(await untilNone(compareAvailability)).toEqual([]);
      const unfinished = await untilNone(() => findUnfinished(db));
      const open = await untilNone(() => findOpenTransactions(db));
      const drained = performance.now();

      const seen = await receiver.seen();
      const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
      const kinds = Object.entries(faults).map(([name, count]) => `${name}: ${count}`);
      if (!canFillDisk) kinds.push('the disk is full: 0, because a small disk needs root');
      const restarts = services().reduce((sum, one) => sum + one.restarts(), 0);
      const reasons = [...figures.reasons].map(([reason, count]) => `${reason}: ${count}`);
      say(
        [
          `seed ${SEED}, ${seconds(lastFault - begun)} of faults, load ${loadavg()[0]!.toFixed(1)}`,
          `${KILLS + more} kills, ${restarts} restarts of services; ${kinds.join(', ')}`,
          `${figures.answered} requests acknowledged, ${figures.soldOut} of them sold out, ${figures.retries} retries, ${figures.replayed} answers by a replay`,
          `retries after ${reasons.join(', ')}`,
          `${load.promised.size} sales, ${seen.length} requests at the receiver`,
          `longest time without a success ${seconds(figures.longestGap)}; all services were ready ${seconds(recovered - lastFault)} after the last fault, the queue was empty ${seconds(drained - lastKill)} after the last kill`,
        ].join('\n'),
      );
      const { unexpected } = load;
      const none = { unexpected: [], unfinished: [], open: [] };
      const faulty = await inspect(db, load, seen);
      expect({ unexpected, unfinished, open, ...faulty }).toEqual({ ...none, ...FAULTLESS });
      expect(killedAtWork).not.toEqual([]);
      expect(served).toContain(false);
      expect(restarts).toBeGreaterThanOrEqual(KILLS + more);
    },
    KILLS * KILL_EVERY_MS * 4 + 4 * SETTLE_MS,
  );
});
