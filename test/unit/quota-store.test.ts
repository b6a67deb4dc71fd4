import { createMemoryQuotaStore, type QuotaStore } from '../../services/platform/quota-store';

const MINUTE = 60_000;
/** The beginning of a window. */
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
  it('lets exactly the limit through', async () => {
    expect(await use(25)).toBe(10);
  });

  it('counts down what remains, and refuses with a wait of at least one second', async () => {
    const remaining = [];
    for (let n = 0; n < 3; n++) remaining.push((await store.consume('b', 3)).remaining);
    expect(remaining).toEqual([2, 1, 0]);
    const refused = await store.consume('b', 3);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetSeconds).toBeGreaterThanOrEqual(1);
    expect(Number.isInteger(refused.resetSeconds)).toBe(true);
  });

  it('counts each bucket for itself', async () => {
    expect([await use(11, 'one'), await use(11, 'other')]).toEqual([10, 10]);
  });

  it('lets not twice the limit through at the boundary of two windows', async () => {
    time = START + MINUTE - 1;
    expect(await use(10)).toBe(10);
    time = START + MINUTE + 1;
    expect(await use(10)).toBe(0);
    time = START + MINUTE + MINUTE / 2;
    expect(await use(10)).toBe(5);
    time = START + 3 * MINUTE;
    expect(await use(20)).toBe(10);
  });

  it.each([0, 15_000, 59_000])(
    'lets one more through after the wait it told, and not a second before (at %i ms)',
    async (offset) => {
      time = START + offset;
      await use(10);
      const { resetSeconds } = await store.consume('b', 10);
      time += (resetSeconds - 1) * 1000;
      expect(await use(1)).toBe(0);
      time += 1000;
      expect(await use(1)).toBe(1);
    },
  );

  it('does not count what it refused', async () => {
    await use(500);
    time = START + 2 * MINUTE;
    expect(await use(10)).toBe(10);
  });

  it('is not fooled by requests at the same instant', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.consume('b', 10)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
  });
});
