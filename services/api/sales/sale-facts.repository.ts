import { runPrepared, type Trx } from '../../platform/database';
import { IS_VISIBLE, visibilityJoins } from '../catalog/visibility';
import { lockedPrices } from '../pricing/prices';
import type { Sale } from './sale';
import type { HeldSeats } from './sale-facts';

/** A tenant's view of one departure. */
export interface Seller {
  tenantId: string;
  departureId: string;
  visible: boolean;
  /** Seats of its live holds and unpaid bookings; null: not counted. */
  unpaidSeats: number | null;
}

/**
 * Reads which departures tenants see, and how many seats they keep of them. The seats that all tenants of a kind have taken come from
 * readDepartures (departures/reserve-seats.ts); count_seats (migration 0021) counts them.
 * @param limited counts the seats that the tenant keeps
 */
export async function findSellers(
  trx: Trx,
  wanted: { tenantId: string; departureId: string; limited: boolean }[],
  at: string,
): Promise<Seller[]> {
  if (wanted.length === 0) return [];
  const { rows } = await runPrepared(
    trx,
    `select w.tenant_id as "tenantId", d.id as "departureId", ${IS_VISIBLE} as "visible",
       case when w.limited then (
         -- Filters, so that only the indexes of the departure fit (migration 0033).
         coalesce((select sum(h.quantity) filter (where h.tenant_id = w.tenant_id and hold_lives(h.status, h.expires_at, :at))
                   from seat_holds h where h.departure_id = d.id and h.status = 'active'), 0)
         + coalesce((select sum(l.adults + l.children) filter (where l.tenant_id = w.tenant_id
                       and l.status = 'pending_payment' and lead_stands(l.status, l.payment_due_at, :at))
                     from booking_leads l
                     where l.departure_id = d.id and l.status in ('pending_payment', 'confirmed')), 0)
       )::integer end as "unpaidSeats"
     from unnest(:tenantIds::uuid[], :departureIds::uuid[], :limited::boolean[]) as w (tenant_id, departure_id, limited)
     join departures d on d.id = w.departure_id
     join tours t on t.id = d.tour_id
     ${visibilityJoins('w.tenant_id')}`,
    {
      at,
      // Arrays, because PostgreSQL plans for 100 entries of a JSON text and then reads all departures.
      tenantIds: wanted.map(({ tenantId }) => tenantId),
      departureIds: wanted.map(({ departureId }) => departureId),
      limited: wanted.map(({ limited }) => limited),
    },
  );
  return rows;
}

/** A count of a tenant over all departures. */
export interface TenantCount {
  tenantId: string;
  /** `hold`: its live holds; `booking`: its standing unpaid bookings, with or without a date. */
  kind: Sale['kind'];
  count: number;
}

export async function countOfTenants(
  trx: Trx,
  wanted: Omit<TenantCount, 'count'>[],
  at: string,
): Promise<TenantCount[]> {
  const { rows } = await runPrepared(
    trx,
    `select w.tenant_id as "tenantId", w.kind,
       case when w.kind = 'hold' then (
         select count(*) from seat_holds h
         where h.tenant_id = w.tenant_id and hold_lives(h.status, h.expires_at, :at))
       else (
         select count(*) from booking_leads l
         where l.tenant_id = w.tenant_id and l.status = 'pending_payment'
           and lead_stands(l.status, l.payment_due_at, :at)) end as "count"
     from unnest(:tenantIds::uuid[], :kinds::text[]) as w (tenant_id, kind)`,
    { at, tenantIds: wanted.map(({ tenantId }) => tenantId), kinds: wanted.map(({ kind }) => kind) },
  );
  return rows;
}

/** Returns the named holds, and the live holds of a tenant on a departure that have one of its references. */
export async function findHoldsToConsume(
  trx: Trx,
  holdIds: string[],
  references: { tenantId: string; departureId: string; externalRef: string }[],
  at: string,
): Promise<HeldSeats[]> {
  const { rows } = await runPrepared(
    trx,
    `select h.id, h.tenant_id as "tenantId", h.departure_id as "departureId", h.quantity, h.children, h.external_ref as "externalRef",
       case when hold_lapsed(h.status, h.expires_at, :at) then 'expired' else h.status end as "status",
       ${lockedPrices('h')} as "prices", h.currency, h.currency_digits as "currencyDigits",
       h.price_breakdown as "priceBreakdown"
     from seat_holds h
     where h.id in (
       select unnest(:holdIds::uuid[])
       union
       select live.id
       from unnest(:tenantIds::uuid[], :departureIds::uuid[], :externalRefs::text[]) as w (tenant_id, departure_id, external_ref)
       join seat_holds live on live.tenant_id = w.tenant_id and live.departure_id = w.departure_id
         and live.external_ref = w.external_ref and hold_lives(live.status, live.expires_at, :at))`,
    {
      at,
      holdIds,
      // Arrays, because PostgreSQL plans for 100 entries of a JSON text and then reads all live holds.
      tenantIds: references.map(({ tenantId }) => tenantId),
      departureIds: references.map(({ departureId }) => departureId),
      externalRefs: references.map(({ externalRef }) => externalRef),
    },
  );
  return rows;
}
