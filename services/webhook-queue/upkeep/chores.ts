import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { keepHistory } from './keep-history';
import type { Pulse } from '../metrics/pulse';
import { tidyStrays } from './tidy-strays';
import { BEAT_SECONDS, deleteSilentWorkers, deleteWorker, upsertWorker } from './worker-beat.repository';

export interface ChoreOptions {
  db: Db;
  log: Logger;
  worker: string;
  slots: number;
  retentionDays: number;
  tidyMs: number;
  pulse: Pulse;
  /** Requests at this moment. */
  inFlight: () => number;
}

const BEAT_MS = BEAT_SECONDS * 1000;
const MINUTE_MS = 60_000;

/** What a worker does beside sending. Each goes on its own; one that fails is logged and comes round again. */
export function startChores(options: ChoreOptions): { stop(): Promise<void> } {
  const { db, log, worker: id, slots, retentionDays, tidyMs, pulse, inFlight } = options;
  const every = (name: string, ms: number, work: () => Promise<unknown>) => repeat(log, name, ms, work);
  const chores = [
    every('strays', tidyMs, () => tidyStrays(db)),
    every('pulse', BEAT_MS, () => pulse.flush()),
    every('beat', BEAT_MS, () => upsertWorker(db, { id, slots, inFlight: inFlight() })),
    every('history', MINUTE_MS, () => keepHistory(db, log, retentionDays)),
    every('workers', MINUTE_MS, () => deleteSilentWorkers(db)),
  ];
  return {
    async stop() {
      await Promise.all(chores.map((chore) => chore.stop()));
      await Promise.all([pulse.flush(), deleteWorker(db, id)]).catch((error: unknown) => {
        log.error({ err: error }, 'farewell failed');
      });
    },
  };
}

/** Now, and again `ms` after each end. */
function repeat(log: Logger, chore: string, ms: number, work: () => Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async (): Promise<void> => {
    await work().catch((error: unknown) => log.error({ err: error, chore }, 'chore failed'));
    if (!stopped) timer = setTimeout(() => void (running = run()), ms);
  };
  let running = run();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
