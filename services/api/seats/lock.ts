import { runPrepared, type Trx } from '../../platform/database/database';
import type { ApiKeyPrincipal } from '../credentials/credential';
import { idsInUse } from '../credentials/verify-credential';
import { TRY_LOCK_FOR_USE } from '../tenants/use-lock';
import type { Sale } from './sale';

/** The locks that a transaction got for its sales, without a wait. */
export interface SaleLocks {
  /** The sales whose keys this transaction has locked, and the sales without a key. */
  ownKey: ReadonlySet<Sale>;
  /** Ids of the locked departures. */
  departureIds: string[];
  /** The wanted departures that this transaction did not lock: another transaction has locked them, or they do not exist. */
  notLocked: string[];
  /** Returns whether another transaction is changing the API key or its tenant. */
  isChanging(principal: ApiKeyPrincipal): boolean;
}

/**
 * Locks until the transaction ends, in this order: the keys of the sales, the departures by id, the API keys and tenants in use. Uses one
 * statement, because each further statement adds a round trip to every transaction of sales. A later statement reads the rows: the snapshot
 * of this statement is older than the locks, and may lack seats that were sold just before a lock was granted.
 * @param mayLock returns false for a sale whose departure must not be locked
 */
export async function lockSales(
  trx: Trx,
  sales: Sale[],
  mayLock: (sale: Sale) => boolean,
): Promise<SaleLocks> {
  const wanted = sales.filter(mayLock).flatMap(({ departureId }) => departureId ?? []);
  const departureIds = [...new Set(wanted)];
  const { rows } = await runPrepared(trx, TRY_LOCK, {
    keys: [...new Set(sales.flatMap(keysOf))],
    departureIds,
    useIds: idsInUse(principalsOf(sales)),
  });
  const idsOf = (kind: LockedRow['kind']) =>
    new Set((rows as LockedRow[]).filter((row) => row.kind === kind).map(({ id }) => id));
  const ownKeys = idsOf('key');
  const locked = idsOf('departure');
  const used = idsOf('use');
  return {
    ownKey: new Set(sales.filter((sale) => keysOf(sale).every((key) => ownKeys.has(key)))),
    departureIds: [...locked],
    notLocked: departureIds.filter((id) => !locked.has(id)),
    isChanging: ({ keyId, tenant }) => !used.has(keyId) || !used.has(tenant.id),
  };
}

/** Returns whether the transaction has all locks of the sale: its keys, its departure, its API key and its tenant. */
export function hasItsLocks(sale: Sale, { ownKey, departureIds, isChanging }: SaleLocks): boolean {
  const { departureId, principal } = sale;
  const hasDeparture = departureId === null || departureIds.includes(departureId);
  return ownKey.has(sale) && hasDeparture && !(principal && isChanging(principal));
}

export function principalsOf(sales: Sale[]): ApiKeyPrincipal[] {
  return sales.flatMap(({ principal }) => principal ?? []);
}

/**
 * Returns the keys of a sale: the Idempotency-Key, and the UUID that a client chose for an OCTO booking. Only one transaction at a time may
 * handle sales with the same key.
 */
function keysOf(sale: Sale): string[] {
  const { tenant, claim } = sale;
  const keys = claim ? [`${tenant.id} ${claim.operation} ${claim.key}`] : [];
  if (sale.kind === 'hold' && sale.octo) keys.push(`${tenant.id} octo ${sale.octo.uuid}`);
  return keys;
}

interface LockedRow {
  kind: 'key' | 'departure' | 'use';
  /** The key, the id of the departure, or the id of the API key or tenant. */
  id: string;
}

/** SQL of the advisory lock of a `key`. The seed 7 separates it from other uses of advisory locks. */
export const LOCK_OF_KEY = 'hashtextextended(key, 7)';

const TRY_LOCK = `
  with own as materialized (
    select key from unnest(:keys::text[]) key where pg_try_advisory_xact_lock(${LOCK_OF_KEY})
  ), locked as materialized (
    select d.id from departures d where d.id = any(:departureIds::uuid[]) order by d.id for update skip locked
  )
  select 'key' as kind, own.key as id from own
  union all
  select 'departure', locked.id::text from locked
  union all
  select 'use', used.id from (${TRY_LOCK_FOR_USE}) used`;
