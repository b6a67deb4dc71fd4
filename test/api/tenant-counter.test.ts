import { placeHold } from '../../services/api/seats/changes/place-hold';
import { TenantCounter } from '../../services/api/seats/read/tenant-counter';
import { sellerWithoutKey } from '../../services/api/seats/seat-change';
import { lockChanges } from '../../services/api/seats/lock';
import { readFacts } from '../../services/api/seats/read/read-facts';
import { ChangeQueue } from '../../services/api/seats/queue/change-queue';
import type { Tenant } from '../../services/api/tenants/tenant';
import { inTransaction } from '../../services/platform/database/database';
import { createLogger } from '../../services/platform/logger';
import { useTestDatabase } from '../support/database';
import { givenTenant } from '../support/given';
import { holdRequest } from '../support/sell';
import { givenSeats, type PlacedSeats } from '../support/website';

const database = useTestDatabase();

describe('the counter of a tenant', () => {
  it('a new hold of a tenant near its limit of holds counts at once', async () => {
    const tenant = await givenTenant(database.db, { maxHolds: 10_000 });
    expect(await countsAroundHold(tenant)).toEqual([0, 1]);
  });

  it('the count of holds may be up to a second old for a tenant far below the limit', async () => {
    const tenant = await givenTenant(database.db, { maxHolds: 10_001 });
    expect(await countsAroundHold(tenant)).toEqual([0, 0]);
  });

  it('the holds of a tenant far below the limit are counted again after a second', async () => {
    const tenant = await givenTenant(database.db, { maxHolds: 10_001 });
    const pause = () => new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await countsAroundHold(tenant, pause)).toEqual([0, 1]);
  });
});

/** Counts a tenant's live holds, places one, and counts again. */
async function countsAroundHold(
  tenant: Tenant,
  pause: () => Promise<unknown> = () => Promise.resolve(),
): Promise<(number | undefined)[]> {
  const { db } = database;
  const sale = holdOf(tenant, await givenSeats(db));
  const counter = new TenantCounter();
  const count = () =>
    inTransaction(db, async (trx) => {
      const locks = await lockChanges(trx, [sale], () => true);
      const { facts } = await readFacts(trx, [sale], locks, counter);
      return facts.liveHolds.get(tenant.id);
    });
  const before = await count();
  await new ChangeQueue(db, createLogger('silent', 'api'), true).commit(sale);
  await pause();
  return [before, await count()];
}

function holdOf(tenant: Tenant, { tour, date, departureId }: PlacedSeats) {
  return placeHold(sellerWithoutKey(tenant), tour, { departureId, times: [] }, holdRequest(date));
}
