import { notice, noticeOf, ok, type Check } from '../../../services/api/health/check';
import type { Db } from '../../../services/platform/database';
import { inspectQueue, type QueueHealth } from '../../../services/webhook-queue/operations';

/** A worker that is there takes what is due within a second; a minute is no burst any more. */
const LATE_SECONDS = 60;

export async function checkQueue(db: Db): Promise<Check[]> {
  const health = await inspectQueue(db);
  return [checkDepth(health), checkDeliveries(health), checkEndpoints(health), checkWorkers(health)];
}

function checkDepth({ due, oldestDueSeconds, held, workers }: QueueHealth): Check {
  const detail = `${due} due, the oldest for ${oldestDueSeconds} s; ${held} held back by their endpoints`;
  if (oldestDueSeconds < LATE_SECONDS) return ok('queue', detail);
  return notice('queue', detail, [workers === 0 ? 'npm run webhook-queue' : 'tourctl monitor']);
}

function checkDeliveries({ dead, retrying, waiting }: QueueHealth): Check {
  const detail = `${retrying} to be tried again, ${waiting} wait for an endpoint to be added, ${dead} dead`;
  if (dead === 0) return ok('deliveries', detail);
  return notice('deliveries', detail, [
    'tourctl delivery list --status dead',
    'tourctl delivery replay --status dead --since 24h --dry-run',
  ]);
}

function checkEndpoints({ disabled, breakersOpen }: QueueHealth): Check {
  if (disabled.length === 0)
    return ok(
      'endpoints',
      breakersOpen ? `${breakersOpen} rest for minutes, as they fail` : 'none is disabled',
    );
  return noticeOf('endpoints', disabled, {
    meaning: 'disabled, and keep what comes in',
    label: ({ id, tenant, statusReason }) => `${id} of ${tenant}${statusReason ? ` (${statusReason})` : ''}`,
    command: ({ id }) => `tourctl webhook enable ${id}`,
  });
}

function checkWorkers({ workers, silent, due }: QueueHealth): Check {
  if (silent.length > 0) {
    return noticeOf('workers', silent, {
      meaning: 'killed, or cut off from the database (others send what they had)',
      label: ({ id, beatAt }) => `${id} is silent since ${beatAt.toISOString()}`,
      command: () => 'npm run webhook-queue',
    });
  }
  if (workers === 0 && due > 0)
    return notice('workers', `none, and ${due} deliveries are due`, ['npm run webhook-queue']);
  return ok('workers', `${workers} of the webhook queue`);
}
