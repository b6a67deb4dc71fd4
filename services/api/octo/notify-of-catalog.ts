import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import { enqueueNotifications, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import type { Subscription } from '../../webhook-queue/subscriptions';
import { readAsOf } from '../catalog/as-of';
import { listCatalog } from '../catalog/list-catalog';
import type { PagePosition } from '../catalog/tour';
import { readTenantAgain } from '../tenants/manage-tenants';
import { mayBeUsed } from '../tenants/tenant';
import { availabilityUpdate, productUpdate } from './notification-events';

const CATALOG_EVENTS = ['octo.product_update', 'octo.availability_update'] as const;

/**
 * Lets the changes of the catalog begin now for a tenant.
 * @param present the tenant's subscriptions; if one of them gets the changes of the catalog already, nothing is done
 */
export async function beginCatalogReads(trx: Trx, tenantId: string, present: Subscription[]): Promise<void> {
  if (present.some(({ events }) => CATALOG_EVENTS.some((type) => events.includes(type)))) return;
  const asOf = await readAsOf(trx);
  await trx('octo_catalog_reads')
    .insert({ tenant_id: tenantId, as_of: asOf, position: null })
    .onConflict('tenant_id')
    .merge();
}

/**
 * Sends the changes of the catalog since the last call to each subscribed tenant: PRODUCT_UPDATE of each tour that has changed for it or
 * that it does not see any more, and AVAILABILITY_UPDATE of its coming departures. Each page of tours has a transaction of its own, which
 * also stores how far the tenant's changes were sent.
 * @param onFailure receives the error of one tenant; the others continue, and the next call goes on with the page that failed
 * @param isStopped true: ends before the next page
 */
export async function notifyOfCatalog(
  db: Db,
  onFailure: (error: unknown) => void,
  isStopped: () => boolean = () => false,
): Promise<void> {
  const subscribers = await inTransaction(db, (trx) => findSubscribers(trx, [...CATALOG_EVENTS]));
  for (const tenantId of new Set(subscribers.map((one) => one.tenantId)))
    await notifyTenant(db, tenantId, isStopped).catch(onFailure);
}

async function notifyTenant(db: Db, tenantId: string, isStopped: () => boolean): Promise<void> {
  let hasMore = true;
  while (hasMore && !isStopped()) hasMore = await inTransaction(db, (trx) => notifyOfPage(trx, tenantId));
}

const TOURS_A_PAGE = 100;

/** @returns whether another page follows */
async function notifyOfPage(trx: Trx, tenantId: string): Promise<boolean> {
  // Locks the row, so that only one instance notifies a tenant at a time. The other instances skip this tenant.
  const [read] = await trx('octo_catalog_reads')
    .where({ tenant_id: tenantId })
    .forUpdate()
    .skipLocked()
    .select<{ asOf: Date; position: PagePosition | null }[]>('as_of', 'position');
  const tenant = await readTenantAgain(trx, { id: tenantId });
  if (!read || !mayBeUsed(tenant)) return false;
  const updatedSince = read.asOf.toISOString();
  const after = read.position ?? undefined;
  if (!after && (await readAsOf(trx, updatedSince)) === updatedSince) return false;
  const page = await listCatalog(trx, tenant, { limit: TOURS_A_PAGE, updatedSince, after });
  const seen = page.items.map(({ tour }) => tour.id);
  const ranges = await findComingDates(trx, seen);
  await enqueueNotifications(trx, [
    ...[...seen, ...page.removed.map(({ id }) => id)].map((id) => productUpdate(tenantId, id)),
    ...ranges.map(({ tourId, first, last }) => availabilityUpdate(tenantId, tourId, first, last)),
  ]);
  await trx('octo_catalog_reads')
    .where({ tenant_id: tenantId })
    .update(page.last ? { position: JSON.stringify(page.last) } : { as_of: page.asOf, position: null });
  return page.last !== null;
}

/** Finds the first and the last date of the coming departures of each tour that has some. */
async function findComingDates(trx: Trx, tourIds: string[]) {
  const { rows } = await trx.raw<{ rows: { tourId: string; first: string; last: string }[] }>(
    `select d.tour_id, min(d.departure_date)::text as first, max(d.departure_date)::text as last
     from departures d where d.tour_id = any (:tourIds::uuid[]) and d.departure_date >= current_date
     group by d.tour_id order by d.tour_id`,
    { tourIds },
  );
  return rows;
}
