import type { Db } from '../../../platform/database/database';
import { getHoldPlace } from '../../holds/find-hold';
import { holdOutcome } from '../../holds/hold-status';
import { octoHoldEvent } from '../../holds/octo-booking';
import type { NamedHold, ChangedHold } from '../../holds/seat-hold';
import type { Actor } from '../../tenants/actor';
import type { Tenant } from '../../tenants/tenant';
import { dateOfHold, type Decided } from '../decided';
import type { DepartureFacts, StoredHold } from '../read/facts';
import { freeingOnly, type SeatChange, type Seller } from '../seat-change';
import { replaceSeats } from '../rules/counted-seats';
import { changeOfHold, unchangedHold, withFreeSeats } from '../stored-hold';

/** Builds the release of a hold. @throws HoldNotFoundError (404); the decision the errors of decideRelease */
export async function releaseHold(
  db: Db,
  seller: Seller<ChangedHold>,
  { holdId, by }: NamedHold,
): Promise<SeatChange<ChangedHold>> {
  const { tenant } = seller;
  const found = await getHoldPlace(db, tenant.id, holdId);
  return freeingOnly(changeOfHold(seller, found, (hold, facts) => decideRelease(facts, tenant, hold, by)));
}

/**
 * Releases a hold; its seats become free. A released or expired hold stays unchanged. A hold of OCTO has the event of its subscriptions.
 * @throws HoldStateConflictError for a hold that became a booking (409)
 */
export function decideRelease(
  facts: DepartureFacts,
  tenant: Tenant,
  hold: StoredHold,
  by: Actor | null,
): Decided<ChangedHold> {
  const status = holdOutcome(hold, 'release');
  if (status === 'stay') return unchangedHold(hold);
  replaceSeats(facts, tenant, hold, null);
  const released = { ...hold, status, endedAt: new Date(facts.at), endedBy: by };
  const after = withFreeSeats(facts, released, tenant.sandbox);
  return {
    result: { before: hold, after },
    hold: { id: hold.id, columns: { status, ended_at: facts.at, ended_by: by } },
    events: hold.octo ? [octoHoldEvent({ id: hold.id, tenantId: tenant.id })] : [],
    changed: [dateOfHold(hold, tenant.sandbox)],
  };
}
