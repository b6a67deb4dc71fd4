import type { Counter, CounterConfiguration, Histogram } from 'prom-client';
import type { Knex } from 'knex';

/** Loads prom-client on first use, because loading takes 90 ms and most terminal commands record no metrics. */
export function loadProm() {
  return require('prom-client') as typeof import('prom-client');
}

export interface CountedSeries {
  inc(): void;
}

/** One function for each call of countSeries. The function creates the counter of this call if the counter does not exist yet. */
const creators: (() => void)[] = [];

/** Exports all counters of countSeries from now on, even before their first increment. A service calls this function at its start. */
export function exportCounters(): void {
  for (const create of creators) create();
}

/**
 * Creates a counter that keeps its series as plain numbers until the metrics are read. An increment of prom-client takes 5 to 8 µs, because
 * it hashes the labels each time, and a request increments six counters.
 * @returns a function that returns the series of the given label values. Call it only with values of a fixed set
 */
export function countSeries<Label extends string>(
  configuration: Omit<CounterConfiguration<Label>, 'collect'>,
): (labels: Record<Label, string | number>) => CountedSeries {
  const counts = new Map<string, { labels: Record<Label, string | number>; since: number }>();
  let counter: Counter<Label> | undefined;
  const create = () =>
    new (loadProm().Counter)({
      ...configuration,
      collect() {
        for (const count of counts.values()) {
          if (count.since > 0) this.inc(count.labels, count.since);
          count.since = 0;
        }
      },
    });
  const created = () => (counter ??= create());
  creators.push(created);
  return (labels) => {
    created();
    const key = Object.values(labels).join(' ');
    const count = counts.get(key) ?? { labels, since: 0 };
    counts.set(key, count);
    return { inc: () => void (count.since += 1) };
  };
}

/** Properties of Knex's pool (tarn), which its types omit. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
  on(event: 'acquireRequest' | 'acquireSuccess' | 'acquireFail', listener: (request: number) => void): void;
}

const WAITS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2, 5];

let lockSeconds: Histogram<'lock'> | undefined;

function lockHistogram(): Histogram<'lock'> {
  lockSeconds ??= new (loadProm().Histogram)({
    name: 'lock_wait_seconds',
    help: 'Duration of statements that wait for a lock, by lock; includes the round trip',
    labelNames: ['lock'] as const,
    buckets: WAITS,
  });
  return lockSeconds;
}

export function measureLockWait(lock: string, milliseconds: number): void {
  lockHistogram().observe({ lock }, milliseconds / 1000);
}

/**
 * Adds these pools to the metrics of this process. Call it once.
 * @param pools keyed by the value of the label `pool`
 */
export function measurePools(pools: Record<string, Knex>): void {
  const { Gauge, Histogram } = loadProm();
  lockHistogram();
  const poolSeconds = new Histogram({
    name: 'database_pool_wait_seconds',
    help: 'Wait for a connection of the pool; at most 5 s',
    labelNames: ['pool'] as const,
    buckets: WAITS,
  });
  const named = Object.entries(pools).map(([name, db]) => ({
    name,
    pool: (db.client as { pool: Pool }).pool,
  }));
  for (const { name, pool } of named) measureAcquiring(pool, poolSeconds.labels(name));
  new Gauge({
    name: 'database_pool_connections',
    help: 'Connections of the pool, by state',
    labelNames: ['pool', 'state'] as const,
    collect() {
      for (const { name, pool } of named) {
        this.set({ pool: name, state: 'used' }, pool.numUsed());
        this.set({ pool: name, state: 'free' }, pool.numFree());
      }
    },
  });
  gauge(named, 'database_pool_max', 'Maximum number of connections of the pool', (pool) => pool.max);
  gauge(named, 'database_pool_waiting', 'Requests that wait for a connection of the pool', (pool) =>
    pool.numPendingAcquires(),
  );
}

function gauge(
  named: { name: string; pool: Pool }[],
  name: string,
  help: string,
  read: (pool: Pool) => number,
): void {
  new (loadProm().Gauge)({
    name,
    help,
    labelNames: ['pool'] as const,
    collect() {
      for (const { name, pool } of named) this.set({ pool: name }, read(pool));
    },
  });
}

function measureAcquiring(pool: Pool, seconds: Histogram.Internal<'pool'>): void {
  const begun = new Map<number, number>();
  const end = (request: number) => {
    const since = begun.get(request);
    begun.delete(request);
    if (since !== undefined) seconds.observe((performance.now() - since) / 1000);
  };
  pool.on('acquireRequest', (request) => begun.set(request, performance.now()));
  pool.on('acquireSuccess', end);
  pool.on('acquireFail', end);
}
