import {
  createMemoryQuotaStore,
  type QuotaStore,
  WINDOW_SECONDS,
} from '../../services/platform/shared-store/quota-store';

const MINUTE = 60_000;
/** The beginning of a minute. */
const START = 1_800_000_000_000 - (1_800_000_000_000 % MINUTE);

let time: number;
let store: QuotaStore;
beforeEach(() => {
  time = START;
  store = createMemoryQuotaStore(() => time);
});

async function use(times: number, bucket = 'b', limit = 10): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < times; n++) if ((await store.consume(bucket, limit)).allowed) allowed++;
  return allowed;
}

describe('the quota store in memory', () => {
  it('the quota store in memory allows exactly as many requests as the limit', async () => {
    expect(await use(25)).toBe(10);
  });

  it('the quota store in memory counts down the remaining requests, and refuses with a wait of at least one second', async () => {
    const remaining = [];
    for (let n = 0; n < 3; n++) remaining.push((await store.consume('b', 3)).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    const refused = await store.consume('b', 3);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetSeconds).toBeGreaterThanOrEqual(1);
    expect(Number.isInteger(refused.resetSeconds)).toBe(true);
  });

  it('the quota store in memory counts each bucket separately', async () => {
    expect([await use(11, 'one'), await use(11, 'other')]).toEqual([10, 10]);
  });

  it.each([0, 3, 57, 59.999])(
    'the quota store in memory allows no more than the limit in any 60 s that begin at second %d of a minute',
    async (second) => {
      time = START + second * 1000;
      expect(await use(10)).toBe(10);
      for (const later of [1, 10, 30, 57, 59.9]) {
        time = START + (second + later) * 1000;
        expect(await use(10)).toBe(0);
      }
      time = START + (second + 65) * 1000;
      expect(await use(20)).toBe(10);
    },
  );

  it('the quota store in memory restores the quota gradually after gradual use', async () => {
    for (let n = 0; n < 10; n++) {
      expect(await use(1)).toBe(1);
      time += 6000;
    }
    time = START + 71_000;
    expect(await use(10)).toBe(2);
  });

  it.each([0, 15_000, 59_000])(
    'the quota store in memory allows one more request after the wait that it returned (at %i ms)',
    async (offset) => {
      time = START + offset;
      await use(10);
      const { resetSeconds } = await store.consume('b', 10);
      expect(resetSeconds).toBeGreaterThanOrEqual(60);
      expect(resetSeconds).toBeLessThanOrEqual(65);
      time += resetSeconds * 1000;
      expect(await use(1)).toBe(1);
    },
  );

  it.each([1, 7, 60, 600])(
    "the quota store in memory allows every request of a client that spreads its limit of %i evenly over the policy's window",
    async (limit) => {
      for (let n = 0; n < 3 * limit; n++) {
        time = START + (n * WINDOW_SECONDS * 1000) / limit;
        const answer = await store.consume('b', limit);
        expect(answer.allowed).toBe(true);
        expect(answer.resetSeconds).toBeLessThanOrEqual(WINDOW_SECONDS);
      }
    },
  );

  it('the quota store in memory does not count refused requests', async () => {
    await use(500);
    time = START + 2 * MINUTE;
    expect(await use(10)).toBe(10);
  });

  it('the quota store in memory counts each of many requests at the same instant', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.consume('b', 10)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'the quota store in memory counts a request that begins %d microtasks after the first request of a time slice',
    async (microtasks) => {
      await use(10);
      time += 5000;
      const first = store.consume('b', 10);
      for (let n = 0; n < microtasks; n++) await Promise.resolve();
      const second = store.consume('b', 10);
      expect([(await first).allowed, (await second).allowed]).toEqual([false, false]);
      expect(await use(10)).toBe(0);
    },
  );

  it('the quota store in memory keeps its counts for a minute when the clock goes back by ten minutes', async () => {
    time += 10 * MINUTE;
    await use(10);
    time = START;
    expect(await use(20)).toBe(0);
    time += MINUTE + 5000;
    expect(await use(20)).toBe(10);
  });

  it('the quota store in memory keeps its counts when the clock goes back by a second', async () => {
    await use(10);
    time -= 1000;
    expect(await use(10)).toBe(0);
  });
});
