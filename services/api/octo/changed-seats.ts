import { type Db, inTransaction, type Trx } from '../../platform/database/database';
import type { Logger } from '../../platform/logger';
import { enqueueNotifications, findSubscribers } from '../../webhook-queue/enqueue-delivery';
import { IS_SELLABLE_BY, SHOWN_BY_RULES, SELLABLE_CURRENCIES, visibilityJoins } from '../catalog/visibility';
import type { ChangedDate } from '../seats/after-commit';
import { USABLE_STATUSES } from '../tenants/tenant';
import { type AvailabilityUpdate, availabilityUpdate } from './notification-events';

/** The most dates, and the most departures, that a process remembers between two notifications. */
const REMEMBERED_MAX = 10_000;

/**
 * Remembers the dates whose seats have changed in this process since the last notification. A process that is killed forgets them;
 * notifications of bookings are stored with the bookings.
 */
export class ChangedSeats {
  private dates = new Map<string, ChangedDate>();
  /** The notifications of tenants whose transaction failed. */
  private unsent: AvailabilityUpdate[] = [];
  private isOverflowLogged = false;

  constructor(private readonly log: Logger) {}

  /** Remembers dates whose seats have changed. */
  recordDates(changed: ChangedDate[]): void {
    for (const date of changed) {
      const key = `${date.tourId} ${date.date} ${date.sandbox}`;
      if (this.dates.size < REMEMBERED_MAX) this.dates.set(key, date);
      else if (!this.dates.has(key)) this.logOverflow();
    }
  }

  /**
   * Sends AVAILABILITY_UPDATE of the remembered dates to the subscribed tenants that see the tours, with a transaction for each
   * tenant. If the transaction of a tenant fails, its error is logged, and the next call sends to this tenant again.
   * @throws the error of the search for the tenants; the dates stay remembered
   */
  async notify(db: Db): Promise<void> {
    const { dates, unsent } = this;
    if (dates.size + unsent.length === 0) return;
    this.dates = new Map();
    try {
      const seen = await inTransaction(db, (trx) => findSeen(trx, [...dates.values()]));
      this.unsent = [];
      this.isOverflowLogged = false;
      for (const [tenantId, updates] of mergeByTenant([...unsent, ...seen]))
        await this.notifyTenant(db, tenantId, updates);
    } catch (error) {
      this.recordDates([...dates.values()]);
      throw error;
    }
  }

  private async notifyTenant(db: Db, tenantId: string, updates: AvailabilityUpdate[]): Promise<void> {
    try {
      await inTransaction(db, (trx) => enqueueNotifications(trx, updates));
    } catch (error) {
      this.log.warn({ err: error, tenant_id: tenantId }, 'changed seats not sent to a tenant');
      const free = REMEMBERED_MAX - this.unsent.length;
      this.unsent.push(...updates.slice(0, free));
      if (updates.length > free) this.logOverflow();
    }
  }

  /** Logs once until the next notification. */
  private logOverflow(): void {
    if (this.isOverflowLogged) return;
    this.isOverflowLogged = true;
    this.log.warn(
      { limit: REMEMBERED_MAX },
      'too many changed departures: the subscribers of OCTO are not notified of the others',
    );
  }
}

/** Sends AVAILABILITY_UPDATE of the dates whose seats an operator has changed, in the transaction of the change. */
export async function notifyOfSeats(trx: Trx, changed: ChangedDate[]): Promise<void> {
  // A change of the catalog has raised the revision, and notifyOfCatalog notifies of it.
  const bySales = changed.filter(({ inCatalog }) => !inCatalog);
  if (bySales.length > 0) await enqueueNotifications(trx, await findSeen(trx, bySales));
}

/** Finds AVAILABILITY_UPDATE of the dates for each subscribed tenant that sees the tours: one for each tour, with its dates. */
async function findSeen(trx: Trx, dates: ChangedDate[]): Promise<AvailabilityUpdate[]> {
  const subscribers = await findSubscribers(trx, ['octo.availability_update']);
  if (subscribers.length === 0) return [];
  const { rows } = await trx.raw<{
    rows: { tenantId: string; tourId: string; first: string; last: string }[];
  }>(
    `with changed as (
       select distinct c."tourId" as tour_id, c.date, c.sandbox
       from json_to_recordset(:dates::json) as c ("tourId" uuid, date date, sandbox boolean)
     ),
     ${SELLABLE_CURRENCIES}
     select n.id as tenant_id, t.id as tour_id, min(c.date)::text as first, max(c.date)::text as last
     from changed c
       join tours t on t.id = c.tour_id
       cross join unnest(:tenants::uuid[]) as subscriber (tenant_id)
       ${visibilityJoins('subscriber.tenant_id')}
     where ${SHOWN_BY_RULES} and ${IS_SELLABLE_BY} and n.sandbox = c.sandbox and n.status = any (:usable::text[])
     group by 1, 2
     order by 1, 2`,
    {
      dates: JSON.stringify(dates),
      tenants: subscribers.map(({ tenantId }) => tenantId),
      usable: USABLE_STATUSES,
    },
  );
  return rows.map(({ tenantId, tourId, first, last }) => availabilityUpdate(tenantId, tourId, first, last));
}

/** Groups the notifications by tenant. Each group has one for each tour, with its dates. */
function mergeByTenant(updates: AvailabilityUpdate[]): Map<string, AvailabilityUpdate[]> {
  const merged = new Map<string, Map<string, AvailabilityUpdate>>();
  for (const update of updates) {
    const ofTenant = merged.get(update.tenantId) ?? new Map<string, AvailabilityUpdate>();
    const { first, last } = ofTenant.get(update.productId)?.dates ?? update.dates;
    const dates = {
      ...update.dates,
      first: first < update.dates.first ? first : update.dates.first,
      last: last > update.dates.last ? last : update.dates.last,
    };
    merged.set(update.tenantId, ofTenant.set(update.productId, { ...update, dates }));
  }
  return new Map([...merged].map(([tenantId, ofTenant]) => [tenantId, [...ofTenant.values()]]));
}
