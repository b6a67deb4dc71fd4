import type { Db, Trx } from '../../platform/database/database';
import type { Tenant, TenantStatus } from './tenant';
import {
  BookingPrefixTakenError,
  HoldLengthsError,
  TenantNotFoundError,
  TenantSlugTakenError,
} from './tenant.errors';
import {
  findPrefixOwner,
  findTenantById,
  findTenantBySlug,
  insertTenant,
  lockTenantRow,
  type NewTenant,
  type TenantChanges,
  writeTenant,
} from './tenant.repository';
import { assertLinkTemplate } from './link-template';

/** @throws TenantNotFoundError */
export async function findTenant(db: Db, slug: string): Promise<Tenant> {
  const tenant = await findTenantBySlug(db, slug);
  if (!tenant) throw new TenantNotFoundError(slug);
  return tenant;
}

/** Reads the tenant from the database, because the cached tenant may be out of date. */
export async function readTenantAgain(db: Db, cached: Pick<Tenant, 'id'>): Promise<Tenant> {
  return findTenantById(db, cached.id);
}

/**
 * Locks the tenant against other changes until the transaction ends. Does not wait for the writes with its keys that run: call awaitUses after
 * the COMMIT of a change that takes something from the tenant.
 * @throws TenantNotFoundError
 */
export async function findTenantForChange(trx: Trx, slug: string): Promise<Tenant> {
  const tenant = await lockTenantRow(trx, slug);
  if (!tenant) throw new TenantNotFoundError(slug);
  return tenant;
}

/** Currency code and number of decimals (ISO 4217). */
interface NamedCurrency {
  code: string;
  digits: number;
}

type MoneyField = 'currency' | 'currencyDigits' | 'sellIn' | 'sellInDigits';

export interface TenantToCreate extends Partial<Omit<NewTenant, MoneyField | 'origins'>> {
  slug: string;
  name: string;
  currency?: NamedCurrency;
  /** Null: the tenant sells each tour in the tour's own currency. */
  sellIn?: NamedCurrency | null;
}

const EURO: NamedCurrency = { code: 'EUR', digits: 2 };
const PREFIX_LENGTH = 10;
/** The number of derived prefixes that are tried before the caller must choose one. */
const ATTEMPTS = 99;

/**
 * Creates a tenant. Defaults: status trial, currency EUR, country DE, all tours visible, 20 % deposit. Derives a missing booking prefix
 * from the letters and digits of the slug, and adds a number if the prefix is taken.
 * @throws TenantSlugTakenError, BookingPrefixTakenError, HoldLengthsError, LinkTemplateRefusedError
 */
export async function createTenant(trx: Trx, given: TenantToCreate): Promise<Tenant> {
  const { currency = EURO, sellIn, country = 'DE', holdMaxMinutes = 60, ...rest } = given;
  const { holdDefaultMinutes = Math.min(15, holdMaxMinutes) } = given;
  if (holdDefaultMinutes > holdMaxMinutes) throw new HoldLengthsError(holdDefaultMinutes, holdMaxMinutes);
  assertLinkTemplate(given.linkTemplate, given.status ?? 'trial');
  const money = { currency: currency.code, currencyDigits: currency.digits, ...sellingColumns(sellIn) };
  const holds = { holdDefaultMinutes, holdMaxMinutes };

  for (const bookingPrefix of given.bookingPrefix ? [given.bookingPrefix] : prefixesFor(given.slug)) {
    const tenant = await insertTenant(trx, { ...rest, country, ...money, ...holds, bookingPrefix });
    if (tenant) return tenant;
    if (await findTenantBySlug(trx, given.slug)) throw new TenantSlugTakenError(given.slug);
  }
  throw new BookingPrefixTakenError(given.bookingPrefix ?? [...prefixesFor(given.slug)][0]!);
}

/** Yields ACMETRAVEL, ACMETRAVE2, … for acme-travel. */
function* prefixesFor(slug: string): Generator<string> {
  const letters = slug.toUpperCase().replace(/[^A-Z0-9]/g, '');
  yield letters.slice(0, PREFIX_LENGTH);
  for (let n = 2; n <= ATTEMPTS; n++) yield letters.slice(0, PREFIX_LENGTH - String(n).length) + n;
}

export type TenantSettings = Omit<TenantChanges, MoneyField | 'origins'> &
  Pick<TenantToCreate, 'currency' | 'sellIn'>;

/**
 * Changes the given settings of a tenant that findTenantForChange locked.
 * @throws BookingPrefixTakenError, HoldLengthsError, LinkTemplateRefusedError
 */
export async function updateTenant(trx: Trx, tenant: Tenant, settings: TenantSettings): Promise<Tenant> {
  const { currency, sellIn, ...rest } = settings;
  const holdDefault = settings.holdDefaultMinutes ?? tenant.holdDefaultMinutes;
  const holdMax = settings.holdMaxMinutes ?? tenant.holdMaxMinutes;
  if (holdDefault > holdMax) throw new HoldLengthsError(holdDefault, holdMax);
  assertLinkTemplate(settings.linkTemplate, settings.status ?? tenant.status);
  if (settings.bookingPrefix) {
    const owner = await findPrefixOwner(trx, settings.bookingPrefix);
    if (owner && owner !== tenant.id) throw new BookingPrefixTakenError(settings.bookingPrefix);
  }
  const money = currency ? { currency: currency.code, currencyDigits: currency.digits } : {};
  return writeTenant(trx, tenant.id, { ...rest, ...money, ...sellingColumns(sellIn) });
}

function sellingColumns(
  sellIn: NamedCurrency | null | undefined,
): Partial<Pick<Tenant, 'sellIn' | 'sellInDigits'>> {
  if (sellIn === undefined) return {};
  return { sellIn: sellIn && sellIn.code, sellInDigits: sellIn && sellIn.digits };
}

/**
 * Changes the status. From the commit on, the new status decides whether the API serves the tenant's keys and tokens. Each change is
 * reversible. After COMMIT, call awaitUses.
 * @throws TenantNotFoundError
 */
export async function changeTenantStatus(
  trx: Trx,
  slug: string,
  status: TenantStatus,
): Promise<{ before: Tenant; after: Tenant }> {
  const before = await findTenantForChange(trx, slug);
  return { before, after: await writeTenant(trx, before.id, { status }) };
}
