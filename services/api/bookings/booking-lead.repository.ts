import { CLOCK, type Db, type Trx } from '../../platform/database';
import type { Actor } from '../tenants/actor';
import type { PaymentMethod } from '../tenants/tenant';
import { tenantIdOf, type TenantScope } from '../tenants/tenant-scope';
import type { BookingLead, BookingStatus, Customer } from './booking-lead';
import { LEAD_COLUMNS, LEAD_STATUS, LEAD_TABLES, toLead } from './booking-lead-row';

export interface NewLead {
  tenant: { id: string; bookingPrefix: string; paymentWindowMinutes: number | null };
  tourId: string;
  departureId: string | null;
  departureDate: string | null;
  holdId: string | null;
  adults: number;
  unitPriceMinor: number;
  totalMinor: number;
  depositMinor: number;
  currency: string;
  currencyDigits: number;
  priceBreakdown: Record<string, unknown>;
  paymentMethod: PaymentMethod;
  externalRef: string | null;
  customer: Customer;
  notes: string | null;
  by: Actor | null;
}

/** @returns the lead's id; its reference is the tenant's prefix, a dash, and that id */
export async function insertLead(trx: Trx, lead: NewLead): Promise<number> {
  const { rows } = await trx.raw(
    `${CLOCK},
     number as materialized (select nextval(pg_get_serial_sequence('booking_leads', 'id')) as id)
     insert into booking_leads (id, booking_ref, tenant_id, tour_id, departure_id, departure_date, hold_id, adults,
       unit_price_minor, total_minor, deposit_minor, currency, currency_digits, price_breakdown, payment_method,
       external_ref, customer_name, customer_phone, customer_email, notes, created_by,
       created_at, payment_due_at)
     overriding system value
     select number.id, :prefix || '-' || number.id, :tenantId::uuid, :tourId::uuid, :departureId::uuid,
       :departureDate::date, :holdId::uuid, :adults, :unitPriceMinor, :totalMinor, :depositMinor, :currency,
       :currencyDigits, :priceBreakdown::jsonb, :paymentMethod, :externalRef, :name, :phone, :email, :notes, :by,
       clock.at, clock.at + make_interval(mins => :windowMinutes::integer)
     from clock, number
     returning id`,
    {
      ...lead,
      ...lead.customer,
      priceBreakdown: JSON.stringify(lead.priceBreakdown),
      tenantId: lead.tenant.id,
      prefix: lead.tenant.bookingPrefix,
      windowMinutes: lead.tenant.paymentWindowMinutes,
    },
  );
  return rows[0].id;
}

export async function findLead(
  db: Db,
  scope: TenantScope,
  bookingRef: string,
): Promise<BookingLead | undefined> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where l.booking_ref = :bookingRef and (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid)`,
    { bookingRef, tenantId: tenantIdOf(scope) },
  );
  return rows[0] && toLead(rows[0]);
}

export async function findLeadOfHold(db: Db, holdId: string): Promise<BookingLead | undefined> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES} where l.hold_id = :holdId`,
    {
      holdId,
    },
  );
  return rows[0] && toLead(rows[0]);
}

export async function findLapsedLeads(db: Db, limit: number): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where lead_lapsed(l.status, l.payment_due_at, clock.at) order by l.payment_due_at, l.id limit :limit`,
    { limit },
  );
  return rows.map(toLead);
}

export interface LeadFilter {
  externalRef?: string;
  status?: BookingStatus;
  /** Inclusive dates on which the lead was created, UTC. */
  from?: string;
  to?: string;
  since?: Date;
  until?: Date;
  /** The last lead of the page before. */
  beforeId?: number;
  limit: number;
}

/** Newest first. */
export async function findLeads(db: Db, scope: TenantScope, filter: LeadFilter): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where (:tenantId::uuid is null or l.tenant_id = :tenantId::uuid) ${leadConditions(filter)} order by l.id desc limit :limit`,
    { ...filter, tenantId: tenantIdOf(scope) },
  );
  return rows.map(toLead);
}

const CONDITIONS: { [F in keyof LeadFilter]?: string } = {
  externalRef: 'l.external_ref = :externalRef',
  status: `${LEAD_STATUS} = :status`,
  from: "l.created_at >= (:from::date)::timestamp at time zone 'UTC'",
  to: "l.created_at < (:to::date + 1)::timestamp at time zone 'UTC'",
  since: 'l.created_at >= :since',
  until: 'l.created_at < :until',
  beforeId: 'l.id < :beforeId',
};

function leadConditions(filter: LeadFilter): string {
  const given = (Object.keys(CONDITIONS) as (keyof LeadFilter)[]).filter(
    (name) => filter[name] !== undefined,
  );
  return given.map((name) => `and ${CONDITIONS[name]}`).join(' ');
}

/** The caller has locked the departure, where there is one; the row lock orders those without. */
export async function lockLead(trx: Trx, id: number): Promise<void> {
  await trx('booking_leads').select('id').where({ id }).forUpdate();
}

export async function setLeadStatus(
  trx: Trx,
  id: number,
  status: 'confirmed' | 'cancelled',
  by: Actor | null,
): Promise<void> {
  await trx('booking_leads')
    .where({ id })
    .update({ status, [`${status}_at`]: trx.raw('clock_timestamp()'), [`${status}_by`]: by });
}

/** @param externalRef what is left of the reference */
export async function forgetLeadCustomer(trx: Trx, id: number, externalRef: string | null): Promise<void> {
  await trx('booking_leads')
    .where({ id })
    .update({
      ...{ customer_name: null, customer_phone: null, customer_email: null, notes: null },
      external_ref: externalRef,
      anonymized_at: trx.raw('clock_timestamp()'),
    });
}
