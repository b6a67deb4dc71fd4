import { refuseWhenLocked, runPrepared, type Trx } from '../../platform/database/database';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { idsInUse } from '../credentials/verify-credential';
import { IdempotencyInProgressError } from '../idempotency/idempotency.errors';
import { TRY_LOCK_FOR_USE } from '../tenants/use-lock';
import type { SeatChange } from './seat-change';

/** The locks that a transaction got for its changes, without a wait. */
export interface ChangeLocks {
  /** The changes whose keys this transaction has locked, and the changes without a key. */
  ownKey: ReadonlySet<SeatChange>;
  /** The changes whose booking this transaction has locked, and those that need none. */
  ownLead: ReadonlySet<SeatChange>;
  /** Ids of the locked departures. */
  departureIds: string[];
  /** Ids of the locked resources. */
  resourceIds: ReadonlySet<string>;
  /** The wanted departures that this transaction did not lock: another transaction has locked them, or they do not exist. */
  notLocked: string[];
  /** Returns whether another transaction is changing the API key or its tenant. */
  isChanging(principal: ApiKeyPrincipal): boolean;
}

/**
 * Locks until the transaction ends, in this order: the keys of the changes, the departures by id, their resources by id, the bookings, the API
 * keys and tenants in use. Uses one statement, because each further statement adds a round trip to every transaction of changes. A later statement reads the rows:
 * the snapshot of this statement is older than the locks, and may lack seats that were sold just before a lock was granted.
 * @param mayLock returns false for a change whose departures and resources must not be locked
 * @param resourcesOf returns the resources that a change names
 * @rule no seat is sold twice, no oversell: test/api/seats-race.test.ts
 */
export async function lockChanges(
  trx: Trx,
  changes: SeatChange[],
  mayLock: (change: SeatChange) => boolean,
  resourcesOf: ResourcesOf = () => [],
): Promise<ChangeLocks> {
  const lockable = changes.filter(mayLock);
  const wanted = lockable.map(({ locks }) => locks);
  const departureIds = [...new Set(wanted.flatMap((locks) => locks.departureIds))];
  const leadIds = wanted.flatMap(({ leadId }) => leadId ?? []);
  const resourceIds = [...new Set(lockable.flatMap(resourcesOf))];
  const locked = {
    keys: [...new Set(changes.flatMap(keysOf))],
    departureIds,
    useIds: idsInUse(principalsOf(changes)),
  };
  const { rows } = await runPrepared(trx, tryLock(resourceIds.length > 0, leadIds.length > 0), {
    ...locked,
    ...(resourceIds.length > 0 && { resourceIds }),
    ...(leadIds.length > 0 && { leadIds }),
  });
  const idsOf = (kind: LockedRow['kind']) =>
    new Set((rows as LockedRow[]).filter((row) => row.kind === kind).map(({ id }) => id));
  const ownKeys = idsOf('key');
  const departures = idsOf('departure');
  const leads = idsOf('lead');
  const used = idsOf('use');
  return {
    ownKey: new Set(changes.filter((change) => keysOf(change).every((key) => ownKeys.has(key)))),
    ownLead: new Set(
      changes.filter(({ locks: { leadId } }) => leadId === undefined || leads.has(`${leadId}`)),
    ),
    departureIds: [...departures],
    resourceIds: idsOf('resource'),
    notLocked: departureIds.filter((id) => !departures.has(id)),
    isChanging: ({ keyId, tenant }) => !used.has(keyId) || !used.has(tenant.id),
  };
}

/** Returns the ids of the resources that a change names: those that its departures used when this process last saw them. */
export type ResourcesOf = (change: SeatChange) => string[];

/**
 * Returns whether the transaction has the locks of the change that it needs to read its rows: its keys, its departures, its booking, its API key
 * and its tenant.
 */
export function hasItsLocks(
  change: SeatChange,
  { ownKey, ownLead, departureIds, isChanging }: ChangeLocks,
): boolean {
  const { principal, locks } = change;
  const hasDepartures = locks.departureIds.every((id) => departureIds.includes(id));
  return ownKey.has(change) && ownLead.has(change) && hasDepartures && !(principal && isChanging(principal));
}

/** Returns the API keys of the changes. A change of the terminal has none. */
export function principalsOf(changes: SeatChange[]): ApiKeyPrincipal[] {
  return changes.flatMap(({ principal }) => principal ?? []);
}

/**
 * Returns the keys of a change: the Idempotency-Key, and the UUID that a client chose for an OCTO booking. Only one transaction at a time may
 * handle changes with the same key.
 */
function keysOf({
  tenant,
  claim,
  locks: { octoUuid },
}: Pick<SeatChange, 'tenant' | 'claim' | 'locks'>): string[] {
  const keys = claim ? [`${tenant.id} ${claim.operation} ${claim.key}`] : [];
  if (octoUuid !== undefined) keys.push(`${tenant.id} octo ${octoUuid}`);
  return keys;
}

/**
 * Locks the Idempotency-Key of a change until the transaction ends. Waits for a transaction that has locked it.
 * @throws IdempotencyInProgressError after lock_timeout (409)
 */
export async function lockClaim(
  trx: Trx,
  change: Pick<SeatChange, 'tenant' | 'claim' | 'locks'>,
): Promise<void> {
  const locking = trx.raw(`select pg_advisory_xact_lock(${LOCK_OF_KEY}) from unnest(?::text[]) key`, [
    keysOf(change),
  ]);
  await refuseWhenLocked('key', locking, () => new IdempotencyInProgressError());
}

interface LockedRow {
  kind: 'key' | 'departure' | 'resource' | 'lead' | 'use';
  /** The key, the id of the departure, resource or booking, or the id of the API key or tenant. */
  id: string;
}

/** SQL of the advisory lock of a `key`. The seed 7 separates it from other uses of advisory locks. */
export const LOCK_OF_KEY = 'hashtextextended(key, 7)';

/** A further lock of the statement: a common table expression, and the rows that name what it has locked. */
interface FurtherLock {
  lock: string;
  rows: string;
}

const NONE: FurtherLock = { lock: '', rows: '' };

/** The mode lets an import insert departures that use the resource meanwhile. */
const RESOURCES: FurtherLock = {
  lock: `, locked_resource as materialized (
    select r.id from resources r where r.id = any(:resourceIds::uuid[]) order by r.id for no key update skip locked
  )`,
  rows: `union all
  select 'resource', locked_resource.id::text from locked_resource`,
};

const LEADS: FurtherLock = {
  lock: `, locked_lead as materialized (
    select l.id from booking_leads l where l.id = any(:leadIds::bigint[]) order by l.id for update skip locked
  )`,
  rows: `union all
  select 'lead', locked_lead.id::text from locked_lead`,
};

/** Returns the statement of the locks. Without resources, it is the same for all departures that use none. */
function tryLock(withResources: boolean, withLeads: boolean): string {
  const [resources, leads] = [withResources ? RESOURCES : NONE, withLeads ? LEADS : NONE];
  return `
  with own as materialized (
    select key from unnest(:keys::text[]) key where pg_try_advisory_xact_lock(${LOCK_OF_KEY})
  ), locked as materialized (
    select d.id from departures d where d.id = any(:departureIds::uuid[]) order by d.id for update skip locked
  )${resources.lock}${leads.lock}
  select 'key' as kind, own.key as id from own
  union all
  select 'departure', locked.id::text from locked
  ${resources.rows}
  ${leads.rows}
  union all
  select 'use', used.id from (${TRY_LOCK_FOR_USE}) used`;
}
