import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Db } from '../../platform/database';
import { sqlState } from '../../platform/errors';
import type { Logger } from '../../platform/logger';
import { createFailureRates, hopelessReason, type BreakerRules } from './breaker';
import type { Settlement } from '../deliveries/delivery';
import { disableEndpoint } from '../endpoints/disable-endpoint';
import { judgeEndpoint } from '../sending/judge-answer';
import { queueMetrics } from '../metrics/queue-metrics';
import { settleAttempts, type Finding, type Settled } from './settle.repository';

/** How long the first result waits for company, and how long where there was much of it last time. */
const GATHER_MS = 5;
const GATHER_BUSY_MS = 20;
const BUSY = 50;
const TRIES = 5;
const PAUSE_MS = 1000;

export interface SettlerOptions {
  db: Db;
  log: Logger;
  breaker: BreakerRules;
}

/**
 * Writes results down a batch at a time: what comes while one is being written goes with the next, so that the batches grow
 * with the load. The returned function resolves once its result is written; or given up, and then the lease runs out and the
 * delivery is sent again.
 */
export function createSettler(options: SettlerOptions): (settlement: Settlement) => Promise<void> {
  const failsTooOften = createFailureRates();
  let batch: Finding[] = [];
  let next: Promise<void> | undefined;
  let previous: Promise<unknown> = Promise.resolve();
  let gatherMs = GATHER_MS;

  const write = async (): Promise<void> => {
    await Promise.all([previous, sleep(gatherMs)]);
    const findings = batch;
    gatherMs = findings.length > BUSY ? GATHER_BUSY_MS : GATHER_MS;
    batch = [];
    previous = next!;
    next = undefined;
    await writePatiently(options, findings);
  };
  return (settlement) => {
    const trips = failsTooOften(settlement.delivery.endpointId, judgeEndpoint(settlement.report));
    batch.push({ ...settlement, trips });
    return (next ??= write());
  };
}

async function writePatiently(options: SettlerOptions, findings: Finding[]): Promise<void> {
  const { log } = options;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      const settled = await writeDown(options, findings);
      tell(log, findings, settled);
      return await disableHopeless(options, settled.hopeless);
    } catch (error) {
      log.error({ err: error, deliveries: findings.length, attempt }, 'results not written');
      if (isOfTheData(error)) return writeOneByOne(options, findings);
      if (attempt < TRIES) await sleep(PAUSE_MS);
    }
  }
}

/** One that the database will not have costs itself alone: it is sent again when its lease runs out. */
async function writeOneByOne(options: SettlerOptions, findings: Finding[]): Promise<void> {
  if (findings.length === 1) return;
  for (const finding of findings) await writePatiently(options, [finding]);
}

/** A value or a constraint was refused: it will be the next time too. */
function isOfTheData(error: unknown): boolean {
  return /^2[23]/.test(sqlState(error) ?? '');
}

/** Those that end an endpoint go with it, in a transaction that locks the endpoint first, as the terminal does. */
async function writeDown({ db, log, breaker }: SettlerOptions, findings: Finding[]): Promise<Settled> {
  const gone = findings.filter(({ report }) => report.outcome === 'gone');
  if (gone.length === 0) return settleAttempts(db, findings, breaker);
  const disabled: string[] = [];
  const settled = await inTransaction(db, async (trx) => {
    disabled.length = 0;
    for (const { delivery, report } of inOrder(gone))
      if (await disableEndpoint(trx, delivery.endpointId, report.reason ?? ''))
        disabled.push(delivery.endpointId);
    return settleAttempts(trx, findings, breaker);
  });
  for (const endpointId of disabled) tellDisabled(log, endpointId, 'gone');
  return settled;
}

/** Of endpoints, so that two workers never wait for each other. */
function inOrder(findings: Finding[]): Finding[] {
  return [...findings].sort((a, b) => (a.delivery.endpointId < b.delivery.endpointId ? -1 : 1));
}

/** In a transaction of its own: should it not come to that, the next failure sees to it. */
async function disableHopeless({ db, log, breaker }: SettlerOptions, endpointIds: string[]): Promise<void> {
  const reason = hopelessReason(breaker);
  for (const endpointId of endpointIds) {
    try {
      const disabled = await inTransaction(db, (trx) => disableEndpoint(trx, endpointId, reason));
      if (disabled) tellDisabled(log, endpointId, 'hopeless');
    } catch (error) {
      log.error({ err: error, endpoint_id: endpointId }, 'endpoint not disabled');
    }
  }
}

function tellDisabled(log: Logger, endpointId: string, reason: 'gone' | 'hopeless'): void {
  queueMetrics.endpointDisabled.inc({ reason });
  log.warn({ endpoint_id: endpointId, reason }, 'endpoint disabled');
}

function tell(log: Logger, findings: Finding[], { taken, opened }: Settled): void {
  for (const { delivery, report, next } of findings) {
    const late = !taken.has(delivery.id);
    if (!late && next.status !== 'retrying') queueMetrics.delivery.inc({ outcome: next.status });
    // With LOG_LEVEL=warn no line is made only to be dropped, thousands of times a second.
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
      queueMetrics.lateResult.inc();
      log.warn(line, 'result came too late');
      continue;
    }
    if (next.status === 'retrying')
      log.info({ ...line, next_in_s: Math.round(next.waitSeconds) }, 'will retry');
    else log.info(line, next.status);
  }
  for (const endpointId of opened) log.warn({ endpoint_id: endpointId }, 'breaker opened');
}
