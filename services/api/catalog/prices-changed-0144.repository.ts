import type { Db } from '../../platform/database/database';
import { firstCategory } from '../parties/party-rules';
import { toMajor } from '../pricing/currency';
import { quotePlatformPrices } from '../pricing/find-low-prices';
import type { Quote } from '../pricing/quote-tenant-price';
import { findTenant } from '../tenants/manage-tenants';
import { type Tenant, TENANT_MAY_BE_USED } from '../tenants/tenant';
import { isVisibleTo, visibilityJoins } from './visibility';

/*
 * Lists the prices that the update to price categories changes: each category has its own deciding rule since then. Before, one rule decided
 * all categories: where it was in money, it changed the adult's price, and the others had the platform's. `tourctl migrate` alone uses this
 * file. Delete it when a database from before 0144 cannot be updated to the release directly.
 */

/** The migration of that update. */
export const CATEGORY_RULES = '0144_price_categories';

/** A price that the update has changed for some open departures of a tour. Amounts are in major units of the currency of the sale. */
export interface ChangedPrice {
  tenant: string;
  tour: string;
  category: string;
  from: number;
  to: number;
  currency: string;
  departures: number;
}

/** The first changed prices, by tenant and tour, and their number. */
export interface ChangedPrices {
  price_changes: ChangedPrice[];
  price_changes_total: number;
}

/** The most changed prices that are listed. */
const LISTED = 1000;
const TOURS_A_PAGE = 100;

/** Compares the prices of before with the present ones, for the tours that each tenant sees. Call it after the migrations. */
export async function findPricesChangedBy0144(db: Db): Promise<ChangedPrices> {
  const listed: ChangedPrice[] = [];
  let total = 0;
  for (const slug of await tenantsWithBothKinds(db)) {
    for await (const changes of changesOf(db, await findTenant(db, slug))) {
      total += changes.length;
      listed.push(...changes.slice(0, LISTED - listed.length));
    }
  }
  return { price_changes: listed, price_changes_total: total };
}

/** Lists the tenants with a rule in money and a percentage. No price of another tenant has changed. */
async function tenantsWithBothKinds(db: Db): Promise<string[]> {
  const { rows } = await db.raw(
    `select t.slug from tenants t join price_rules r on r.tenant_id = t.id
     where ${TENANT_MAY_BE_USED}
     group by t.slug having bool_or(r.kind = 'percent') and bool_or(r.kind <> 'percent') order by t.slug`,
  );
  return rows.map(({ slug }: { slug: string }) => slug);
}

/** Yields the changed prices of the tenant for each page of tours, in the order of their slugs. */
async function* changesOf(db: Db, tenant: Tenant): AsyncGenerator<ChangedPrice[]> {
  let after = '';
  for (;;) {
    const page = await seenTours(db, tenant, after);
    const tourIds = page.map(({ id }) => id);
    const changes = new Map<string, ChangedPrice>();
    for (const { tour, count, quote } of await quotePlatformPrices(db, tenant, tourIds)) {
      for (const change of changesIn(quote)) {
        const key = JSON.stringify([tour.slug, change.category, change.from, change.to]);
        const departures = (changes.get(key)?.departures ?? 0) + count;
        changes.set(key, { tenant: tenant.slug, tour: tour.slug, ...change, departures });
      }
    }
    yield [...changes.values()].sort(byTour);
    if (page.length < TOURS_A_PAGE) return;
    after = page.at(-1)!.slug;
  }
}

/** Finds a page of the tours that the tenant sees and that one of its rules in money can concern. */
async function seenTours(db: Db, tenant: Tenant, after: string): Promise<{ id: string; slug: string }[]> {
  const { rows } = await db.raw(
    `select t.id, t.slug from tours t ${visibilityJoins(':tenantId')}
     where ${isVisibleTo(tenant)} and t.slug > :after
       and exists (select from price_rules r where r.tenant_id = :tenantId and r.kind <> 'percent'
         and (r.tour_id = t.id or r.tour_id is null and coalesce(r.continent, t.continent) = t.continent))
     order by t.slug limit :limit`,
    { tenantId: tenant.id, sellIn: tenant.sellIn, after, limit: TOURS_A_PAGE },
  );
  return rows;
}

/**
 * Returns the categories of a departure whose price has changed.
 * @rule which prices the update to price categories changes: test/cli/migrate-prices.long.test.ts
 */
function changesIn({ rule, converted, tenant, categories, currency, currencyDigits }: Quote) {
  // No rule had a category, so the rule of the first category is the one that decided all.
  if (!rule || rule.kind === 'percent') return [];
  const first = firstCategory(categories).code;
  return Object.entries(converted)
    .filter(([category, minor]) => category !== first && tenant[category] !== minor)
    .map(([category, minor]) => ({
      category,
      from: toMajor(minor, currencyDigits),
      to: toMajor(tenant[category]!, currencyDigits),
      currency,
    }));
}

function byTour(a: ChangedPrice, b: ChangedPrice): number {
  if (a.tour !== b.tour) return a.tour < b.tour ? -1 : 1;
  if (a.category !== b.category) return a.category < b.category ? -1 : 1;
  return a.from - b.from;
}
