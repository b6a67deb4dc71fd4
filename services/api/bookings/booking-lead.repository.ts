import { MOVE_HOLD_ROWS } from '../holds/move-holds';
import { CLOCK, type Db, runPrepared, type Trx } from '../../platform/database/database';
import {
  describeRow,
  nullable,
  type Row,
  selected,
  stored,
  time,
} from '../../platform/database/row-description';
import type { Departure } from '../departures/departure';
import { START_TIME } from '../catalog/start-time';
import { octoDetails } from '../holds/octo-booking';
import type { ChangedFields } from '../audit/changed-fields';
import type { Actor } from '../tenants/actor';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';

import { datedTiers, PAST_FROM } from '../catalog/departure-state';
import { eraseAnswersOfLeads } from './booking-answers.repository';
import type { RecordedBookingChange, BookingLead, Traveller } from './booking-lead';
import type { BookingStatus } from './booking-status';
import { categoriesOf, storedCategories } from '../parties/category';
import { toParty } from '../parties/party-rules';
import { customerFields } from '../customers/customer';

/** The status of a lead `l`: `expired` once its payment is overdue by the database's clock, also if no sweep has marked the lead. */
export const LEAD_STATUS = `case when lead_lapsed(l.status, l.payment_due_at, clock.at) then 'expired' else l.status end`;

/** The time of the last change of the lead itself. The index booking_leads_by_update (0107_leads.sql) has the same expression. */
export const LEAD_UPDATED_AT =
  'coalesce(l.updated_at, greatest(l.created_at, l.confirmed_at, l.cancelled_at, l.expired_at, l.anonymized_at))';
/** The time of the last change of the lead, or of the status of its departure `d` if that is later. */
export const UPDATED_AT = `greatest(${LEAD_UPDATED_AT}, d.status_changed_at)`;

/** The questions and answers of a lead `l`. Null: its tour asked nothing. */
const ASKED = `(select json_build_object('questions', a.questions, 'answers', a.answers, 'pickup', a.pickup, 'timeZone', t.time_zone) from booking_answers a where a.lead_id = l.id)`;

/** The description of a lead `l`, with its tour `t`, its tenant `n` and its departure `d`. */
const LEAD = describeRow<BookingLead>({
  id: stored('l.id'),
  bookingRef: stored('l.booking_ref'),
  tenant: { id: stored('l.tenant_id'), slug: selected('n.slug') },
  sandbox: stored('l.sandbox'),
  tour: { id: stored('l.tour_id'), slug: selected('t.slug') },
  departureId: stored('l.departure_id'),
  departureDate: stored('l.departure_date'),
  departureTime: selected(`case when d.id is not null then ${START_TIME} end`),
  departureStatus: selected('d.status'),
  holdId: stored('l.hold_id'),
  party: stored('l.party'),
  seats: stored('l.seats'),
  categories: stored('l.categories', { toField: categoriesOf, toColumn: storedCategories }),
  travellers: stored('l.travellers', { toField: inDocumentedOrder }),
  asked: selected(ASKED),
  status: stored('l.status', { select: LEAD_STATUS }),
  prices: stored('l.prices_minor'),
  platformPrices: stored('l.platform_prices_minor'),
  totalMinor: stored('l.total_minor'),
  adjustment: nullable({ minor: stored('l.adjustment_minor'), reason: stored('l.adjustment_reason') }),
  depositMinor: stored('l.deposit_minor'),
  currency: stored('l.currency'),
  currencyDigits: stored('l.currency_digits'),
  priceBreakdown: stored('l.price_breakdown'),
  cancellation: stored('l.cancellation'),
  tiers: selected(datedTiers('l')),
  refundCeiling: stored('l.refund_ceiling'),
  refundFloor: stored('l.refund_floor'),
  floorEndsAt: time(`case when l.refund_floor is not null then ${PAST_FROM} end`),
  refund: nullable({ percent: stored('l.refund_percent'), minor: stored('l.refund_minor') }),
  paymentMethod: stored('l.payment_method'),
  paymentNote: selected('n.payment_note'),
  externalRef: stored('l.external_ref'),
  source: stored('l.source'),
  importId: stored('l.import_id'),
  importRef: stored('l.import_ref'),
  customer: customerFields('l'),
  octo: selected(octoDetails('l.hold_id')),
  notes: stored('l.notes'),
  createdAt: time('l.created_at'),
  updatedAt: time(UPDATED_AT),
  paymentWindowEndsAt: time('coalesce(l.payment_window_ends_at, l.payment_due_at)'),
  paymentDueAt: time('l.payment_due_at'),
  createdBy: stored('l.created_by'),
  confirmedAt: time('l.confirmed_at'),
  confirmedBy: stored('l.confirmed_by'),
  cancelledAt: time('l.cancelled_at'),
  cancelledBy: stored('l.cancelled_by'),
  cancelReason: stored('l.cancel_reason'),
  expiredAt: time('l.expired_at'),
  anonymizedAt: time('l.anonymized_at'),
  asOf: time('clock.at'),
});

/** The columns that toLead reads. */
export const LEAD_COLUMNS = LEAD.select;

/** Returns the columns of the given fields, to insert or update a row of booking_leads. The caller adds the times as texts. */
export const columnsOfLead = LEAD.columnsOf;

/** Converts a row of LEAD_COLUMNS. */
export function toLead(row: Row): BookingLead {
  const lead = LEAD.read(row);
  return { ...lead, party: toParty(lead.party, lead.categories) };
}

/** Orders the fields as the API documents them. The column is jsonb, which orders fields by the length of their names. */
function inDocumentedOrder(travellers: Traveller[] | null): Traveller[] | null {
  return (
    travellers &&
    travellers.map(({ category, first_name, last_name, birth_date, note, ...others }) => ({
      category,
      first_name,
      last_name,
      birth_date,
      note,
      ...others,
    }))
  );
}

/** The tables of LEAD_COLUMNS. A statement that uses them must begin with CLOCK. */
export const LEAD_TABLES = `clock, booking_leads l join tours t on t.id = l.tour_id join tenants n on n.id = l.tenant_id
  left join departures d on d.id = l.departure_id`;

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

/** The place of a booking: enough to lock it. */
export interface LeadPlace extends Pick<BookingLead, 'id' | 'departureId' | 'departureDate'> {
  tour: { id: string };
}

export async function findLeadPlace(
  db: Db,
  tenantId: string,
  bookingRef: string,
): Promise<LeadPlace | undefined> {
  const { rows } = await runPrepared<LeadPlace>(
    db,
    `select l.id, l.departure_id, l.departure_date, json_build_object('id', l.tour_id) as tour
     from booking_leads l
     where l.booking_ref = :bookingRef and l.tenant_id = :tenantId`,
    { bookingRef, tenantId },
  );
  return rows[0];
}

/** Returns the bookings with these ids, the oldest first. */
export async function findLeadsById(db: Db, ids: number[]): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES} where l.id = any(:ids::bigint[]) order by l.id`,
    { ids },
  );
  return rows.map(toLead);
}

/** Returns the bookings that occupy real seats of a departure, the oldest first. */
export async function findStandingLeads(db: Db, departureId: string): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where l.departure_id = :departureId and not l.sandbox and lead_stands(l.status, l.payment_due_at, clock.at)
     order by l.id`,
    { departureId },
  );
  return rows.map(toLead);
}

/** Returns the bookings that consumed the holds, in no order. */
export async function findLeadsOfHolds(db: Db, holdIds: string[]): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES} where l.hold_id = any(:holdIds::uuid[])`,
    { holdIds },
  );
  return rows.map(toLead);
}

/** Returns the bookings whose payment is overdue and that no sweep has marked as expired, the longest overdue first. */
export async function findLapsedLeads(db: Db, limit: number): Promise<BookingLead[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${LEAD_COLUMNS} from ${LEAD_TABLES}
     where lead_lapsed(l.status, l.payment_due_at, clock.at) order by l.payment_due_at, l.id limit :limit`,
    { limit },
  );
  return rows.map(toLead);
}

/**
 * Records a payment reminder for unpaid leads whose payment is due soon, and returns their ids. Locks these leads, so that they are
 * confirmed, cancelled or marked as expired only after the transaction. Skips leads that another transaction has locked. The primary key
 * also skips a lead whose reminder another transaction has committed since this statement began.
 *
 * A reminder is due when the payment window has less time left than the tenant's `payment_reminder_minutes`. A lead gets no reminder if its
 * complete payment window is shorter than twice this time, or if its departure is cancelled. A lead gets no reminder while its tenant has no
 * endpoint that subscribes to the event.
 */
export async function recordDueReminders(trx: Trx, limit: number): Promise<number[]> {
  const { rows } = await trx.raw<{ rows: { leadId: number }[] }>(
    `${CLOCK}, due as (
       select l.id, clock.at
       from clock, tenants n join booking_leads l on l.tenant_id = n.id
       where exists (select from webhook_endpoints e
                     where e.tenant_id = n.id and e.status <> 'removed' and 'booking.payment_due' = any (e.events))
         and lead_is_unpaid(l.status, l.payment_due_at, clock.at)
         and l.payment_due_at <= clock.at + make_interval(mins => n.payment_reminder_minutes)
         and l.payment_due_at >= l.created_at + 2 * make_interval(mins => n.payment_reminder_minutes)
         and not exists (select from payment_reminders r where r.lead_id = l.id)
         and not exists (select from departures d where d.id = l.departure_id and d.status = 'cancelled')
       order by l.payment_due_at limit :limit
       for no key update of l skip locked
     )
     insert into payment_reminders (lead_id, sent_at) select id, at from due on conflict do nothing returning lead_id`,
    { limit },
  );
  return rows.map(({ leadId }) => leadId);
}

/**
 * Locks the lead. The caller has already locked its departure. For a lead without a departure, this lock alone keeps two transactions from
 * changing the lead at once.
 */
export async function lockLead(trx: Trx, id: number): Promise<void> {
  await trx('booking_leads').select('id').where({ id }).forUpdate();
}

/** A lead, and its status. */
export interface LeadStatus {
  id: number;
  status: BookingStatus;
}

/**
 * Locks the standing leads of a departure, also those of the sandbox, and returns them with their stored statuses, the oldest first. The
 * caller has locked the departure and marked its expired leads.
 */
export async function lockStandingLeads(trx: Trx, departureId: string): Promise<LeadStatus[]> {
  return trx('booking_leads')
    .where({ departure_id: departureId })
    .whereRaw('lead_takes_seats(status)')
    .orderBy('id')
    .forUpdate()
    .select('id', 'status');
}

/**
 * Cancels the leads of a departure that its operator cancels. A lead that was paid is refunded in full, as refundPercentAt (refund.ts) says
 * of a single one.
 * @param leads with their new statuses
 * @param reason null: none. It is not stored for an anonymized lead, because it may name the customer
 */
export async function cancelLeads(
  trx: Trx,
  leads: LeadStatus[],
  { by, reason }: { by: Actor | null; reason: string | null },
): Promise<void> {
  await trx.raw(
    `update booking_leads l set status = c.status, cancelled_at = clock_timestamp(), cancelled_by = :by,
       cancel_reason = case when anonymized_at is null then coalesce(:reason, cancel_reason) end,
       refund_percent = case when confirmed_at is not null then 100 end,
       refund_minor = case when confirmed_at is not null then total_minor end
     ${FROM_STATUSES}`,
    { ...bindStatuses(leads), by, reason },
  );
}

/** Joins the leads `l` of an update to their new statuses `c`. */
const FROM_STATUSES = 'from unnest(:ids::bigint[], :statuses::text[]) as c (id, status) where l.id = c.id';

function bindStatuses(leads: LeadStatus[]) {
  return { ids: leads.map(({ id }) => id), statuses: leads.map(({ status }) => status) };
}

/** A lead that moves to another departure. */
export interface MovedLead {
  id: number;
  /** The lowest share that a cancellation refunds from now on, in percent. Null: none. */
  refundFloor: number | null;
  fields: ChangedFields;
}

/**
 * Moves leads and holds to another departure of their tour by one statement, and records the change of each lead. The caller holds the locks of
 * both departures and of the leads.
 */
export async function moveSaleRows(
  trx: Trx,
  { leads, holdIds }: { leads: MovedLead[]; holdIds: string[] },
  { to, by }: { to: Pick<Departure, 'id' | 'departureDate'>; by: Actor },
): Promise<void> {
  const ids = leads.map(({ id }) => id);
  await trx.raw(
    `with moved_holds as (${MOVE_HOLD_ROWS})
     update booking_leads l set departure_id = :toId, departure_date = :date, refund_floor = moved.refund_floor
     from unnest(:ids::bigint[], :floors::smallint[]) as moved (id, refund_floor) where l.id = moved.id`,
    {
      ids,
      holdIds,
      floors: leads.map(({ refundFloor }) => refundFloor),
      toId: to.id,
      date: to.departureDate,
    },
  );
  await trx.raw(
    `insert into booking_changes (lead_id, at, by, fields)
     select lead_id, clock_timestamp(), :by, fields::json
     from unnest(:ids::bigint[], :fields::text[]) as moved (lead_id, fields)`,
    { ids, by, fields: leads.map(({ fields }) => JSON.stringify(fields)) },
  );
}

const BOOKING_CHANGE = describeRow<RecordedBookingChange>({
  at: time('at'),
  by: stored('by'),
  fields: stored('fields'),
  refund: nullable({ percent: stored('refund_percent'), minor: stored('refund_minor') }),
});

/** Returns a booking's changes, the oldest first. */
export async function findBookingChanges(db: Db, leadId: number): Promise<RecordedBookingChange[]> {
  const rows = await db('booking_changes')
    .where({ lead_id: leadId })
    .orderBy('at')
    .select<Row[]>(db.raw(BOOKING_CHANGE.select));
  return rows.map(BOOKING_CHANGE.read);
}

/**
 * Erases the customer, the travellers, the notes, the answers, and the reasons of a cancellation and of an adjustment.
 * @param references to store instead of the present ones
 */
export async function eraseCustomerOfLead(
  trx: Trx,
  id: number,
  { externalRef, importRef }: Pick<BookingLead, 'externalRef' | 'importRef'>,
): Promise<void> {
  await trx('booking_leads')
    .where({ id })
    .update({
      customer_name: null,
      customer_phone: null,
      customer_phone_as_sent: null,
      customer_email: null,
      notes: null,
      travellers: null,
      cancel_reason: null,
      adjustment_reason: null,
      external_ref: externalRef,
      import_ref: importRef,
      anonymized_at: trx.raw('clock_timestamp()'),
    });
  await eraseAnswersOfLeads(trx, [id]);
}

/**
 * Refuses an adjustment that the person of this session may not give. The trigger of the booking refuses it too. Amounts in minor units.
 * @param totalMinor with the adjustment
 * @throws an error for refusalOf
 */
export async function refuseDiscount(
  db: Db,
  tenantId: string,
  totalMinor: number,
  adjustmentMinor: number,
): Promise<void> {
  await db.raw('select refuse_discount(?, ?, ?)', [tenantId, totalMinor, adjustmentMinor]);
}

/** A booking of an import, for its undo. */
export interface ImportedLead {
  id: number;
  bookingRef: string;
  departureId: string;
  departureDate: string;
  tourId: string;
  status: BookingStatus;
  /** True: nothing has changed the booking since its import. */
  isUnchanged: boolean;
}

/**
 * Finds the bookings of an import, the oldest first. An expiry, an erasure and every change by a person count as a change.
 * @rule which bookings the undo of an import cancels: test/cli/booking-import.long.test.ts
 */
export async function findImportedLeads(db: Db, importId: string): Promise<ImportedLead[]> {
  const { rows } = await db.raw<{ rows: ImportedLead[] }>(
    `${CLOCK}
     select l.id, l.booking_ref, l.departure_id, l.departure_date, l.tour_id, ${LEAD_STATUS} as status,
       l.updated_at = i.created_at and l.anonymized_at is null
         and lead_stands(l.status, l.payment_due_at, clock.at) as is_unchanged
     from clock, booking_imports i join booking_leads l on l.import_id = i.id
     where i.id = :importId order by l.id`,
    { importId },
  );
  return rows;
}

/**
 * Cancels bookings that an undone import has made, erases their customers and frees their references. The undo is no cancellation by a
 * customer, so it records no refund. The caller has locked their departures.
 * @param leads with their new statuses
 */
export async function undoImportedLeads(trx: Trx, leads: LeadStatus[], by: Actor): Promise<void> {
  await trx.raw(
    `update booking_leads l set status = c.status, cancelled_at = clock_timestamp(), cancelled_by = :by, cancel_reason = null,
       customer_name = null, customer_phone = null, customer_phone_as_sent = null, customer_email = null, notes = null,
       travellers = null, adjustment_reason = null, external_ref = null, import_ref = null, import_digest = null,
       anonymized_at = clock_timestamp()
     ${FROM_STATUSES}`,
    { ...bindStatuses(leads), by },
  );
  await eraseAnswersOfLeads(
    trx,
    leads.map(({ id }) => id),
  );
}

/** Marks an import as undone. A second undo keeps the first time. */
export async function markImportUndone(trx: Trx, importId: string, by: Actor): Promise<void> {
  await trx('booking_imports')
    .where({ id: importId })
    .whereNull('undone_at')
    .update({ undone_at: trx.raw('clock_timestamp()'), undone_by: by });
}
