import {
  createRenewableValidity,
  type Instant,
  NEVER_VALID,
  createReadCache,
  type CachedEntry,
} from '../../services/platform/read-cache/read-cache';

const DATABASE_TIME = 5_000_000;

let clock: Instant;
const pass = (milliseconds: number) => {
  clock = { monotonic: clock.monotonic + milliseconds, wall: clock.wall + milliseconds };
};
beforeEach(() => (clock = { monotonic: 100, wall: 1_000_000 }));

/** Creates a read-cache validity with the clock above. `poll` renews the validity by a poll that took `tookMs`. */
function givenValidity() {
  const validity = createRenewableValidity(() => clock);
  const poll = (version: number, tookMs = 0) => {
    const began = clock;
    pass(tookMs);
    validity.renew({ version, databaseTime: DATABASE_TIME + clock.monotonic }, began);
  };
  return { validity, poll };
}

describe('read-cache validity', () => {
  it('the validity lasts one second from the start of the poll, not from the answer of the poll', () => {
    const { validity, poll } = givenValidity();
    expect(validity.isValid()).toBe(false);
    poll(7, 400);
    expect(validity.isValid()).toBe(true);
    pass(599);
    expect(validity.isValid()).toBe(true);
    pass(1);
    expect(validity.isValid()).toBe(false);
  });

  it('a poll that took a second does not renew the validity', () => {
    const { validity, poll } = givenValidity();
    poll(7, 1_000);
    expect(validity.isValid()).toBe(false);
  });

  it.each([
    ['the wall clock steps forward', 0, 3_600_000],
    ['the wall clock steps back', 0, -3_600_000],
    ['the machine slept and its monotonic clock with it', 1, 60_000],
  ])('the validity ends when %s, and the next poll renews it', (_, monotonic, wall) => {
    const { validity, poll } = givenValidity();
    poll(7);
    clock = { monotonic: clock.monotonic + monotonic, wall: clock.wall + wall };
    expect(validity.isValid()).toBe(false);
    poll(7);
    expect(validity.isValid()).toBe(true);
  });

  it("read-cache validity estimates the latest time that the database's clock may show", () => {
    const { validity, poll } = givenValidity();
    poll(7, 300);
    // The database read its clock at some time within those 300 ms.
    const read = DATABASE_TIME + clock.monotonic;
    pass(200);
    expect(validity.latestDatabaseTime()).toBe(read + 500);
  });
});

describe('the read cache', () => {
  const answers = <T>(value: T, facts: Partial<CachedEntry<T>> = {}) =>
    jest.fn(async (): Promise<CachedEntry<T>> => ({ value, until: Infinity, size: 1, ...facts }));
  const given = () => {
    const { validity, poll } = givenValidity();
    return { validity, poll, cache: createReadCache(validity, 'test', 10) };
  };

  it('the read cache loads a value once while the cache is valid', async () => {
    const { cache, poll } = given();
    poll(1);
    const load = answers('a');
    for (let n = 0; n < 3; n++) expect(await cache.get('k', load)).toBe('a');
    pass(500);
    poll(1);
    expect(await cache.get('k', load)).toBe('a');
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('the read cache loads a value each time where the cache is never valid', async () => {
    const cache = createReadCache(NEVER_VALID, 'test', 10);
    const load = answers('a');
    await cache.get('k', load);
    await cache.get('k', load);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['once the version has changed', (poll: (version: number) => void) => poll(2)],
    ['while the validity has lapsed', () => pass(1_000)],
    [
      'after a gap in the validity, even with the same version',
      (poll: (version: number) => void) => (pass(1_000), poll(1)),
    ],
  ])('the read cache loads a value again %s', async (_, happen) => {
    const { cache, poll } = given();
    poll(1);
    await cache.get('k', answers('old'));
    happen(poll);
    expect(await cache.get('k', answers('new'))).toBe('new');
  });

  it('a load during which the version changed answers only its own caller, and its value is not kept', async () => {
    const { cache, poll } = given();
    poll(1);
    let arrive = (_: CachedEntry<string>): void => {};
    const slow = cache.get('k', () => new Promise<CachedEntry<string>>((resolve) => (arrive = resolve)));
    poll(2);
    expect(await cache.get('k', answers('new', { until: 0 }))).toBe('new');
    arrive({ value: 'old', until: Infinity, size: 1 });
    expect(await slow).toBe('old');
    expect(await cache.get('k', answers('newer'))).toBe('newer');
  });

  it('concurrent requests share one load', async () => {
    const { cache, poll } = given();
    poll(1);
    const load = answers('a');
    expect(await Promise.all([1, 2, 3].map(() => cache.get('k', load)))).toEqual(['a', 'a', 'a']);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('a cached value expires by the latest possible time of the database clock', async () => {
    const { cache, poll, validity } = given();
    poll(1);
    const until = validity.latestDatabaseTime() + 300;
    await cache.get('k', answers('good', { until }));
    pass(299);
    expect(await cache.get('k', answers('bad'))).toBe('good');
    pass(1);
    expect(await cache.get('k', answers('anew', { until: 0 }))).toBe('anew');
  });

  it('waiting requests do not share a value that was already expired when its load ended', async () => {
    const { cache, poll, validity } = given();
    poll(1);
    const ended = answers('ended', { until: validity.latestDatabaseTime() });
    await Promise.all([cache.get('k', ended), cache.get('k', ended)]);
    expect(ended).toHaveBeenCalledTimes(2);
  });

  it('the next request after a failed load loads again', async () => {
    const { cache, poll } = given();
    poll(1);
    await expect(cache.get('k', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(await cache.get('k', answers('a'))).toBe('a');
  });

  it('a full cache, which counts values and keys, evicts the least recently used first', async () => {
    const { cache, poll } = given();
    poll(1);
    for (let n = 0; n < 10; n++) await cache.get(`k${n}`, answers(n));
    const again = answers(-1);
    await cache.get('k9', again);
    expect(again).not.toHaveBeenCalled();
    await cache.get('k0', again);
    expect(again).toHaveBeenCalledTimes(1);
    await cache.get('x'.repeat(11 * 1024), answers('too large'));
    await cache.get('x'.repeat(11 * 1024), again);
    expect(again).toHaveBeenCalledTimes(2);
  });
});
