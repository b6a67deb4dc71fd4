import { createFailureRates } from '../../services/webhook-queue/worker/breaker';
import {
  createAdaptiveConcurrency,
  type AdaptiveConcurrency,
} from '../../services/webhook-queue/worker/adaptive-concurrency';

const quick = { outcome: 'delivered', statusCode: 204, durationMs: 20 } as const;
const late = { ...quick, durationMs: 2500 } as const;
const silent = { outcome: 'timeout', statusCode: null, durationMs: 15_000 } as const;
const throttled = { outcome: 'http_error', statusCode: 429, durationMs: 20 } as const;
const refused = { outcome: 'http_error', statusCode: 500, durationMs: 20 } as const;

let concurrency: AdaptiveConcurrency;
beforeEach(() => (concurrency = createAdaptiveConcurrency(4)));

function observe(report: Parameters<AdaptiveConcurrency['observe']>[1], times = 1): void {
  for (let i = 0; i < times; i++) concurrency.observe('it', report);
}

describe('the concurrency limit of an endpoint', () => {
  it('the limit starts at four and rises by one after five quick deliveries, up to sixteen', () => {
    expect(concurrency.of('it')).toEqual({ concurrencyLimit: 4, slow: false });
    observe(quick, 4);
    expect(concurrency.of('it').concurrencyLimit).toBe(4);
    observe(quick);
    expect(concurrency.of('it').concurrencyLimit).toBe(5);
    observe(refused);
    observe(quick, 4);
    expect(concurrency.of('it').concurrencyLimit).toBe(5);
    observe(quick, 1000);
    expect(concurrency.of('it').concurrencyLimit).toBe(16);
  });

  it('each attempt without a response or with a 429 halves the limit, down to one', () => {
    observe(silent);
    expect(concurrency.of('it').concurrencyLimit).toBe(2);
    observe(throttled, 3);
    expect(concurrency.of('it').concurrencyLimit).toBe(1);
  });

  it('a halved limit rises again by one with each quick delivery', () => {
    observe(silent, 4);
    observe(quick, 2);
    expect(concurrency.of('it').concurrencyLimit).toBe(3);
    observe(quick, 2);
    expect(concurrency.of('it').concurrencyLimit).toBe(4);
  });

  it('the limit stays the same after an error response or an attempt that the worker cut off', () => {
    observe(refused, 50);
    concurrency.observe('it', { outcome: 'interrupted', statusCode: null, durationMs: 15_000 });
    expect(concurrency.of('it')).toEqual({ concurrencyLimit: 4, slow: false });
  });
});

describe('the class of slow endpoints', () => {
  it('an endpoint is slow after a missing response until its next quick one', () => {
    observe(silent);
    expect(concurrency.of('it').slow).toBe(true);
    observe(quick);
    expect(concurrency.of('it').slow).toBe(false);
  });

  it('an endpoint is slow when two of its last twenty responses took over two seconds', () => {
    observe(late);
    observe(quick, 18);
    expect(concurrency.of('it').slow).toBe(false);
    observe(late);
    expect(concurrency.of('it').slow).toBe(true);
    observe(quick, 1);
    expect(concurrency.of('it').slow).toBe(false);
  });
});

describe('the failure rate of an endpoint', () => {
  it('the breaker opens when more than half of at least twenty attempts in a minute fail', () => {
    const trips = createFailureRates();
    const outcomes = Array.from({ length: 21 }, (_, i) =>
      trips('it', i % 2 === 0 ? 'failing' : 'healthy', 1000),
    );
    expect(outcomes.indexOf(true)).toBe(20);
    expect(trips('it', 'failing', 1000)).toBe(false);
  });

  it('the failure rate ignores a past minute and attempts that were cut off', () => {
    const trips = createFailureRates();
    for (let i = 0; i < 19; i++) expect(trips('it', 'failing', 0)).toBe(false);
    expect(trips('it', null, 0)).toBe(false);
    expect(trips('it', 'failing', 60_000)).toBe(false);
  });
});
