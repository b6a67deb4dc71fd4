import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, type Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import type { Settlement } from './delivery';
import { settle } from './delivery.repository';
import { disableEndpoint } from './disable-endpoint';

/** How long the first result waits for company. */
const GATHER_MS = 5;
const TRIES = 5;
const PAUSE_MS = 1000;

/**
 * Writes results down a batch at a time. The returned function resolves once its result is written; or given up, and
 * then the lease runs out and the delivery is sent again.
 */
export function createSettler(db: Db, log: Logger): (settlement: Settlement) => Promise<void> {
  let batch: Settlement[] = [];
  let written: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    await sleep(GATHER_MS);
    const settlements = batch;
    batch = [];
    written = undefined;
    await writePatiently(db, log, settlements);
  };
  return (settlement) => {
    batch.push(settlement);
    return (written ??= write());
  };
}

async function writePatiently(db: Db, log: Logger, settlements: Settlement[]): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      return tell(log, settlements, await writeDown(db, log, settlements));
    } catch (error) {
      log.error({ err: error, deliveries: settlements.length, attempt }, 'results not written');
      if (attempt < TRIES) await sleep(PAUSE_MS);
    }
  }
}

/** Those that end an endpoint go with it, in a transaction that locks the endpoint first, as the terminal does. */
async function writeDown(db: Db, log: Logger, settlements: Settlement[]): Promise<Set<string>> {
  const gone = settlements.filter(({ report }) => report.outcome === 'gone');
  if (gone.length === 0) return settle(db, settlements);
  return inTransaction(db, async (trx) => {
    for (const { delivery, report } of gone) {
      const disabled = await disableEndpoint(trx, delivery.endpointId, report.reason ?? '');
      if (disabled) log.warn({ endpoint_id: delivery.endpointId }, 'endpoint disabled');
    }
    return settle(trx, settlements);
  });
}

function tell(log: Logger, settlements: Settlement[], taken: Set<string>): void {
  for (const { delivery, report, next } of settlements) {
    const line = {
      delivery_id: delivery.id,
      endpoint_id: delivery.endpointId,
      attempt: delivery.fence,
      outcome: report.outcome,
      status_code: report.statusCode,
      ms: report.durationMs,
    };
    if (!taken.has(delivery.id)) log.warn(line, 'result came too late');
    else if (next.status === 'retrying')
      log.info({ ...line, next_in_s: Math.round(next.waitSeconds) }, 'will retry');
    else log.info(line, next.status);
  }
}
