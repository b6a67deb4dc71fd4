import type { Trx } from '../../platform/database/database';
import { enqueueDelivery } from '../../webhook-queue/enqueue-delivery';
import { assertNotMoved, relockDeparture } from '../departures/reserve-seats';
import type { TenantScope } from '../tenants/tenant';
import { getHold } from './find-hold';
import { HoldExpiredError, HoldStateConflictError } from './hold.errors';
import { octoHoldEvent, withoutPeople } from './octo-booking';
import type { NamedHold, SeatHold } from './seat-hold';
import { type ErasedHold, eraseCustomersOfHolds, releaseHoldRow } from './seat-hold.repository';

/** @throws HoldExpiredError, HoldStateConflictError (409) */
export function assertActive(hold: Pick<SeatHold, 'status'>): void {
  if (hold.status === 'expired') throw new HoldExpiredError();
  if (hold.status !== 'active') throw new HoldStateConflictError(hold.status);
}

/** The hold as it was when its departure was locked, and after the change. Both are the same object if nothing changed. */
export interface ChangedHold {
  before: SeatHold;
  after: SeatHold;
}

/**
 * Releases the hold; its seats become free. A released or expired hold stays unchanged. Enqueues the notification of a hold of OCTO.
 * @throws HoldNotFoundError (404), HoldStateConflictError for a hold that became a booking (409)
 */
export async function releaseHold(
  trx: Trx,
  scope: TenantScope,
  { holdId, by }: NamedHold,
): Promise<ChangedHold> {
  const { departureId } = await getHold(trx, scope, holdId);
  const { at } = await relockDeparture(trx, departureId);
  const before = await getHold(trx, scope, holdId);
  assertNotMoved(departureId, before);
  if (before.status === 'converted') throw new HoldStateConflictError(before.status);
  if (before.status !== 'active') return { before, after: before };
  await releaseHoldRow(trx, before.id, { at, by });
  if (before.octo) await enqueueDelivery(trx, octoHoldEvent({ id: before.id, tenantId: before.tenant.id }));
  return { before, after: await getHold(trx, scope, holdId) };
}

/**
 * Erases the customer of a hold and the people of its OCTO details. The caller holds the departure's lock.
 * @param identifiesPerson returns whether a text identifies the person; such references are erased too
 */
export async function eraseHoldCustomer(
  trx: Trx,
  hold: SeatHold,
  identifiesPerson: (text: string) => boolean,
): Promise<void> {
  await eraseCustomersOfHolds(trx, [withoutCustomer(hold, identifiesPerson)]);
}

/** Returns the values that the hold keeps. @param identifiesPerson as for eraseHoldCustomer */
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
