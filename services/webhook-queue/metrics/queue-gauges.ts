import { Gauge } from 'prom-client';
import type { Db } from '../../platform/database';
import { sampleQueue, type QueueSample } from './queue-sample.repository';

/** A scrape asks once, however many gauges answer from it. */
const FRESH_MS = 2000;

const GAUGES: Record<keyof QueueSample, { name: string; help: string }> = {
  due: { name: 'webhook_due', help: 'Deliveries that could be sent now, a million at most' },
  oldestDueSeconds: {
    name: 'webhook_oldest_due_seconds',
    help: 'How long the one of them has waited that waits longest',
  },
  breakersOpen: { name: 'webhook_breaker_open', help: 'Endpoints that are left alone for some minutes' },
  deadTuples: {
    name: 'webhook_hot_dead_tuples',
    help: 'Finished rows of the hot table that vacuum has not taken yet',
  },
  snapshotAgeSeconds: {
    name: 'webhook_snapshot_age_seconds',
    help: 'Age of the oldest open snapshot: while it lives, vacuum takes nothing',
  },
};

/** The queue as it stands, asked of the database whenever metrics are read. */
export function registerQueueGauges(db: Db): void {
  let sample: Promise<QueueSample> | undefined;
  const fresh = () => {
    sample ??= sampleQueue(db).finally(() => setTimeout(() => (sample = undefined), FRESH_MS).unref());
    return sample;
  };
  for (const [key, { name, help }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help,
      async collect() {
        // Without the database the other metrics must still come: they say so.
        const sampled = await fresh().catch(() => undefined);
        this.set(sampled?.[key as keyof QueueSample] ?? NaN);
      },
    });
  }
}
