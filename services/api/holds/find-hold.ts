import type { Db } from '../../platform/database/database';
import { partyBefore } from '../parties/party';
import { seatsOf } from '../parties/party-rules';
import { describeChange } from '../audit/changed-fields';
import type { TenantScope } from '../tenants/tenant';
import type { HoldStatus } from './hold-status';
import { HoldNotFoundError } from './hold.errors';
import type { SeatHold } from './seat-hold';
import {
  findExtensions,
  findHold,
  findHoldPlace,
  findHoldChanges,
  findHoldOfOcto,
  findHolds,
  findHoldsByOctoContact,
  findHoldsById,
  findLiveHoldsByReference,
  type HoldFilter,
  type HoldPlace,
  type HoldReference,
} from './seat-hold.repository';
import { isUuid } from '../../platform/forms/text-forms';

/**
 * @param id any text; a text that is not a UUID finds no hold
 * @throws HoldNotFoundError for an unknown hold and for a hold of another tenant (404)
 */
export async function getHold(db: Db, scope: TenantScope, id: string): Promise<SeatHold> {
  const hold = isUuid(id) ? await findHold(db, scope, id.toLowerCase()) : undefined;
  if (!hold) throw new HoldNotFoundError();
  return hold;
}

/**
 * Returns the place of the tenant's hold.
 * @param id any text
 * @throws HoldNotFoundError as getHold (404)
 */
export async function getHoldPlace(db: Db, tenantId: string, id: string): Promise<HoldPlace> {
  const place = isUuid(id) ? await findHoldPlace(db, tenantId, id.toLowerCase()) : undefined;
  if (!place) throw new HoldNotFoundError();
  return place;
}

/** Returns the holds with these ids, as far as they exist, in no order. */
export async function getHolds(db: Db, scope: TenantScope, ids: string[]): Promise<SeatHold[]> {
  return findHoldsById(db, scope, ids);
}

/** Returns the hold of the tenant's booking of OCTO. Undefined: there is none. @param uuid in lower case */
export async function holdOfOcto(db: Db, tenantId: string, uuid: string): Promise<SeatHold | undefined> {
  return findHoldOfOcto(db, tenantId, uuid);
}

/** Returns the holds whose OCTO contacts have the text (findHoldsByOctoContact). */
export async function holdsOfOctoContact(db: Db, scope: TenantScope, text: string): Promise<SeatHold[]> {
  return findHoldsById(db, scope, await findHoldsByOctoContact(db, scope, text));
}

/**
 * Returns holds, newest first.
 * @throws HoldNotFoundError when `after` is unknown
 */
export async function listHolds(db: Db, scope: TenantScope, filter: HoldFilter): Promise<SeatHold[]> {
  if (filter.after !== undefined) await getHold(db, scope, filter.after);
  return findHolds(db, scope, filter);
}

/** Returns one page of holds, newest first. `lastId` is the `after` of the next page; null: this is the last page. */
export async function pageOfHolds(
  db: Db,
  scope: TenantScope,
  filter: HoldFilter,
): Promise<{ items: SeatHold[]; lastId: string | null }> {
  const holds = await findHolds(db, scope, { ...filter, limit: filter.limit + 1 });
  const items = holds.slice(0, filter.limit);
  return { items, lastId: holds.length > filter.limit ? items.at(-1)!.id : null };
}

/** Returns the tenant's live hold with the reference. Null if no live hold has the reference, or several have it. */
export async function findOnlyLiveHold(
  db: Db,
  tenantId: string,
  reference: HoldReference,
): Promise<SeatHold | null> {
  const live = await findLiveHoldsByReference(db, tenantId, reference);
  return live.length === 1 ? live[0]! : null;
}

/** One event in the life of a hold. */
export interface HoldMoment {
  at: Date;
  event: 'placed' | 'extended' | 'changed' | 'consumed' | 'released' | 'hold expired';
  /** The actor. Null: the hold expired, or the actor is unknown. */
  by: string | null;
  detail: string | null;
}

/** Returns the hold's events, the oldest first. */
export async function holdHistory(db: Db, hold: SeatHold): Promise<HoldMoment[]> {
  const extensions = await findExtensions(db, hold.id);
  const changes = await findHoldChanges(db, hold.id);
  const quantity = seatsOf(partyBefore(changes, hold.party, hold.categories), hold.categories);
  const seats = `${quantity} ${quantity === 1 ? 'seat' : 'seats'}`;
  const extended = extensions.map(({ at, expiresAt, by }) => ({
    at,
    event: 'extended' as const,
    by,
    detail: `until ${expiresAt.toISOString()}`,
  }));
  const changed = changes.map(({ at, by, fields }) => ({
    at,
    event: 'changed' as const,
    by,
    detail: describeChange(fields),
  }));
  const middle = [...extended, ...changed].sort((a, b) => a.at.getTime() - b.at.getTime());
  return [
    { at: hold.createdAt, event: 'placed', by: hold.placedBy, detail: seats },
    ...middle,
    ...ending(hold),
  ];
}

function ending(hold: SeatHold): HoldMoment[] {
  const { status, expiresAt, endedAt, endedBy: by } = hold;
  const at = endedAt ?? expiresAt;
  const endings: Record<HoldStatus, HoldMoment[]> = {
    active: [],
    released: [{ at, event: 'released', by, detail: 'its seats went back' }],
    expired: [{ at: expiresAt, event: 'hold expired', by: null, detail: 'its seats went back' }],
    converted: [{ at, event: 'consumed', by, detail: 'became a booking' }],
  };
  return endings[status];
}
