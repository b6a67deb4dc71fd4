import fc from 'fast-check';
import { loadConfig } from '../../services/platform/config';
import { decideNext, readRetryAfter } from '../../services/webhook-queue/retry-schedule';

const SCHEDULE = loadConfig({}).webhooks.retryScheduleSeconds;
const failed = { outcome: 'http_error', retryAfterSeconds: null } as const;

describe('the retry schedule', () => {
  it('tries ten times over 75 hours and 35 minutes, the second time after 5 seconds', () => {
    const waits: number[] = [];
    for (let tries = 0; ;) {
      const next = decideNext(failed, tries, SCHEDULE, () => 0.5);
      if (next.status === 'dead') break;
      waits.push(next.waitSeconds);
      tries = next.tries;
    }
    expect(waits).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(75 * 3600 + 35 * 60 + 5);
  });

  it('always ends, and is never further than a fifth from its step, but where Retry-After asks for longer', () => {
    const retryAfter = fc.option(fc.integer({ min: 0, max: 1e9 }));
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), retryAfter, random, (tries, retryAfterSeconds, jitter) => {
        const next = decideNext({ outcome: 'http_error', retryAfterSeconds }, tries, SCHEDULE, () => jitter);
        const step = SCHEDULE[tries + 1];
        if (step === undefined) return next.status === 'dead';
        const asked = Math.min(retryAfterSeconds ?? 0, 86_400);
        const early = next.waitSeconds < Math.max(0.8 * step - 1e-6, asked);
        const late = next.waitSeconds > Math.max(1.2 * step + 1e-6, asked);
        return next.status === 'retrying' && next.tries === tries + 1 && !early && !late;
      }),
    );
  });

  it('does not count a try that our own shutdown cut off, and gives up at once where the receiver is gone', () => {
    const interrupted = { outcome: 'interrupted', retryAfterSeconds: null } as const;
    expect(decideNext(interrupted, 9, SCHEDULE)).toEqual({ status: 'retrying', waitSeconds: 0, tries: 9 });
    expect(decideNext({ outcome: 'gone', retryAfterSeconds: null }, 0, SCHEDULE).status).toBe('dead');
  });
});

describe('Retry-After', () => {
  const now = new Date('2031-05-01T12:00:00Z');

  it.each([
    ['120', 120],
    ['Thu, 01 May 2031 12:01:30 GMT', 90],
    ['Thu, 01 May 2031 11:00:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
    ['2031', 2031],
    ['', null],
    [undefined, null],
  ])('of %p is %p seconds', (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds);
  });
});
