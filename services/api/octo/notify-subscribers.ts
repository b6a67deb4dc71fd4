import { type Db, inTransaction, type Trx } from '../../platform/database';
import { enqueueDelivery, findSubscribers, type WebhookEvent } from '../../webhook-queue/enqueue-delivery';
import type { Subscription } from '../../webhook-queue/subscriptions';
import { readAsOf } from '../catalog/as-of';
import { listCatalog } from '../catalog/list-catalog';
import type { AvailabilityCache } from '../departures/availability-cache';
import type { PagePosition } from '../catalog/tour';
import { IS_VISIBLE, visibilityJoins } from '../catalog/visibility';
import { readTenantAgain } from '../tenants/manage-tenants';
import type { Tenant } from '../tenants/tenant';
import { OPTION_ID } from './product.dto';

/** The most departures that a process remembers between two notifications. */
const SEATS_MAX = 10_000;

/**
 * Remembers the departures whose seats have changed in this process since the last notification. A process that is killed forgets them;
 * notifications of bookings are stored with the bookings.
 */
export class ChangedSeats {
  private readonly dates = new Map<string, ChangedDate>();
  private readonly departureIds = new Set<string>();

  /** Returns a cache that also remembers each date whose seats have changed. */
  watch(availability: AvailabilityCache): AvailabilityCache {
    return {
      ...availability,
      drop: (tourId, date, sandbox) => {
        if (this.dates.size < SEATS_MAX)
          this.dates.set(`${tourId} ${date} ${sandbox}`, { tourId, date, sandbox });
        return availability.drop(tourId, date, sandbox);
      },
    };
  }

  /** Remembers departures whose expired seats are free again. */
  recordDepartures(ids: string[]): void {
    for (const id of ids) if (this.departureIds.size < SEATS_MAX) this.departureIds.add(id);
  }

  /** Sends AVAILABILITY_UPDATE of the remembered departures to the subscribed tenants that see the tours. */
  async notify(db: Db): Promise<void> {
    const dates = [...this.dates.values()];
    const departureIds = [...this.departureIds];
    this.dates.clear();
    this.departureIds.clear();
    if (dates.length + departureIds.length === 0) return;
    await inTransaction(db, (trx) => notifyOfSeats(trx, dates, departureIds));
  }
}

interface ChangedDate {
  tourId: string;
  /** YYYY-MM-DD. */
  date: string;
  /** True: seats of the sandbox; false: real seats. */
  sandbox: boolean;
}

async function notifyOfSeats(trx: Trx, dates: ChangedDate[], departureIds: string[]): Promise<void> {
  const subscribers = await findSubscribers(trx, ['octo.availability_update']);
  if (subscribers.length === 0) return;
  const { rows } = await trx.raw<{ rows: { tenantId: string; tourId: string; date: string }[] }>(
    `with changed as (
       select c."tourId" as tour_id, c.date, c.sandbox
       from json_to_recordset(:dates::json) as c ("tourId" uuid, date date, sandbox boolean)
       union
       -- An expired hold or booking may be real or of the sandbox.
       select d.tour_id, d.departure_date, kind.sandbox
       from departures d, (values (true), (false)) as kind (sandbox) where d.id = any (:departureIds::uuid[])
     )
     select n.id as tenant_id, t.id as tour_id, c.date::text
     from changed c
       join tours t on t.id = c.tour_id
       cross join unnest(:tenants::uuid[]) as s (tenant_id)
       ${visibilityJoins('s.tenant_id')}
     where ${IS_VISIBLE} and n.sandbox = c.sandbox and n.status in ('trial', 'active')
     order by 1, 2, 3`,
    { dates: JSON.stringify(dates), departureIds, tenants: subscribers.map(({ tenantId }) => tenantId) },
  );
  await enqueueDelivery(
    trx,
    ...rows.map(({ tenantId, tourId, date }) => availabilityEvent(tenantId, tourId, date, date)),
  );
}

/**
 * Lets the changes of the catalog begin now for a tenant.
 * @param present the tenant's subscriptions; if one of them gets the changes of the catalog already, nothing is done
 */
export async function beginCatalogReads(trx: Trx, tenantId: string, present: Subscription[]): Promise<void> {
  if (present.some(({ events }) => events.some((type) => type.startsWith('octo.')))) return;
  const asOf = await readAsOf(trx);
  await trx('octo_catalog_reads')
    .insert({ tenant_id: tenantId, as_of: asOf })
    .onConflict('tenant_id')
    .merge();
}

/**
 * Sends the changes of the catalog since the last call to each subscribed tenant: PRODUCT_UPDATE of each tour that has changed for it or
 * that it does not see any more, and AVAILABILITY_UPDATE of its coming departures.
 * @param onFailure receives the error of one tenant; the others continue, and the next call repeats it
 */
export async function notifyOfCatalog(db: Db, onFailure: (error: unknown) => void): Promise<void> {
  const subscribers = await inTransaction(db, (trx) =>
    findSubscribers(trx, ['octo.product_update', 'octo.availability_update']),
  );
  for (const tenantId of new Set(subscribers.map((one) => one.tenantId)))
    await inTransaction(db, (trx) => notifyTenant(trx, tenantId)).catch(onFailure);
}

const TOURS_A_PAGE = 100;

async function notifyTenant(trx: Trx, tenantId: string): Promise<void> {
  // One instance at a time; the others leave the tenant to it.
  const [read] = await trx('octo_catalog_reads')
    .where({ tenant_id: tenantId })
    .forUpdate()
    .skipLocked()
    .select<{ asOf: Date }[]>('as_of');
  const tenant = await readTenantAgain(trx, { id: tenantId });
  if (!read || !['trial', 'active'].includes(tenant.status)) return;
  const since = read.asOf.toISOString();
  if ((await readAsOf(trx, since)) === since) return;
  const { tourIds, asOf } = await readChanges(trx, tenant, since);
  const ranges = await findComingDates(trx, tourIds.seen);
  await enqueueDelivery(
    trx,
    ...[...tourIds.seen, ...tourIds.removed].map((id) => productEvent(tenantId, id)),
    ...ranges.map(({ tourId, first, last }) => availabilityEvent(tenantId, tourId, first, last)),
  );
  await trx('octo_catalog_reads').where({ tenant_id: tenantId }).update({ as_of: asOf });
}

async function readChanges(trx: Trx, tenant: Tenant, updatedSince: string) {
  const tourIds = { seen: [] as string[], removed: [] as string[] };
  let after: PagePosition | undefined;
  let asOf = updatedSince;
  do {
    const page = await listCatalog(trx, tenant, { limit: TOURS_A_PAGE, updatedSince, after });
    tourIds.seen.push(...page.items.map(({ tour }) => tour.id));
    tourIds.removed.push(...page.removed.map(({ id }) => id));
    asOf = page.asOf!;
    after = page.last ?? undefined;
  } while (after);
  return { tourIds, asOf };
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

function productEvent(tenantId: string, productId: string): WebhookEvent {
  return { tenantId, type: 'octo.product_update', bookingRef: null, body: { productId } };
}

/** @param first YYYY-MM-DD @param last YYYY-MM-DD */
function availabilityEvent(tenantId: string, productId: string, first: string, last: string): WebhookEvent {
  const body = { productId, optionId: OPTION_ID, localDateStart: first, localDateEnd: last };
  return { tenantId, type: 'octo.availability_update', bookingRef: null, body };
}
