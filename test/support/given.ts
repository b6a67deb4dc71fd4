import { randomBytes } from 'node:crypto';
import { foldName } from '../../services/api/catalog/fold-name';
import { issueApiKey } from '../../services/api/credentials/issue-credential';
import { SCOPES, type Scope } from '../../services/api/credentials/credential';
import { createTenant, type TenantToCreate } from '../../services/api/tenants/create-tenant';
import type { Tenant } from '../../services/api/tenants/tenant';
import { currencyDigits } from '../../services/api/pricing/currency';
import { type Db, inTransaction } from '../../services/platform/database';

/** Keys of every test API are made and checked with it. */
export const PEPPER = 'p'.repeat(32);

/** Rows that a test needs, made for it alone; whatever the test does not care about is made up. */

export function unique(prefix = 'x'): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

export async function givenTenant(db: Db, overrides: Partial<TenantToCreate> = {}): Promise<Tenant> {
  const slug = unique('tenant');
  const bookingPrefix = randomBytes(4).toString('hex').toUpperCase();
  return inTransaction(db, (trx) =>
    createTenant(trx, { slug, name: 'Acme Travel', bookingPrefix, ...overrides }),
  );
}

export async function givenKey(db: Db, tenant: Tenant, scopes: readonly Scope[] = SCOPES): Promise<string> {
  const { token } = await inTransaction(db, (trx) =>
    issueApiKey(trx, PEPPER, tenant, { scopes: [...scopes] }),
  );
  return token;
}

export interface GivenTour {
  id: string;
  slug: string;
}

export interface TourOverrides {
  slug?: string;
  name?: string;
  continent?: string;
  currency?: string;
  basePriceMinor?: number;
  timeZone?: string;
  status?: string;
}

export async function givenTour(db: Db, overrides: TourOverrides = {}): Promise<GivenTour> {
  const { slug = unique('tour'), name = 'Hà Long Bay Cruise', currency = 'EUR' } = overrides;
  const [row] = await db('tours')
    .insert({
      slug,
      name,
      name_folded: foldName(name),
      continent: overrides.continent ?? 'asia',
      country: 'VN',
      duration_days: 3,
      currency,
      currency_digits: currencyDigits(currency),
      base_price_minor: overrides.basePriceMinor ?? 50_000,
      time_zone: overrides.timeZone ?? 'UTC',
      status: overrides.status ?? 'published',
    })
    .returning(['id', 'slug']);
  return row as GivenTour;
}

export interface DepartureOverrides {
  date?: string;
  seats?: number;
  prices?: Record<string, number>;
  status?: string;
  closesAt?: string;
}

/** @returns the departure's date, by default 30 days from today */
export async function givenDeparture(
  db: Db,
  tour: GivenTour,
  overrides: DepartureOverrides = {},
): Promise<string> {
  const date = overrides.date ?? daysFromToday(30);
  await db('departures').insert({
    tour_id: tour.id,
    departure_date: date,
    seats_total: overrides.seats ?? 10,
    prices_minor: JSON.stringify(overrides.prices ?? { adult: 50_000 }),
    status: overrides.status ?? 'scheduled',
    closes_at: overrides.closesAt ?? null,
  });
  return date;
}

/** A calendar date in UTC, YYYY-MM-DD. */
export function daysFromToday(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
