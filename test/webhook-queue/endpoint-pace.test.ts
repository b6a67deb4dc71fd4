import { createFailureRates } from '../../services/webhook-queue/worker/breaker';
import { createPaces, type Paces } from '../../services/webhook-queue/worker/endpoint-pace';

const quick = { outcome: 'delivered', statusCode: 204, durationMs: 20 } as const;
const late = { ...quick, durationMs: 2500 } as const;
const silent = { outcome: 'timeout', statusCode: null, durationMs: 15_000 } as const;
const throttled = { outcome: 'http_error', statusCode: 429, durationMs: 20 } as const;
const refused = { outcome: 'http_error', statusCode: 500, durationMs: 20 } as const;

let paces: Paces;
beforeEach(() => (paces = createPaces(4)));

function observe(report: Parameters<Paces['observe']>[1], times = 1): void {
  for (let i = 0; i < times; i++) paces.observe('it', report);
}

describe('lanes', () => {
  it('begin at four and gain one for five quick deliveries in a row, up to sixteen', () => {
    expect(paces.of('it')).toEqual({ lanes: 4, slow: false });
    observe(quick, 4);
    expect(paces.of('it').lanes).toBe(4);
    observe(quick);
    expect(paces.of('it').lanes).toBe(5);
    observe(refused);
    observe(quick, 4);
    expect(paces.of('it').lanes).toBe(5);
    observe(quick, 1000);
    expect(paces.of('it').lanes).toBe(16);
  });

  it('are halved by every try without an answer and by every plea for patience, down to one', () => {
    observe(silent);
    expect(paces.of('it').lanes).toBe(2);
    observe(throttled, 3);
    expect(paces.of('it').lanes).toBe(1);
  });

  it('come back one by one with quick deliveries', () => {
    observe(silent, 4);
    observe(quick, 2);
    expect(paces.of('it').lanes).toBe(3);
    observe(quick, 2);
    expect(paces.of('it').lanes).toBe(4);
  });

  it('stay what they are after an answer that is an error, and after what we cut off ourselves', () => {
    observe(refused, 50);
    paces.observe('it', { outcome: 'interrupted', statusCode: null, durationMs: 15_000 });
    expect(paces.of('it')).toEqual({ lanes: 4, slow: false });
  });
});

describe('the slow class', () => {
  it('takes in who just gave no answer, and lets go with the next quick one', () => {
    observe(silent);
    expect(paces.of('it').slow).toBe(true);
    observe(quick);
    expect(paces.of('it').slow).toBe(false);
  });

  it('takes in who answered two of its last twenty requests after more than two seconds', () => {
    observe(late);
    observe(quick, 18);
    expect(paces.of('it').slow).toBe(false);
    observe(late);
    expect(paces.of('it').slow).toBe(true);
    observe(quick, 1);
    expect(paces.of('it').slow).toBe(false);
  });
});

describe('a failure rate', () => {
  it('trips once more than half of at least twenty tries within a minute failed, and begins anew', () => {
    const trips = createFailureRates();
    const outcomes = Array.from({ length: 21 }, (_, i) => trips('it', i % 2 === 0 ? 'ill' : 'well', 1000));
    expect(outcomes.indexOf(true)).toBe(20);
    expect(trips('it', 'ill', 1000)).toBe(false);
  });

  it('forgets a minute that is over, and does not count what was cut off', () => {
    const trips = createFailureRates();
    for (let i = 0; i < 19; i++) expect(trips('it', 'ill', 0)).toBe(false);
    expect(trips('it', null, 0)).toBe(false);
    expect(trips('it', 'ill', 60_000)).toBe(false);
  });
});
