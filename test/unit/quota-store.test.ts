import { createMemoryQuotaStore, type QuotaStore } from '../../services/platform/shared-store/quota-store';

const WINDOW = 60_000;

let store: QuotaStore;
beforeEach(() => {
  jest.useFakeTimers({ now: 1_800_000_000_000 });
  store = createMemoryQuotaStore();
});
afterEach(() => jest.useRealTimers());

const pass = (milliseconds: number) => jest.advanceTimersByTime(milliseconds);

async function use(times: number, limit = 10, bucket = 'b'): Promise<number> {
  let allowed = 0;
  for (let n = 0; n < times; n++) if ((await store.consume(bucket, limit)).allowed) allowed++;
  return allowed;
}

describe('the quota store in memory', () => {
  it('the quota store in memory allows exactly as many requests as the limit in a window', async () => {
    expect(await use(25)).toBe(10);
    pass(WINDOW - 1);
    expect(await use(5)).toBe(0);
    pass(1);
    expect(await use(25)).toBe(10);
  });

  it('the quota store in memory counts down the remaining requests and the seconds of the window', async () => {
    expect(await store.consume('b', 3)).toEqual({ allowed: true, remaining: 2, resetSeconds: 60 });
    pass(14_500);
    expect(await store.consume('b', 3)).toEqual({ allowed: true, remaining: 1, resetSeconds: 46 });
    pass(45_499);
    expect(await store.consume('b', 3)).toEqual({ allowed: true, remaining: 0, resetSeconds: 1 });
    expect(await store.consume('b', 3)).toEqual({ allowed: false, remaining: 0, resetSeconds: 1 });
  });

  it('the window of a bucket begins with its first request', async () => {
    pass(59_000);
    await use(10);
    pass(30_000);
    expect(await use(1)).toBe(0);
    pass(30_000);
    expect(await use(1)).toBe(1);
  });

  it.each([
    [240, 240],
    [238, 240],
    [59, 60],
    [1, 1],
    [7, 7],
  ])(
    'a client that sends %i evenly spread requests a minute of its %i is never refused',
    async (rate, limit) => {
      for (let n = 0; n < 5 * rate; n++) {
        expect(await store.consume('b', limit)).toMatchObject({ allowed: true });
        pass(Math.ceil(WINDOW / rate));
      }
    },
  );

  it('the wait of a refused request ends with the window', async () => {
    pass(12_345);
    await use(10);
    pass(20_000);
    const { resetSeconds } = await store.consume('b', 10);
    expect(resetSeconds).toBe(40);
    pass(resetSeconds * 1000);
    expect(await use(11)).toBe(10);
  });

  it('a request can cost several units of the quota', async () => {
    expect(await store.consume('b', 10, 7)).toMatchObject({ allowed: true, remaining: 3 });
    expect(await store.consume('b', 10, 4)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await use(1)).toBe(0);
  });

  it('the quota store in memory counts each bucket separately', async () => {
    expect([await use(11, 10, 'one'), await use(11, 10, 'other')]).toEqual([10, 10]);
  });

  it('a changed limit begins a new window', async () => {
    expect(await use(20, 10)).toBe(10);
    expect(await use(20, 3)).toBe(3);
    expect(await use(20, 12)).toBe(12);
  });

  it('the quota store in memory counts each of many requests at the same instant', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => store.consume('b', 10)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  it('a clock that is set back neither lengthens the window nor announces more than 60 seconds', async () => {
    await use(10);
    jest.setSystemTime(Date.now() - 10 * WINDOW);
    expect(await store.consume('b', 10)).toMatchObject({ allowed: false, resetSeconds: 60 });
    pass(WINDOW);
    expect(await use(1)).toBe(1);
  });

  it('a full quota store deletes the bucket that was idle for longest', async () => {
    store = createMemoryQuotaStore(50);
    await store.consume('website', 10);
    for (let n = 0; n < 40; n++) await store.consume(`address ${n}`, 60);
    expect((await store.consume('website', 10)).remaining).toBe(8);
    for (let n = 40; n < 89; n++) await store.consume(`address ${n}`, 60);
    expect((await store.consume('website', 10)).remaining).toBe(7);
    expect((await store.consume('address 88', 60)).remaining).toBe(58);
    expect((await store.consume('address 0', 60)).remaining).toBe(59);
  });

  it('a full quota store keeps no timer of a deleted bucket', async () => {
    store = createMemoryQuotaStore(50);
    const before = jest.getTimerCount();
    for (let n = 0; n < 500; n++) await store.consume(`address ${n}`, 60 + (n % 3));
    expect(jest.getTimerCount() - before).toBe(50);
  });
});
