import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Db } from '../../platform/database/database';
import { sqlState } from '../../platform/errors';
import type { Logger } from '../../platform/logger';
import { createFailureRates, autoDisableReason, type BreakerRules } from './breaker';
import type { AttemptResult } from '../deliveries/delivery';
import { disableEndpoint } from '../endpoints/change-endpoint-state';
import { classifyEndpoint } from '../sending/classify-response';
import type { QueueMetrics } from '../metrics/queue-metrics';
import {
  recordDelivered,
  recordResults,
  type EndpointFinding,
  type RecordedResult,
} from './results.repository';

/**
 * Time for which a worker collects results for one batch. A busy worker collects for longer, because each statement has a fixed cost (ADR
 * 15).
 */
const ACCUMULATE_MS = 5;
const ACCUMULATE_BUSY_MS = 100;
/** A worker is busy when its last batch had at least this number of results. */
const BUSY = 16;
/** Number of results in a batch from which a larger batch is not cheaper. At this number the worker stops collecting. */
const ENOUGH = 500;
const ATTEMPTS_MAX = 5;
const PAUSE_MS = 1000;

interface ResultRecorderOptions {
  db: Db;
  log: Logger;
  metrics: QueueMetrics;
  breaker: BreakerRules;
}

/**
 * Records results in batches. Results that arrive while a batch is written join the next batch, so batches grow with the load. The returned
 * function resolves when its result is recorded. It also resolves if the worker gives up recording the result: the lease then expires and
 * the delivery is sent again.
 */
export function createResultRecorder(
  options: ResultRecorderOptions,
): (result: AttemptResult) => Promise<void> {
  const failsTooOften = createFailureRates();
  let batch: EndpointFinding[] = [];
  let next: Promise<void> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  let accumulateMs = ACCUMULATE_MS;

  const write = async (): Promise<void> => {
    await Promise.all([previous, sleep(accumulateMs)]);
    const findings = batch;
    accumulateMs = findings.length >= BUSY && findings.length < ENOUGH ? ACCUMULATE_BUSY_MS : ACCUMULATE_MS;
    batch = [];
    previous = next!;
    next = undefined;
    await writeFindings(options, findings);
  };
  return (result) => {
    const trips = failsTooOften(result.delivery.endpointId, classifyEndpoint(result.report));
    batch.push({ ...result, trips });
    return (next ??= write());
  };
}

/**
 * Records endpoints that accepted all their deliveries of this batch by the short statement (recordDelivered). Then records the other
 * endpoints by the long statement (recordResults).
 */
async function writeFindings(options: ResultRecorderOptions, findings: EndpointFinding[]): Promise<void> {
  const troubled = new Set<string>();
  for (const { delivery, report, trips } of findings)
    if (report.outcome !== 'delivered' || trips) troubled.add(delivery.endpointId);
  const delivered = findings.filter(({ delivery }) => !troubled.has(delivery.endpointId));
  const others = findings.filter(({ delivery }) => troubled.has(delivery.endpointId));
  if (delivered.length > 0) others.push(...(await writeDelivered(options, delivered)));
  if (others.length > 0) await writeWithRetries(options, others);
}

/** @returns the results that the short statement did not record. The long statement must record them */
async function writeDelivered(
  options: ResultRecorderOptions,
  findings: EndpointFinding[],
): Promise<EndpointFinding[]> {
  try {
    const others = await recordDelivered(options.db, findings);
    const isRecorded = ({ delivery }: EndpointFinding) => !others.has(delivery.id);
    const recorded = others.size === 0 ? findings : findings.filter(isRecorded);
    logResults(options, recorded);
    return others.size === 0 ? [] : findings.filter((finding) => !isRecorded(finding));
  } catch (error) {
    options.log.warn(
      { err: error, deliveries: findings.length },
      'the short statement failed; the long one records',
    );
    return findings;
  }
}

async function writeWithRetries(options: ResultRecorderOptions, findings: EndpointFinding[]): Promise<void> {
  const { log } = options;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    try {
      const recorded = await writeBatch(options, findings);
      const { taken, opened } = recorded;
      logResults(options, findings, taken);
      for (const endpointId of opened) log.warn({ endpoint_id: endpointId }, 'breaker opened');
      return await autoDisable(options, recorded.toDisable);
    } catch (error) {
      log.error({ err: error, deliveries: findings.length, attempt }, 'results were not recorded');
      if (isDataError(error)) return writeOneByOne(options, findings);
      if (attempt < ATTEMPTS_MAX) await sleep(PAUSE_MS);
    }
  }
}

/**
 * Records each result in its own transaction. So only a result that the database refuses is lost, and its delivery is sent again when the
 * lease expires.
 */
async function writeOneByOne(options: ResultRecorderOptions, findings: EndpointFinding[]): Promise<void> {
  if (findings.length === 1) return;
  for (const finding of findings) await writeWithRetries(options, [finding]);
}

/** Returns true for SQLSTATE classes 22 and 23: the database refused a value or a constraint was violated. A retry would fail again. */
function isDataError(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

/** Records a batch. In the same transaction, disables endpoints that responded with 410. Locks these endpoints first, as tourctl does. */
async function writeBatch(
  options: ResultRecorderOptions,
  findings: EndpointFinding[],
): Promise<RecordedResult> {
  const { db, breaker } = options;
  const gone = findings.filter(({ report }) => report.outcome === 'gone');
  if (gone.length === 0) return recordResults(db, findings, breaker);
  const disabled: string[] = [];
  const recorded = await inTransaction(db, async (trx) => {
    disabled.length = 0;
    for (const { delivery, report } of inLockOrder(gone))
      if (await disableEndpoint(trx, delivery.endpointId, report.reason ?? ''))
        disabled.push(delivery.endpointId);
    return recordResults(trx, findings, breaker);
  });
  for (const endpointId of disabled) logDisabled(options, endpointId, 'gone');
  return recorded;
}

/** Sorts by endpoint id. All workers lock endpoints in this order, so that workers never deadlock. */
function inLockOrder(findings: EndpointFinding[]): EndpointFinding[] {
  return [...findings].sort((a, b) => (a.delivery.endpointId < b.delivery.endpointId ? -1 : 1));
}

/** Disables each endpoint in a transaction of its own. If a transaction fails, the endpoint is disabled after its next failed delivery. */
async function autoDisable(options: ResultRecorderOptions, endpointIds: string[]): Promise<void> {
  const { db, log, breaker } = options;
  const reason = autoDisableReason(breaker);
  for (const endpointId of endpointIds) {
    try {
      const disabled = await inTransaction(db, (trx) => disableEndpoint(trx, endpointId, reason));
      if (disabled) logDisabled(options, endpointId, 'failing');
    } catch (error) {
      log.error({ err: error, endpoint_id: endpointId }, 'endpoint was not disabled');
    }
  }
}

function logDisabled(
  { log, metrics }: ResultRecorderOptions,
  endpointId: string,
  reason: 'gone' | 'failing',
): void {
  metrics.endpointDisabled.inc({ reason });
  log.warn({ endpoint_id: endpointId, reason }, 'endpoint disabled');
}

/** @param taken ids of the deliveries whose result was recorded; by default all deliveries */
function logResults(
  { log, metrics }: ResultRecorderOptions,
  findings: EndpointFinding[],
  taken?: Set<string>,
): void {
  for (const { delivery, report, next } of findings) {
    const late = taken?.has(delivery.id) === false;
    if (!late && next.status !== 'retrying') metrics.delivery.inc({ outcome: next.status });
    // Skips a line that LOG_LEVEL would drop: there may be thousands a second.
    if (!late && !log.isLevelEnabled('info')) continue;
    const line = {
      delivery_id: delivery.id,
      endpoint_id: delivery.endpointId,
      attempt: delivery.fence,
      outcome: report.outcome,
      status_code: report.statusCode,
      ms: report.durationMs,
    };
    if (late) {
      metrics.lateResult.inc();
      log.warn(line, 'result came too late');
      continue;
    }
    if (next.status === 'retrying')
      log.info({ ...line, next_in_s: Math.round(next.waitSeconds) }, 'will retry');
    else log.info(line, next.status);
  }
}
