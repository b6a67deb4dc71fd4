import type { EventEmitter } from 'node:events';
import { type Db, inTransaction, openDatabase } from '../../services/platform/database/database';
import { cancelWaiting } from '../../services/webhook-queue/deliveries/queue.repository';
import { unsent } from '../../services/webhook-queue/sending/send-webhook';
import { BREAKER } from '../../services/webhook-queue/worker/breaker';
import { recordDelivered, recordResults } from '../../services/webhook-queue/worker/results.repository';
import { useTestDatabase } from '../support/database';
import { add, book, claimNow, createTenant } from './queue-fixture';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Operation?: string;
  Plans?: PlanNode[];
}

/** The nodes in the plan of each statement that ran on `db`. */
const plans: PlanNode[][] = [];
const database = useTestDatabase();
let db: Db;
beforeAll(async () => {
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of [
    ['session_preload_libraries', 'auto_explain'],
    ['auto_explain.log_min_duration', '0'],
    ['auto_explain.log_format', 'json'],
    ['client_min_messages', 'log'],
  ] as const)
    await database.db.raw(`alter database ?? set ${setting} = '${value}'`, [name]);
  db = openDatabase(database.url, { applicationName: 'tests', poolMax: 1, canPrepare: true });
  const { pool } = db.client as { pool: EventEmitter };
  pool.on('createSuccess', (_id: number, connection: EventEmitter) =>
    connection.on('notice', ({ message }: Error) => {
      const [, plan] = /plan:\s*(\{.*)/s.exec(message) ?? [];
      if (plan) plans.push(nodesOf((JSON.parse(plan) as { Plan: PlanNode }).Plan));
    }),
  );
});
afterAll(() => db.destroy());

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Also returns true for a deletion, because a deletion checks its condition again for a row that has changed. */
function locksRows(node: PlanNode): boolean {
  return node['Node Type'] === 'LockRows' || node.Operation === 'Delete';
}

/** Names the partitions that the plan reads as parts of one table. */
function partitionsOf(plan: PlanNode[]): string[] {
  const parts = plan
    .filter((node) => node['Node Type'].endsWith('Append'))
    .flatMap(({ Plans }) => Plans ?? []);
  return parts.flatMap((part) => part['Relation Name'] ?? []);
}

/**
 * PostgreSQL 18 (at least 18.4) crashes or reads the wrong partition in one case. The statement waits for the lock of a row that
 * changes. It then checks its condition again, and selects partitions while it runs.
 */
describe('a statement of the queue that locks rows', () => {
  it('no plan that locks rows reads several partitions of a table', async () => {
    const tenantId = await createTenant(db);
    const { id: endpointId } = await add(db, tenantId, 'http://127.0.0.1:9999/');
    await book(db, tenantId);
    await book(db, tenantId);
    plans.length = 0;

    // Forces the generic plan, which PostgreSQL uses for a prepared claim from the sixth execution on.
    await db.raw('set plan_cache_mode = force_generic_plan');
    await claimNow(db, { leaseSeconds: 0.001 });
    const [delivery, delivered] = await claimNow(db);
    await db.raw('reset plan_cache_mode');
    const report = { ...unsent({ outcome: 'http_error', reason: 'No.' }), statusCode: 500 };
    const next = { status: 'retrying', waitSeconds: 0, tries: 1 } as const;
    const success = { ...unsent({ outcome: 'delivered', reason: null }), statusCode: 204 };
    const end = { ...next, status: 'delivered' as const };
    const others = await recordDelivered(db, [{ delivery: delivered!, report: success, next: end }]);
    expect([...others]).toEqual([]);
    const { taken } = await recordResults(db, [{ delivery: delivery!, report, next, trips: false }], BREAKER);
    expect([...taken]).toEqual([delivery!.id]);
    expect(await inTransaction(db, (trx) => cancelWaiting(trx, endpointId))).toBe(1);

    const locking = plans.filter((plan) => plan.some(locksRows));
    expect(locking).toHaveLength(5);
    expect(locking.flatMap(partitionsOf)).toEqual([]);
  });
});
