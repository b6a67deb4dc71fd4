import fc from 'fast-check';
import { loadConfig } from '../../services/platform/config/config';
import type { AttemptReport, NextStep } from '../../services/webhook-queue/deliveries/delivery';
import { isThrottled, readRetryAfter } from '../../services/webhook-queue/sending/classify-response';
import { decideNext } from '../../services/webhook-queue/worker/retry-schedule';

const SCHEDULE = loadConfig({}).webhooks.retryScheduleSeconds;
const DAY = 86_400;
const failed = { outcome: 'http_error', statusCode: 500, retryAfterSeconds: null } as const;
const throttled = { outcome: 'http_error', statusCode: 429, retryAfterSeconds: null } as const;
const fresh = { tries: 0, uncounted: 0 };

const schedules = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 12 });
const draws = fc.double({ min: 0, max: 1, noNaN: true });
const reports = fc.record({
  outcome: fc.constantFrom('http_error' as const, 'timeout' as const, 'interrupted' as const),
  statusCode: fc.constantFrom(null, 301, 400, 429, 500, 503),
  retryAfterSeconds: fc.option(fc.double({ min: 0, noNaN: true })),
});
type Report = Pick<AttemptReport, 'outcome' | 'statusCode' | 'retryAfterSeconds'>;

/** Runs a delivery that never succeeds until it is dead, or until it has had a hundred attempts. */
function attemptsOf(schedule: number[], answers: Iterator<Report>, randoms: Iterator<number>) {
  const tries: { report: Report; next: NextStep; before: number }[] = [];
  let [before, throttledBefore] = [0, 0];
  while (tries.length < 100 && tries.at(-1)?.next.status !== 'dead') {
    const report = answers.next().value as Report;
    const random = randoms.next().value as number;
    const next = decideNext(report, { tries: before, uncounted: throttledBefore }, schedule, () => random);
    tries.push({ report, next, before });
    before = next.tries;
    if (isThrottled(report.statusCode)) throttledBefore++;
  }
  return tries;
}

/**
 * Simulates deliveries at a fixed interval to one receiver, which answers 429 to every second request.
 * @returns the last status of each delivery
 */
function simulateThrottled({ deliveries, everySeconds }: { deliveries: number; everySeconds: number }) {
  const schedule = [0, 0.05, 0.1, 0.2, ...Array.from({ length: 16 }, () => 0.3)];
  const random = seededRandom();
  const waiting: { at: number; tries: number; uncounted: number }[] = [];
  const outcomes: NextStep['status'][] = [];
  let [added, requests] = [0, 0];
  while (outcomes.length < deliveries) {
    while (added < deliveries && waiting.every(({ at }) => at > added * everySeconds))
      waiting.push({ at: added++ * everySeconds, tries: 0, uncounted: 0 });
    const first = waiting.reduce((earliest, one) => (one.at < earliest.at ? one : earliest));
    const statusCode = ++requests % 2 === 1 ? 429 : 204;
    const outcome = statusCode === 429 ? 'http_error' : 'delivered';
    const retryAfterSeconds = requests % 4 === 1 ? 0 : 1;
    const next = decideNext({ outcome, statusCode, retryAfterSeconds }, first, schedule, random);
    first.at += next.waitSeconds;
    first.tries = next.tries;
    first.uncounted += 1;
    if (next.status === 'retrying') continue;
    waiting.splice(waiting.indexOf(first), 1);
    outcomes.push(next.status);
  }
  return outcomes;
}

/** Returns a linear congruential generator, so that the simulation is the same in each run. */
function seededRandom(): () => number {
  let state = 42;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

describe('the retry schedule', () => {
  it('the retry schedule tries ten times within 75 hours, 35 minutes and 5 seconds, the second time after 5 seconds', () => {
    const waits: number[] = [];
    for (let tries = 0; ;) {
      const next = decideNext(failed, { tries, uncounted: 0 }, SCHEDULE, () => 0.5);
      if (next.status === 'dead') break;
      waits.push(next.waitSeconds);
      tries = next.tries;
    }
    expect(waits).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(75 * 3600 + 35 * 60 + 5);
  });

  it('the retry schedule makes each wait up to a fifth shorter or longer than its step, evenly distributed', () => {
    for (let tries = 0; tries < SCHEDULE.length - 1; tries++) {
      const step = SCHEDULE[tries + 1]!;
      const shares = Array.from({ length: 2000 }, () => {
        return decideNext(failed, { tries, uncounted: 0 }, SCHEDULE).waitSeconds / step;
      });
      expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.8);
      expect(Math.max(...shares)).toBeLessThanOrEqual(1.2);
      for (let from = 0.8; from < 1.19; from += 0.1) {
        const near = shares.filter((share) => share >= from && share < from + 0.1).length;
        // Each quarter contains a quarter of the draws, within six standard deviations.
        expect(Math.abs(near - 500)).toBeLessThan(120);
      }
    }
  });

  it('a retry waits for 80 to 120 % of its step, or longer for a Retry-After, until the schedule has no step left', () => {
    const spent = fc.record({
      tries: fc.integer({ min: 0, max: 12 }),
      uncounted: fc.integer({ min: 0, max: 9 }),
    });
    const report = fc.record({
      outcome: fc.constant('http_error' as const),
      statusCode: fc.constantFrom(400, 429, 500, 503, null),
      retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 1e9 })),
    });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(report, spent, random, (answer, before, draw) => {
        const next = decideNext(answer, before, SCHEDULE, () => draw);
        const free = [429, 503].includes(answer.statusCode ?? 0) && before.uncounted < 3;
        const step = SCHEDULE[before.tries + 1] ?? (free ? DAY : undefined);
        if (step === undefined) return next.status === 'dead';
        const requested = Math.min(answer.retryAfterSeconds ?? 0, DAY);
        const early = next.waitSeconds < Math.max(0.8 * step - 1e-6, requested);
        const spread = isThrottled(answer.statusCode) ? 60 : 0;
        const longest = Math.max(1.2 * step, Math.min(1.2 * requested, DAY)) + spread;
        const late = next.waitSeconds > longest + 1e-6;
        return next.status === 'retrying' && next.tries === before.tries + (free ? 0 : 1) && !early && !late;
      }),
    );
  });

  it('a delivery ends after as many attempts as the schedule has steps, or up to three more', () => {
    fc.assert(
      fc.property(
        schedules,
        fc.infiniteStream(reports),
        fc.infiniteStream(draws),
        (schedule, answers, randoms) => {
          const tries = attemptsOf(schedule, answers, randoms);
          const spent = tries.filter(({ report }) => report.outcome !== 'interrupted').length;
          return (
            tries.at(-1)!.next.status === 'dead' && spent >= schedule.length && spent <= schedule.length + 3
          );
        },
      ),
    );
  });

  it('a retry never starts before 80 % of its step or before the end of Retry-After', () => {
    fc.assert(
      fc.property(
        schedules,
        fc.infiniteStream(reports),
        fc.infiniteStream(draws),
        (schedule, answers, randoms) =>
          attemptsOf(schedule, answers, randoms).every(({ report, next, before }) => {
            if (next.status === 'dead') return true;
            if (report.outcome === 'interrupted') return next.waitSeconds === 0 && next.tries === before;
            const step = schedule[before + 1] ?? schedule.at(-1)!;
            const requested = Math.min(report.retryAfterSeconds ?? 0, DAY);
            return (
              Number.isFinite(next.waitSeconds) && next.waitSeconds >= Math.max(0.8 * step - 1e-6, requested)
            );
          }),
      ),
    );
  });

  it('the retry schedule waits for a day at most, even for an infinite Retry-After', () => {
    for (const statusCode of [500, 429]) {
      const report = { outcome: 'http_error', statusCode, retryAfterSeconds: Infinity } as const;
      const { waitSeconds } = decideNext(report, fresh, SCHEDULE, () => 0);
      expect(waitSeconds).toBe(DAY);
    }
  });

  it('the retry schedule does not count an attempt that a shutdown cut off', () => {
    const interrupted = { outcome: 'interrupted', statusCode: null, retryAfterSeconds: null } as const;
    const before = { tries: 9, uncounted: 0 };
    expect(decideNext(interrupted, before, SCHEDULE)).toEqual({
      status: 'retrying',
      waitSeconds: 0,
      tries: 9,
    });
  });

  it('the retry schedule ends at once after a 410', () => {
    const gone = { outcome: 'gone', statusCode: 410, retryAfterSeconds: null } as const;
    expect(decideNext(gone, fresh, SCHEDULE).status).toBe('dead');
  });
});

describe('429 and 503', () => {
  it('the first three 429 or 503 responses do not count as tries', () => {
    for (const statusCode of [429, 503]) {
      const tries = [0, 1, 2, 3, 4].map((before) => {
        return decideNext({ ...throttled, statusCode }, { tries: 2, uncounted: before }, SCHEDULE).tries;
      });
      expect(tries).toEqual([2, 2, 2, 3, 3]);
    }
  });

  it('after the last step, a third uncounted 429 is retried, and a fourth ends the delivery', () => {
    const last = SCHEDULE.length - 1;
    const next = decideNext(throttled, { tries: last, uncounted: 2 }, SCHEDULE, () => 0.5);
    expect(next).toEqual({ status: 'retrying', waitSeconds: DAY + 30, tries: last });
    expect(decideNext(throttled, { tries: last, uncounted: 3 }, SCHEDULE).status).toBe('dead');
  });

  it('a kept connection that closes is retried at once three times, and the fourth time counts as a try', () => {
    const hungUp = { outcome: 'hung_up', statusCode: null, retryAfterSeconds: null } as const;
    for (const uncounted of [0, 1, 2]) {
      const next = decideNext(hungUp, { tries: 1, uncounted }, SCHEDULE);
      expect(next).toEqual({ status: 'retrying', waitSeconds: 0, tries: 1 });
    }
    const counted = decideNext(hungUp, { tries: 1, uncounted: 3 }, SCHEDULE, () => 0.5);
    expect(counted).toEqual({ status: 'retrying', waitSeconds: SCHEDULE[2], tries: 2 });
  });

  it('a 429 delays the retry as long as requested, and by a day and a minute at most', () => {
    const before = { tries: 0, uncounted: 1 };
    const wait = (retryAfterSeconds: number, draw: number) =>
      decideNext({ ...throttled, retryAfterSeconds }, before, SCHEDULE, () => draw).waitSeconds;
    expect([wait(100, 0), wait(100, 1)]).toEqual([100, 180]);
    expect([wait(DAY, 1), wait(1e9, 0.5), wait(Infinity, 0)]).toEqual([DAY + 60, DAY + 30, DAY]);
    expect(wait(1, 0)).toBe(4);
  });

  it('the first retry after a 429 follows after 4 to 6 seconds, or after a longer Retry-After', () => {
    const first = (retryAfterSeconds: number | null, draw: number) =>
      decideNext({ ...throttled, retryAfterSeconds }, fresh, SCHEDULE, () => draw).waitSeconds;
    for (const retryAfter of [null, 0, 2])
      expect([first(retryAfter, 0), first(retryAfter, 1)]).toEqual([4, expect.closeTo(6)]);
    expect([first(30, 0), first(30, 1)]).toEqual([30, 36]);
  });

  it('each further 429 spreads the retries over a longer time, up to a minute', () => {
    const longest = (uncounted: number, tries = 0) =>
      decideNext(throttled, { tries, uncounted }, SCHEDULE, () => 1).waitSeconds;
    expect([0, 1, 2, 20].map((uncounted) => Math.round(longest(uncounted)))).toEqual([6, 11, 16, 66]);
    expect(longest(1, 1)).toBeCloseTo(1.2 * 300 + 60);
  });

  it('a receiver that refuses half of the requests loses no delivery', () => {
    const outcomes = simulateThrottled({ deliveries: 20_000, everySeconds: 0.55 });
    expect(outcomes.filter((outcome) => outcome === 'dead')).toEqual([]);
    expect(outcomes.length).toBe(20_000);
  });
});

describe('Retry-After', () => {
  const now = new Date('2031-05-01T12:00:00Z');

  it('a Retry-After with a date does not end before that second', () => {
    const moment = fc.date({ min: new Date('2031-05-01'), max: new Date('2041-05-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, moment, (until, at) => {
        const named = Math.floor(until.getTime() / 1000) * 1000;
        const over = at.getTime() + readRetryAfter(until.toUTCString(), at)! * 1000;
        return over >= named && over < Math.max(named, at.getTime()) + 1000;
      }),
    );
  });

  it('readRetryAfter returns null or a number from 0 on for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[0-9.eE+-]{0,400}$/),
      fc.stringMatching(/^(Mon|Thursday),? [0-9A-Za-z:, +-]{0,40}( GMT)?$/),
    );
    fc.assert(
      fc.property(text, (header) => {
        const seconds = readRetryAfter(header, now);
        return seconds === null || seconds >= 0;
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['120', 120],
    ['0', 0],
    ['99999999999', 99_999_999_999],
    ['Thu, 01 May 2031 12:01:30 GMT', 90],
    ['Thursday, 01-May-31 12:01:30 GMT', 90],
    ['Thu May  1 12:01:30 2031', 90],
    ['Thu, 01 May 2031 11:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['2031', 2031],
    ['', null],
    [undefined, null],
  ])('a Retry-After of %p means %p seconds', (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds);
  });
});
