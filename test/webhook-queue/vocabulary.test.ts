import type { Db } from '../../services/platform/database/database';
import {
  DELIVERY_STATUSES,
  EVENT_TYPES,
  OCTO_EVENT_TYPES,
} from '../../services/webhook-queue/deliveries/delivery';
import { ENDPOINT_FILTERS, OUTCOMES } from '../../services/webhook-queue/monitor/queries/read-query';
import { useTestDatabase } from '../support/database';

const database = useTestDatabase();
let db: Db;
beforeAll(() => void (db = database.db));

/** Reads the words of a constraint. */
async function wordsOf(constraint: string): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { definition: string }[] }>(
    'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = ?',
    [constraint],
  );
  return [...rows[0]!.definition.matchAll(/'([a-z_.]+)'/g)].map(([, word]) => word!).sort();
}

it.each([
  [
    'event types that an endpoint may subscribe to',
    'webhook_endpoints_events_known',
    [...EVENT_TYPES, ...OCTO_EVENT_TYPES],
  ],
  ['event types of subscriptions', 'webhook_endpoints_events_of_octo', [...OCTO_EVENT_TYPES, 'octo']],
  [
    'statuses of an endpoint',
    'webhook_endpoints_status_known',
    ENDPOINT_FILTERS.filter((one) => one !== 'breaker'),
  ],
  [
    'statuses of a delivery',
    'webhook_deliveries_status_known',
    DELIVERY_STATUSES.filter((one) => one !== 'delivering'),
  ],
  ['outcomes', 'webhook_attempts_outcome_known', OUTCOMES],
])('The code and the database have the same %s', async (_what, constraint, words) => {
  expect(await wordsOf(constraint)).toEqual([...words].sort());
});
