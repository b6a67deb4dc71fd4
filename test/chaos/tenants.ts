import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database/database';
import { add, book, createTenant } from '../webhook-queue/queue-fixture';
import type { Receiver } from './receiver';
import { FAILING, type Kind } from './kinds';
import type { Secrets } from './receiver-process';

/** The endpoints of each tenant. Every booking is delivered to all of them. */
const ENDPOINTS: readonly Kind[] = [
  'fine',
  'fine',
  'fine',
  'slow',
  'slow',
  'flaky',
  'flaky',
  'throttling',
  'dropping',
  'hanging',
] as Kind[];

/** Deliveries of one booking. */
export const FAN_OUT = ENDPOINTS.length;

export interface ChaosTenants {
  /** Books for one tenant after another, and retries until the database has committed. */
  book(): Promise<void>;
}

/**
 * Creates tenants with endpoints of all kinds. The first tenant also gets `failing` endpoints that never answer. The first tenant
 * also gets `failing` cancellations. Their events go to these endpoints alone.
 */
export async function createChaosTenants(
  db: Db,
  receiver: Receiver,
  { tenants, failing }: { tenants: number; failing: number },
): Promise<ChaosTenants> {
  const secrets: Secrets = {};
  let endpoints = 0;
  const addKind = async (tenantId: string, kind: Kind, event: string) => {
    const path = `/${kind}/${++endpoints}`;
    const { secret } = await add(db, tenantId, receiver.origins[kind] + path, [event]);
    secrets[path] = secret;
  };
  const tenantIds: string[] = [];
  for (let i = 0; i < tenants; i++) {
    const tenantId = await createTenant(db);
    for (const kind of ENDPOINTS) await addKind(tenantId, kind, 'booking.created');
    tenantIds.push(tenantId);
  }
  for (const kind of FAILING.slice(0, failing)) await addKind(tenantIds[0]!, kind, 'booking.cancelled');
  receiver.trust(secrets);
  for (let i = 0; i < failing; i++) await book(db, tenantIds[0]!, 'booking.cancelled');

  let turn = 0;
  return {
    book: async () => {
      const tenantId = tenantIds[turn++ % tenants]!;
      await bookPatiently(db, tenantId);
    },
  };
}

/** Retries over restarts of the database. A booking whose answer was lost may then exist twice. */
async function bookPatiently(db: Db, tenantId: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await book(db, tenantId));
    } catch (error) {
      if (tries === 50) throw error;
      await sleep(200);
    }
  }
}
