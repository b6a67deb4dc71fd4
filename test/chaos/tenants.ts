import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../services/platform/database';
import { add, book, createTenant } from '../webhook-queue/queue-fixture';
import type { Receiver } from './receiver';
import { HOPELESS, type Kind } from './kinds';
import type { Secrets } from './receiver-process';

/** Of each tenant: every booking goes to all of these. */
const ENDPOINTS: readonly Kind[] = [
  ...['fine', 'fine', 'fine', 'slow', 'slow', 'flaky', 'flaky', 'throttling', 'dropping', 'hanging'],
] as Kind[];

/** Deliveries that a booking makes. */
export const FAN_OUT = ENDPOINTS.length;

export interface Landscape {
  /** One booking of the next tenant in turn, until the database has taken it. */
  book(): Promise<void>;
}

/** Tenants with endpoints of all kinds, and one more whose endpoints never answer, with a delivery or two for each of these. */
export async function makeLandscape(
  db: Db,
  receiver: Receiver,
  { tenants, hopeless }: { tenants: number; hopeless: number },
): Promise<Landscape> {
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
  for (const kind of HOPELESS.slice(0, hopeless)) await addKind(tenantIds[0]!, kind, 'booking.cancelled');
  receiver.trust(secrets);
  for (let i = 0; i < hopeless; i++) await book(db, tenantIds[0]!, 'booking.cancelled');

  let turn = 0;
  return {
    book: async () => {
      const tenantId = tenantIds[turn++ % tenants]!;
      await bookPatiently(db, tenantId);
    },
  };
}

/** Through restarts of the database; a booking whose answer was lost may then be there twice. */
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
