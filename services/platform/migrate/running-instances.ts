import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningInstances } from '../read-cache/instance.repository';
import type { Db } from '../database/database';
import { AppError } from '../errors';
import { readMigration } from './migration-files';
import type { OnWait } from './migration-lock';

/** The constraint that a migration names if it must not run while processes of the API run (0141_closing_and_cancellation.sql). */
export const NEEDS_STOPPED_INSTANCES = 'migration_needs_stopped_instances';

/** Returns true for a migration that must not run while processes of the API run. */
export function requiresStoppedInstances(name: string): boolean {
  return readMigration(name).includes(NEEDS_STOPPED_INSTANCES);
}

/** Returns true if a migration was refused because processes of the API run. */
export function needsStoppedInstances(error: unknown): boolean {
  return (error as { constraint?: unknown }).constraint === NEEDS_STOPPED_INSTANCES;
}

/** Processes of the API run, and a pending migration would break them. */
class InstancesRunningError extends AppError {
  readonly code = 'instances_running';

  /** @param applied the migrations that this run has applied; they stay applied */
  constructor(
    private readonly instances: number,
    private readonly applied: readonly string[],
  ) {
    super(
      `${instances} API ${instances === 1 ? 'process runs' : 'processes run'} on this database, and this update is not rolling: stop all API ` +
        'processes, migrate, then start the new ones; a process that was killed counts for a minute. ' +
        (applied.length > 0 ? `This run has applied ${applied.join(', ')}` : 'Nothing was changed'),
    );
  }

  override get facts(): Record<string, unknown> {
    return { instances: this.instances, applied: this.applied };
  }
}

/** @throws InstancesRunningError, unless the last process has ended meanwhile */
export async function refuseRunningInstances(db: Db, applied: readonly string[]): Promise<void> {
  const { length } = await findRunningInstances(db);
  if (length > 0) throw new InstancesRunningError(length, applied);
}

/** A process of the API polls twice a second. */
const POLL_MS = 500;
/** The number of polls without a change after which the wait is reported. */
const SILENT_POLLS = 4;

/**
 * Waits until no process counts as running: for at most a minute after processes were killed.
 * @throws InstancesRunningError if one of them polls again
 */
export async function awaitKilledInstances(
  db: Db,
  applied: readonly string[],
  onWait: OnWait,
): Promise<void> {
  const seen = new Map((await findRunningInstances(db)).map(({ id, poll }) => [id, poll]));
  if (seen.size === 0) return;
  for (let polls = 1; ; polls++) {
    await sleep(POLL_MS);
    const running = await findRunningInstances(db);
    if (running.length === 0) return;
    if (running.some(({ id, poll }) => seen.get(id) !== poll))
      throw new InstancesRunningError(running.length, applied);
    if (polls === SILENT_POLLS) onWait('Waiting up to a minute for API processes that were killed');
  }
}
