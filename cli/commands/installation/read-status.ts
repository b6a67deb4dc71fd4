import { SILENT_SECONDS } from '../../../services/api/health/inspect-installation';
import {
  countRefusalsByCode,
  type DatabaseFacts,
  findDatabaseFacts,
  findInstances,
  findWaitingSales,
} from '../../../services/api/health/status.repository';
import type { Config } from '../../../services/platform/config';
import type { Db } from '../../../services/platform/database';
import { newestMigration, pendingMigrations } from '../../../services/platform/migrate';
import { probeStore } from '../../../services/platform/shared-store';
import { readQueueStatus } from '../../../services/webhook-queue/inspect-queue';
import type { Context } from '../../engine/context';
import { readVersion } from '../../terminal/io';
import { toFailingDocument } from './failing-endpoint';

export type StatusDocument = Awaited<ReturnType<typeof readStatus>>;

/** Reads what runs, what waits and what failed today. */
export async function readStatus({ config, db, io }: Context) {
  const facts = await findDatabaseFacts(db);
  const pending = await pendingMigrations(db);
  // Older schemas lack tables that the other parts read.
  const rest = pending.length > 0 ? NOTHING_READ : await readSchema(db, facts);
  return {
    at: facts.now.toISOString(),
    version: readVersion(io),
    database: {
      version: facts.version,
      started_at: facts.startedAt.toISOString(),
      embedded_in: config.databaseUrl === undefined ? config.dataDir : null,
      schema: (await newestMigration(db)) ?? null,
      pending_migrations: pending,
    },
    store: await readStore(config),
    /** False: the instances of the API do not report, so that `api` is empty. */
    api_reports: config.remember,
    ...rest,
  };
}

const NOTHING_READ = { api: null, webhook_queue: null, waiting: null, failed_today: null };

async function readSchema(db: Db, { now, today }: DatabaseFacts) {
  const { counts, workers, failing, deadToday } = await readQueueStatus(db, today);
  const sales = await findWaitingSales(db);
  return {
    api: (await findInstances(db, SILENT_SECONDS)).map(({ id, startedAt, polledAt, alive }) => ({
      id,
      alive,
      started_at: startedAt?.toISOString() ?? null,
      last_seen_at: polledAt.toISOString(),
    })),
    webhook_queue: workers.map(({ id, startedAt, beatAt, alive, slots, inFlight }) => ({
      id,
      alive,
      started_at: startedAt.toISOString(),
      last_seen_at: beatAt.toISOString(),
      slots,
      in_flight: inFlight,
    })),
    waiting: {
      deliveries_due: counts.due,
      oldest_due_seconds: counts.oldestDue
        ? Math.max(0, Math.round((now.getTime() - counts.oldestDue.getTime()) / 1000))
        : null,
      deliveries_held_back: counts.held,
      deliveries_retrying: counts.retrying,
      deliveries_without_endpoint: counts.waiting,
      holds_active: sales.activeHolds,
      bookings_unpaid: sales.unpaidBookings,
      next_booking_expires_at: sales.nextExpiry?.toISOString() ?? null,
      departures_closing_today: sales.closingToday,
    },
    failed_today: {
      since: today.toISOString(),
      deliveries_dead: deadToday,
      refusals: await countRefusalsByCode(db, today),
      endpoints: failing.map(toFailingDocument),
    },
  };
}

/** Measures a round trip to the shared store. `kind` memory: there is none. */
async function readStore({ sharedStore }: Pick<Config, 'sharedStore'>) {
  if (!sharedStore) return { kind: 'memory' as const, answers: true, round_trip_ms: null, error: null };
  const { kind } = sharedStore;
  try {
    const { roundTripMs } = await probeStore(sharedStore);
    return { kind, answers: true, round_trip_ms: roundTripMs, error: null };
  } catch (error) {
    return { kind, answers: false, round_trip_ms: null, error: (error as Error).message };
  }
}
