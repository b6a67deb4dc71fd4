import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../services/platform/database/database';
import { AppError } from '../../../services/platform/errors';
import { DAY_MS, dateOf } from '../../../services/platform/forms/days';
import { START_WEBHOOK_QUEUE } from '../../../services/platform/start-advice';
import type { EventType } from '../../../services/webhook-queue/deliveries/delivery';
import {
  type AttemptItem,
  findDeliveryItem,
  showDelivery,
} from '../../../services/webhook-queue/deliveries/find-deliveries';
import { findEndpoint } from '../../../services/webhook-queue/endpoints/endpoint.repository';
import { pingEndpoint, triggerEvent } from '../../../services/webhook-queue/endpoints/requested-deliveries';
import { isQueueRunning } from '../../../services/webhook-queue/inspect-queue';
import type { AuditedContext, Context } from '../../engine/context';
import type { Output } from '../../terminal/output';

export async function pingWebhookCommand(context: AuditedContext, _: object, id: string): Promise<void> {
  const { tenantId, url } = await findEndpoint(context.db, id);
  const { delivery } = await context.audited({ action: 'webhook.ping', tenantId, subject: id }, (trx) =>
    pingEndpoint(trx, id),
  );
  await answerTest(context, { id, delivery }, `A ping is queued for ${url}`);
}

export async function triggerWebhookCommand(
  context: AuditedContext,
  { event }: { event: EventType },
  id: string,
): Promise<void> {
  const { tenantId, url } = await findEndpoint(context.db, id);
  const date = dateOf(Date.now() + 30 * DAY_MS);
  const { delivery } = await context.audited(
    { action: 'webhook.trigger', tenantId, subject: id },
    async (trx, note) => {
      const queued = await triggerEvent(trx, id, event, date);
      note(null, { event, delivery: queued.delivery });
      return queued;
    },
  );
  await answerTest(context, { id, event, delivery }, `A test ${event} is queued for ${url}`);
}

interface TestEvent {
  id: string;
  event?: EventType;
  delivery: string;
}

/**
 * Waits for the answer to a test event, and says it. Does not wait if no queue runs.
 * @param queued says that the event is queued
 * @throws NotDeliveredError if the receiver did not accept the event, or there was no answer in time
 */
async function answerTest({ db, output }: Context, test: TestEvent, queued: string): Promise<void> {
  const show = `tourctl delivery show ${test.delivery}`;
  output.note(`${queued}: ${show}`);
  if (!(await isQueueRunning(db))) {
    await output.answer(toTestDocument(test), () => test.delivery);
    return warnIfNothingSends(db, output);
  }
  const attempt = await awaitAttempt(db, test.delivery);
  await output.answer(toTestDocument(test, attempt), () => describeTest(test, attempt));
  if (!attempt)
    throw new NotDeliveredError(
      `There was no answer within ${ANSWER_MS / 1000} s. The event stays queued: ${show}`,
    );
  if (attempt.outcome !== 'delivered') throw new NotDeliveredError(attempt.reason ?? attempt.outcome);
}

/** @param attempt undefined: no attempt has ended yet */
function toTestDocument(test: TestEvent, attempt?: AttemptItem) {
  return {
    ...test,
    outcome: attempt?.outcome ?? null,
    status_code: attempt?.statusCode ?? null,
    reason: attempt?.reason ?? null,
    duration_ms: attempt?.durationMs ?? null,
  };
}

function describeTest({ delivery }: TestEvent, attempt: AttemptItem | undefined): string {
  if (attempt?.outcome !== 'delivered') return delivery;
  return `${delivery}: the receiver answered ${attempt.statusCode} in ${attempt.durationMs} ms`;
}

/** The receiver did not accept a test event. */
class NotDeliveredError extends AppError {
  readonly code = 'not_delivered';
}

/** The longest wait for an answer. An attempt of the queue ends after 15 s. */
const ANSWER_MS = 20_000;
const POLL_MS = 100;

/** Waits for the first attempt of a delivery. Returns undefined if it has not ended in time. */
async function awaitAttempt(db: Db, delivery: string): Promise<AttemptItem | undefined> {
  const end = performance.now() + ANSWER_MS;
  while (performance.now() < end) {
    const { attempts = 0 } = (await findDeliveryItem(db, delivery)) ?? {};
    if (attempts > 0) return (await showDelivery(db, delivery)).tries[0];
    await sleep(POLL_MS);
  }
  return undefined;
}

/** Warns if deliveries wait because no webhook queue runs. */
export async function warnIfNothingSends(db: Db, output: Output): Promise<void> {
  if (await isQueueRunning(db)) return;
  output.warn(`No webhook queue runs, so nobody sends it: ${START_WEBHOOK_QUEUE}`);
}
