import { randomBytes } from 'node:crypto';
import { foldName } from '../../services/platform/forms/fold-name';
import type { CancellationPolicy } from '../../services/api/catalog/cancellation-policy';
import { type Category, DEFAULT_CATEGORIES } from '../../services/api/parties/category';
import type { Translations } from '../../services/api/catalog/tour-text';
import { issueApiKey } from '../../services/api/credentials/manage-credentials';
import { SCOPES, type Scope } from '../../services/api/credentials/credential';
import { createTenant, type TenantToCreate } from '../../services/api/tenants/manage-tenants';
import type { Tenant } from '../../services/api/tenants/tenant';
import { currencyDigits } from '../../services/api/pricing/currency';
import { type Db, inTransaction, toColumns } from '../../services/platform/database/database';

/** The pepper with which all test APIs create and check keys. */
export const PEPPER = 'p'.repeat(32);

export function unique(prefix = 'x'): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

/** Creates a tenant with a unique slug. */
export async function givenTenant(db: Db, overrides: Partial<TenantToCreate> = {}): Promise<Tenant> {
  const slug = unique('tenant');
  const bookingPrefix = randomBytes(4).toString('hex').toUpperCase();
  return inTransaction(db, (trx) =>
    createTenant(trx, { slug, name: 'Acme Travel', bookingPrefix, ...overrides }),
  );
}

/** @returns the token of a new API key */
export async function givenKey(db: Db, tenant: Tenant, scopes: readonly Scope[] = SCOPES): Promise<string> {
  const { token } = await inTransaction(db, (trx) =>
    issueApiKey(trx, PEPPER, tenant, { scopes: [...scopes] }),
  );
  return token;
}

export interface GivenTour {
  id: string;
  slug: string;
  categories: readonly Category[];
}

export interface TourOverrides {
  slug?: string;
  name?: string;
  continent?: string;
  currency?: string;
  basePriceMinor?: number;
  timeZone?: string;
  status?: string;
  country?: string;
  durationDays?: number;
  tags?: string[];
  summary?: string | null;
  /** The language tag of the tour's own texts. */
  language?: string;
  translations?: Translations;
  bookingCutoff?: string;
  cancellation?: CancellationPolicy;
  categories?: readonly Category[];
}

export async function givenTour(db: Db, overrides: TourOverrides = {}): Promise<GivenTour> {
  const { slug = unique('tour'), name = 'Hà Long Bay Cruise', currency = 'EUR' } = overrides;
  const { categories = DEFAULT_CATEGORIES } = overrides;
  const [row] = await db('tours')
    .insert({
      slug,
      name,
      name_folded: foldName(name),
      continent: overrides.continent ?? 'asia',
      country: overrides.country ?? 'VN',
      duration_days: overrides.durationDays ?? 3,
      tags: overrides.tags ?? [],
      currency,
      currency_digits: currencyDigits(currency),
      base_price_minor: overrides.basePriceMinor ?? 50_000,
      time_zone: overrides.timeZone ?? 'UTC',
      ...textColumns(overrides),
      ...saleColumns(overrides),
    })
    .returning(['id', 'slug']);
  return {
    ...(row as Pick<GivenTour, 'id' | 'slug'>),
    categories,
  };
}

/** Leaves out a column that is not given, because the schema of an earlier version lacks all of them. */
function saleColumns({ status = 'published', bookingCutoff, cancellation, categories }: TourOverrides) {
  return {
    status,
    ...(categories && { categories: JSON.stringify(categories) }),
    ...(bookingCutoff && { booking_cutoff: bookingCutoff }),
    ...(cancellation && { cancellation: JSON.stringify(cancellation) }),
  };
}

/**
 * Returns the columns of a tour for its summary, its language and its translations. Leaves out the last two if none is given, because the
 * schema of an earlier version lacks them.
 */
export function textColumns({
  summary = null,
  language,
  translations,
}: Pick<TourOverrides, 'summary' | 'language' | 'translations'>) {
  if (!language && !translations) return { summary };
  return { summary, ...languageColumns(language, translations) };
}

function languageColumns(language = 'en', translations: Translations = {}) {
  const names = Object.entries(translations).map(([tag, { name }]) => [tag, name ? foldName(name) : '']);
  return {
    language,
    translations: JSON.stringify(translations),
    translation_names: JSON.stringify(Object.fromEntries(names)),
  };
}

export interface DepartureOverrides {
  date?: string;
  startTime?: string;
  seats?: number;
  prices?: Record<string, number>;
  status?: string;
  closesAt?: string;
}

/** @returns the departure's date, by default 30 days from today */
export async function givenDeparture(
  db: Db,
  tour: Pick<GivenTour, 'id' | 'slug'>,
  overrides: DepartureOverrides = {},
): Promise<string> {
  const date = overrides.date ?? daysFromToday(30);
  await db('departures').insert({
    tour_id: tour.id,
    departure_date: date,
    start_time: overrides.startTime ?? null,
    seats_total: overrides.seats ?? 10,
    prices_minor: JSON.stringify(overrides.prices ?? { adult: 50_000 }),
    status: overrides.status ?? 'scheduled',
    closes_at: overrides.closesAt ?? null,
  });
  return date;
}

/** Returns a calendar date in UTC, YYYY-MM-DD. It has one parameter, so that `map` can call it. */
export function daysFromToday(days: number): string {
  return daysAfter(Date.now(), days);
}

function daysAfter(now: number, days: number): string {
  return new Date(now + days * 86_400_000).toISOString().slice(0, 10);
}

/**
 * Returns days in a row, YYYY-MM-DD, that one page of a calendar shows: none before the 30th day from today, and all of one month.
 * @param count at most 28
 */
export function daysOfOneMonth(count: number, now = Date.now()): string[] {
  const from = (first: number) => Array.from({ length: count }, (_, index) => daysAfter(now, first + index));
  let first = 30;
  while (from(first)[0]!.slice(0, 7) !== from(first).at(-1)!.slice(0, 7)) first += 1;
  return from(first);
}

/** Returns the current date in the time zone, YYYY-MM-DD. */
export function todayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone }).format();
}

interface TenantOwned {
  tenant: Tenant;
}

/** Inserts a visibility rule for a tour, or for a continent by its name. */
export async function givenVisibilityRule(
  db: Db,
  { tenant }: TenantOwned,
  target: Pick<GivenTour, 'id' | 'slug'> | string,
  visible: boolean,
): Promise<void> {
  if (typeof target === 'string') {
    await db('visibility_continent_rules').insert({ tenant_id: tenant.id, continent: target, visible });
    return;
  }
  const tour = await db('tours').where({ id: target.id }).first('id as tour_id', 'continent', 'name_folded');
  await db('visibility_tour_rules').insert(toColumns({ ...tour, tenantId: tenant.id, visible }));
}

/** Inserts a price rule by its columns. A rule without `percent` is an amount in the tenant's currency. */
export async function givenPriceRule(
  db: Db,
  { tenant }: TenantOwned,
  columns: Record<string, unknown>,
): Promise<{ id: number }> {
  const kind =
    columns.percent === undefined ? { kind: 'amount', currency: tenant.currency } : { kind: 'percent' };
  const [rule] = await db('price_rules')
    .insert({ tenant_id: tenant.id, ...kind, ...columns })
    .returning('id');
  return rule;
}

export interface HoldOverrides {
  quantity: number;
  secondsLeft?: number;
  status?: string;
}

/** Inserts a hold without the API. It takes seats until it expires. */
export async function insertHold(
  db: Db,
  { tenant }: TenantOwned,
  tour: Pick<GivenTour, 'id' | 'slug'>,
  date: string,
  { quantity, secondsLeft = 600, status = 'active' }: HoldOverrides,
): Promise<void> {
  const departure = await db('departures').where({ tour_id: tour.id, departure_date: date }).first('id');
  await db('seat_holds').insert({
    tenant_id: tenant.id,
    sandbox: tenant.sandbox,
    departure_id: departure.id,
    party: JSON.stringify({ adult: quantity }),
    seats: quantity,
    status,
    hold_minutes: 15,
    expires_at: db.raw('clock_timestamp() + make_interval(secs => ?)', [secondsLeft]),
    prices_minor: JSON.stringify({ adult: 0 }),
    currency: 'EUR',
    currency_digits: 2,
    price_breakdown: '{}',
  });
}
