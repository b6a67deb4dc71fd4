import { runPrepared, type Trx } from '../../platform/database/database';
import { LOCK_NOT_AVAILABLE, sqlState } from '../../platform/errors';
import { bindEvents, INSERT_EVENTS } from '../../webhook-queue/enqueue-delivery';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';
import { bindAnswers, INSERT_ANSWERS } from '../idempotency/idempotency.repository';
import type { Decided } from './decided';
import type { SeatChange } from './seat-change';
import { changedRows, type Part } from './write-changed-rows';
import { newRows, noNewRows } from './write-new-rows';

export interface Granted {
  change: SeatChange;
  decided: Decided<unknown>;
}

/** The holds and leads that a transaction wrote. */
export interface WrittenRows {
  newHolds: string[];
  newLeads: number[];
  changedHolds: string[];
  changedLeads: number[];
}

export function countRows(rows: WrittenRows): number {
  const { newHolds, newLeads, changedHolds, changedLeads } = rows;
  return newHolds.length + newLeads.length + changedHolds.length + changedLeads.length;
}

/**
 * Writes all granted changes with one statement: converts holds, inserts holds, leads, events with their deliveries, and the answers of
 * Idempotency-Keys, and updates the rows of stored changes. A trigger counts the seats again at the end of the statement (ADR 8).
 * @param at the clock reading of the decisions: holds and leads begin at this time, not at the transaction's start
 * @throws IdempotencyInProgressError (409) when the answer of a key cannot be stored: the key was erased meanwhile, or another request with
 *   the same key has stored its row or holds the lock on it. The caller must then roll back the transaction.
 */
export async function writeChanges(trx: Trx, granted: Granted[], at: string): Promise<WrittenRows> {
  const all = granted.map(({ decided }) => decided);
  const parts = [
    ...newRows(all, at),
    ...all.flatMap(changedRows),
    events(granted),
    storedAnswers(granted),
  ].filter(({ rows }) => rows > 0);
  if (parts.length > 0)
    await write(trx, at, parts).catch((error: unknown) => {
      const waitedForKey =
        sqlState(error) === LOCK_NOT_AVAILABLE && granted.some(({ change: { claim } }) => claim !== null);
      throw waitedForKey ? new IdempotencyInProgressError() : error;
    });
  return {
    newHolds: all.flatMap(({ newHold }) => newHold?.held.id ?? []),
    newLeads: all.flatMap(({ newLead }) => newLead?.id ?? []),
    changedHolds: all.flatMap(({ hold }) => hold?.id ?? []),
    changedLeads: all.flatMap(({ lead }) => lead?.id ?? []),
  };
}

/** Runs the statement that writes new holds, bookings, events and answers, for no change. */
export async function writeNothing(trx: Trx): Promise<void> {
  const parts = [...noNewRows(), events([]), storedAnswers([])];
  await write(trx, new Date().toISOString(), parts);
}

async function write(trx: Trx, at: string, parts: Part[]): Promise<void> {
  const counted = parts.filter((part) => part.counted !== undefined);
  const counts = counted.map(({ counted: name }) => `, (select count(*) from "${name}") as "${name}"`);
  const values = Object.fromEntries(parts.flatMap((part) => Object.entries(part.values)));
  const { rows } = await runPrepared<Record<string, number>>(
    trx,
    `with ${parts.map(({ sql }) => sql).join(', ')} select :at::text as at${counts.join('')}`,
    { ...values, at },
  );
  for (const { counted: name, rows: wanted } of counted)
    if (rows[0]![name!] !== wanted)
      throw name === 'stored'
        ? new IdempotencyInProgressError()
        : new Error(`${name}: a hold or booking changed under its lock`);
}

function events(granted: Granted[]): Part {
  const all = granted.flatMap(({ change: { traceparent }, decided }) =>
    (decided.events ?? []).map((event) => ({ ...event, traceparent })),
  );
  return { rows: all.length, sql: INSERT_EVENTS, values: bindEvents(all) };
}

function storedAnswers(granted: Granted[]): Part {
  const answers = granted.flatMap(({ change: { claim }, decided }) => {
    if (!claim) return [];
    const { tenantId, operation, key, erasedKey, fingerprint, keepHours, keyFamily } = claim;
    const { status, body } = claim.toResponse(decided.result);
    return [{ tenantId, operation, key, erasedKey, fingerprint, keepHours, keyFamily, status, body }];
  });
  return {
    rows: answers.length,
    counted: 'stored',
    sql: `stored as (${INSERT_ANSWERS})`,
    values: bindAnswers(answers),
  };
}
