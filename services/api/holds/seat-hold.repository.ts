import { seatsLeftSql } from '../departures/departure-row';
import { CLOCK, type Db, runPrepared, type Trx } from '../../platform/database/database';
import {
  describeRow,
  type Fields,
  type Row,
  type RowDescription,
  selected,
  stored,
  time,
} from '../../platform/database/row-description';
import { START_TIME } from '../catalog/start-time';
import type { NewSaleChange, SaleChange } from '../audit/changed-fields';
import { tenantIdOf, type TenantScope } from '../tenants/tenant';
import { searchPeople } from '../customers/search-people';
import type { HoldStatus } from './hold-status';
import { octoDetails, type StoredUnitItem, withoutPeople } from './octo-booking';
import type { HoldExtension, SeatHold } from './seat-hold';
import { policyOf } from '../catalog/cancellation-policy';
import { datedTiers, openAt } from '../catalog/departure-state';
import { categoriesOf, storedCategories } from '../parties/category';
import { toParty } from '../parties/party-rules';
import { customerFields } from '../customers/customer';

/** The status of a hold `h`: `expired` once the database's clock has reached its end, also if no sweep has marked the hold. */
const HOLD_STATUS = `case when hold_lapsed(h.status, h.expires_at, clock.at) then 'expired' else h.status end`;

/** The fields of a hold that a booking takes over. */
export type ConsumableHold = Pick<
  SeatHold,
  | 'id'
  | 'departureId'
  | 'party'
  | 'seats'
  | 'categories'
  | 'status'
  | 'prices'
  | 'platformPrices'
  | 'currency'
  | 'currencyDigits'
  | 'priceBreakdown'
  | 'tiers'
  | 'externalRef'
  | 'byDesk'
  | 'octo'
>;

/** Describes these fields of a hold `h`, with its departure `d` and its tour `t`. */
export const CONSUMABLE_FIELDS: Fields<ConsumableHold> = {
  id: stored('h.id'),
  departureId: stored('h.departure_id'),
  party: stored('h.party'),
  seats: stored('h.seats'),
  categories: stored('h.categories', { toField: categoriesOf, toColumn: storedCategories }),
  status: stored('h.status', { select: HOLD_STATUS }),
  prices: stored('h.prices_minor'),
  platformPrices: stored('h.platform_prices_minor'),
  currency: stored('h.currency'),
  currencyDigits: stored('h.currency_digits'),
  priceBreakdown: stored('h.price_breakdown'),
  tiers: stored('h.cancellation', { select: datedTiers('h'), toColumn: policyOf }),
  externalRef: stored('h.external_ref'),
  byDesk: stored('h.by_desk'),
  octo: selected(octoDetails('h.id')),
};

/**
 * Describes a hold `h`, with its departure `d`, its tour `t` and its tenant `n`.
 * @param left an SQL expression: the seats that are left on the hold's departure, as seatsLeftSql returns it
 */
function describeHold(left: string): RowDescription<SeatHold> {
  return describeRow<SeatHold>({
    ...CONSUMABLE_FIELDS,
    tenant: { id: stored('h.tenant_id'), slug: selected('n.slug') },
    tour: { id: selected('t.id'), slug: selected('t.slug') },
    departureDate: selected('d.departure_date'),
    departureTime: selected(START_TIME),
    holdMinutes: stored('h.hold_minutes'),
    expiresAt: time('h.expires_at'),
    customer: customerFields('h'),
    createdAt: time('h.created_at'),
    placedBy: stored('h.placed_by'),
    endedAt: time('h.ended_at'),
    endedBy: stored('h.ended_by'),
    anonymizedAt: time('h.anonymized_at'),
    seatsAvailable: selected(`case when ${openAt('clock.at')} then greatest(${left}, 0) else 0 end`),
  });
}

const HOLD = describeHold('0');

/** @param left as describeHold has it */
export const holdColumns = (left: string) => describeHold(left).select;

/** Returns the columns of the given fields, to insert or update a row of seat_holds. The caller adds the times as texts. */
export const columnsOfHold = HOLD.columnsOf;

/** Converts a row of holdColumns. */
export function toHold(row: Row): SeatHold {
  const hold = HOLD.read(row);
  return { ...hold, party: toParty(hold.party, hold.categories) };
}

const HOLD_COLUMNS = holdColumns(seatsLeftSql('h.sandbox'));

/** The tables of HOLD_COLUMNS. */
export const HOLD_TABLES = `clock, seat_holds h
  join departures d on d.id = h.departure_id
  join tours t on t.id = d.tour_id
  join tenants n on n.id = h.tenant_id`;

export async function findHold(db: Db, scope: TenantScope, id: string): Promise<SeatHold | undefined> {
  const { rows } = await db.raw(
    `${CLOCK} select ${HOLD_COLUMNS} from ${HOLD_TABLES}
     where h.id = :id and (:tenantId::uuid is null or h.tenant_id = :tenantId::uuid)`,
    { tenantId: tenantIdOf(scope), id },
  );
  return rows[0] && toHold(rows[0]);
}

/** The place of a hold: enough to lock it. */
export interface HoldPlace extends Pick<SeatHold, 'id' | 'departureId' | 'departureDate'> {
  tour: { id: string };
}

/** Returns the place of a hold. Counts no seats, as findHold does. */
export async function findHoldPlace(db: Db, tenantId: string, id: string): Promise<HoldPlace | undefined> {
  const { rows } = await runPrepared<HoldPlace>(
    db,
    `select h.id, h.departure_id, d.departure_date, json_build_object('id', d.tour_id) as tour
     from seat_holds h join departures d on d.id = h.departure_id
     where h.id = :id and h.tenant_id = :tenantId`,
    { id, tenantId },
  );
  return rows[0];
}

/**
 * Selects the holds of `page`. Counts the seats of each departure once, not for each hold: with 990 holds of one departure, each count
 * took 1 ms.
 */
const HOLDS_OF_PAGE = `
  counted as materialized (
    select one.departure_id, one.sandbox, ${seatsLeftSql('one.sandbox')} as left_over
    from clock, (select distinct departure_id, sandbox from page) one
      join departures d on d.id = one.departure_id join tours t on t.id = d.tour_id)
  select ${holdColumns('counted.left_over')} from ${HOLD_TABLES} join page on page.id = h.id
    join counted on counted.departure_id = h.departure_id and counted.sandbox = h.sandbox`;

/** Returns the holds, in no order. */
export async function findHoldsById(db: Db, scope: TenantScope, ids: string[]): Promise<SeatHold[]> {
  const { rows } = await db.raw(
    `${CLOCK}, page as (select h.id, h.departure_id, h.sandbox from seat_holds h
       where h.id = any(:ids::uuid[]) and (:tenantId::uuid is null or h.tenant_id = :tenantId::uuid)),
     ${HOLDS_OF_PAGE}`,
    { tenantId: tenantIdOf(scope), ids },
  );
  return rows.map(toHold);
}

/** Returns the hold of the tenant's booking of OCTO. Undefined: there is none. @param uuid in lower case */
export async function findHoldOfOcto(db: Db, tenantId: string, uuid: string): Promise<SeatHold | undefined> {
  const { rows } = await runPrepared(
    db,
    `${CLOCK}, page as (select h.id, h.departure_id, h.sandbox from octo_bookings o join seat_holds h on h.id = o.hold_id
       where o.tenant_id = :tenantId and o.uuid = :uuid),
     ${HOLDS_OF_PAGE}`,
    { tenantId, uuid },
  );
  return rows[0] && toHold(rows[0]);
}

export interface HoldFilter {
  status?: HoldStatus;
  since?: Date;
  externalRef?: string;
  /** A name, phone number, e-mail address or reference to search for (customers/search-people.ts). */
  search?: string;
  /** Id of the last hold of the previous page. */
  after?: string;
  limit: number;
}

const AFTER = 'and (h.created_at, h.id) < (select l.created_at, l.id from seat_holds l where l.id = :after)';

/**
 * The conditions of each status, by the database's clock. A hold has the status if one of its conditions is true. Each condition can use an
 * index.
 */
const HAVING_STATUS: Record<HoldStatus, string[]> = {
  active: ['hold_lives(h.status, h.expires_at, clock.at)'],
  released: ["h.status = 'released'"],
  expired: ["h.status = 'expired'", 'hold_lapsed(h.status, h.expires_at, clock.at)'],
  converted: ["h.status = 'converted'"],
};

/** Returns holds, newest first. */
export async function findHolds(
  db: Db,
  scope: TenantScope,
  { status, since, externalRef, search, after, limit }: HoldFilter,
): Promise<SeatHold[]> {
  const found = search === undefined ? undefined : searchPeople('h', search);
  const parts = (status ? HAVING_STATUS[status] : ['true']).map(
    (condition) => `(select h.id, h.created_at, h.departure_id, h.sandbox from clock, seat_holds h
       where (:tenantId::uuid is null or h.tenant_id = :tenantId::uuid)
         and ${condition}
         ${externalRef === undefined ? '' : 'and h.external_ref = :externalRef'}
         ${found ? `and ${found.condition}` : ''}
         ${since === undefined ? '' : 'and h.created_at >= :since'}
         ${after === undefined ? '' : AFTER}
       order by h.created_at desc, h.id desc limit :limit)`,
  );
  const { rows } = await db.raw(
    `${CLOCK}, page as (select * from (${parts.join(' union all ')}) part order by created_at desc, id desc limit :limit),
     ${HOLDS_OF_PAGE}
     order by h.created_at desc, h.id desc`,
    {
      ...found?.bindings,
      tenantId: tenantIdOf(scope),
      since,
      externalRef,
      after,
      limit,
    },
  );
  return rows.map(toHold);
}

/** The tenant's reference of a hold, and the tour, date and time that the hold must have. */
export interface HoldReference {
  tourId: string;
  externalRef: string;
  /** Null: any. */
  departureDate: string | null;
  /** HH:MM. Undefined: any. */
  departureTime?: string;
}

/** Returns the tenant's live holds with this reference, two at most: callers use a hold only if it is the only one. */
export async function findLiveHoldsByReference(
  db: Db,
  tenantId: string,
  { tourId, externalRef, departureDate, departureTime }: HoldReference,
): Promise<SeatHold[]> {
  const { rows } = await db.raw(
    `${CLOCK} select ${HOLD_COLUMNS} from ${HOLD_TABLES}
     where h.tenant_id = :tenantId and h.external_ref = :externalRef
       and t.id = :tourId
       and (:departureDate::date is null or d.departure_date = :departureDate::date)
       and (:departureTime::text is null or ${START_TIME} = :departureTime)
       and hold_lives(h.status, h.expires_at, clock.at)
     limit 2`,
    { tenantId, tourId, externalRef, departureDate, departureTime: departureTime ?? null },
  );
  return rows.map(toHold);
}

/** The values that a hold keeps after the erasure of its customer. */
export interface ErasedHold {
  id: string;
  externalRef: string | null;
  /** Without people. Null: a hold that REST placed. */
  unitItems: StoredUnitItem[] | null;
}

/**
 * Returns the values that the hold keeps.
 * @param identifiesPerson returns whether a text identifies the person; such references are erased too
 */
export function withoutCustomer(
  { id, externalRef, octo }: Pick<SeatHold, 'id' | 'externalRef' | 'octo'>,
  identifiesPerson: (text: string) => boolean,
): ErasedHold {
  return {
    id,
    externalRef: externalRef && identifiesPerson(externalRef) ? null : externalRef,
    unitItems: octo && withoutPeople(octo.unitItems, identifiesPerson),
  };
}

/** Erases the customers of holds and the people of their OCTO details. The caller has locked the holds. */
export async function eraseCustomersOfHolds(trx: Trx, holds: ErasedHold[]): Promise<void> {
  const erased = { erased: JSON.stringify(holds) };
  await trx.raw(
    `update seat_holds h
     set customer_name = null, customer_phone = null, customer_phone_as_sent = null, customer_email = null,
       external_ref = e."externalRef", anonymized_at = clock_timestamp()
     from json_to_recordset(:erased::json) as e (id uuid, "externalRef" text) where h.id = e.id`,
    erased,
  );
  await trx.raw(
    `update octo_bookings o
     set request_digest = null, contact = '{}', unit_items = e."unitItems", notes = null, cancel_reason = null, pickup = null
     from json_to_recordset(:erased::json) as e (id uuid, "unitItems" jsonb)
     where o.hold_id = e.id and e."unitItems" is not null`,
    erased,
  );
}

/**
 * Returns the ids of the holds whose OCTO contacts have the text. Reads all OCTO bookings: no index has the contacts of their units.
 * @param text lower-case letters, digits and signs, or digits alone: those are also found with other characters between them
 */
export async function findHoldsByOctoContact(db: Db, scope: TenantScope, text: string): Promise<string[]> {
  const contacts = 'lower(contact::text || unit_items::text)';
  const searched = /\D/.test(text) ? contacts : `regexp_replace(${contacts}, '\\D', '', 'g')`;
  const { rows } = await db.raw<{ rows: { holdId: string }[] }>(
    `select hold_id from octo_bookings
     where (:tenantId::uuid is null or tenant_id = :tenantId::uuid) and strpos(${searched}, :sought) > 0`,
    { tenantId: tenantIdOf(scope), sought: text },
  );
  return rows.map(({ holdId }) => holdId);
}

/** The fields of a live hold that a move of its departure needs. */
interface LiveHold {
  id: string;
  tenantId: string;
  seats: number;
  /** True: the hold takes seats of the sandbox. */
  sandbox: boolean;
}

/**
 * Locks the live holds of a departure, also those of the sandbox, and returns them, the oldest first. The caller has locked the departure and
 * marked its expired holds.
 */
export async function lockLiveHolds(trx: Trx, departureId: string): Promise<LiveHold[]> {
  return trx('seat_holds')
    .where({ departure_id: departureId })
    .whereRaw('hold_takes_seats(status)')
    .orderBy(['created_at', 'id'])
    .forUpdate()
    .select<LiveHold[]>('id', 'tenant_id', 'seats', 'sandbox');
}

/** Records the same change of several holds. */
export async function insertHoldChanges(trx: Trx, holdIds: string[], change: NewSaleChange): Promise<void> {
  await trx.raw(
    `insert into hold_changes (hold_id, at, by, fields)
     select hold_id, clock_timestamp(), :by, :fields::json from unnest(:holdIds::uuid[]) hold_id`,
    { holdIds, by: change.by, fields: JSON.stringify(change.fields) },
  );
}

/** Returns a hold's changes, the oldest first. */
export async function findHoldChanges(db: Db, holdId: string): Promise<SaleChange[]> {
  return db('hold_changes')
    .where({ hold_id: holdId })
    .orderBy('at')
    .select<SaleChange[]>('at', 'by', 'fields');
}

/** Returns a hold's extensions, the oldest first. */
export async function findExtensions(db: Db, holdId: string): Promise<HoldExtension[]> {
  return db('hold_extensions')
    .where({ hold_id: holdId })
    .orderBy('at')
    .select<HoldExtension[]>('at', 'expires_at', 'by');
}
