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

let paces: AdaptiveConcurrency;
beforeEach(() => (paces = createAdaptiveConcurrency(4)));

function observe(report: Parameters<AdaptiveConcurrency['observe']>[1], times = 1): void {
  for (let i = 0; i < times; i++) paces.observe('it', report);
}

describe('the concurrency limit of an endpoint', () => {
  it('starts at four and rises by one after five quick deliveries in a row, up to sixteen', () => {
    expect(paces.of('it')).toEqual({ concurrencyLimit: 4, slow: false });
    observe(quick, 4);
    expect(paces.of('it').concurrencyLimit).toBe(4);
    observe(quick);
    expect(paces.of('it').concurrencyLimit).toBe(5);
    observe(refused);
    observe(quick, 4);
    expect(paces.of('it').concurrencyLimit).toBe(5);
    observe(quick, 1000);
    expect(paces.of('it').concurrencyLimit).toBe(16);
  });

  it('is halved by every attempt without a response or with 429 or 503, down to one', () => {
    observe(silent);
    expect(paces.of('it').concurrencyLimit).toBe(2);
    observe(throttled, 3);
    expect(paces.of('it').concurrencyLimit).toBe(1);
  });

  it('rises again by one with each quick delivery after it was halved', () => {
    observe(silent, 4);
    observe(quick, 2);
    expect(paces.of('it').concurrencyLimit).toBe(3);
    observe(quick, 2);
    expect(paces.of('it').concurrencyLimit).toBe(4);
  });

  it('stays the same after an error response and after an attempt that the worker cut off', () => {
    observe(refused, 50);
    paces.observe('it', { outcome: 'interrupted', statusCode: null, durationMs: 15_000 });
    expect(paces.of('it')).toEqual({ concurrencyLimit: 4, slow: false });
  });
});

describe('the class of slow endpoints', () => {
  it('contains an endpoint after a missing response until its next quick response', () => {
    observe(silent);
    expect(paces.of('it').slow).toBe(true);
    observe(quick);
    expect(paces.of('it').slow).toBe(false);
  });

  it('contains an endpoint that took more than two seconds for two of its last twenty responses', () => {
    observe(late);
    observe(quick, 18);
    expect(paces.of('it').slow).toBe(false);
    observe(late);
    expect(paces.of('it').slow).toBe(true);
    observe(quick, 1);
    expect(paces.of('it').slow).toBe(false);
  });
});

describe('the failure rate of an endpoint', () => {
  it('opens the breaker after more than half of at least twenty attempts within a minute failed, and starts again', () => {
    const trips = createFailureRates();
    const outcomes = Array.from({ length: 21 }, (_, i) =>
      trips('it', i % 2 === 0 ? 'failing' : 'healthy', 1000),
    );
    expect(outcomes.indexOf(true)).toBe(20);
    expect(trips('it', 'failing', 1000)).toBe(false);
  });

  it('ignores a past minute and attempts that were cut off', () => {
    const trips = createFailureRates();
    for (let i = 0; i < 19; i++) expect(trips('it', 'failing', 0)).toBe(false);
    expect(trips('it', null, 0)).toBe(false);
    expect(trips('it', 'failing', 60_000)).toBe(false);
  });
});
