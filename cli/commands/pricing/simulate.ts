import type { CatalogTour } from '../../../services/api/catalog/catalog-tour';
import { explainVisibility } from '../../../services/api/catalog/explain-visibility';
import { findTour } from '../../../services/api/catalog/find-tour';
import { findTourDeparture } from '../../../services/api/departures/list-tour-departures';
import { toMajor } from '../../../services/api/money/currency';
import { pricesAnswer, tenantPricesAnswer } from '../../../services/api/pricing/prices-answer';
import type { Prices } from '../../../services/api/pricing/prices';
import { simulatePrice } from '../../../services/api/pricing/simulate-price';
import { findTenant } from '../../../services/api/tenants/find-tenant';
import type { Db } from '../../../services/platform/database';
import type { Context } from '../../context';
import { properties } from '../../table';
import {
  describeChange,
  describeScope,
  describeTravel,
  type PriceRuleDocument,
  toPriceRuleDocument,
} from './price-rule-document';

export async function simulatePricingCommand(
  { db, output }: Context,
  { date = null, adults = 1 }: { date?: string | null; adults?: number },
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const tour = await findTour(db, idOrSlug);
  const platform = await platformPrices(db, tour, date);
  const simulated = await simulatePrice(db, tenant, tour, platform, { travelDate: date, adults });
  const { quote, totalMinor, depositMinor, beaten } = simulated;
  const digits = tour.currencyDigits;
  const document = {
    tenant: slug,
    tour: { id: tour.id, slug: tour.slug },
    departure_date: date,
    adults,
    currency: tour.currency,
    prices: pricesAnswer(quote.platform, digits),
    tenant_prices: tenantPricesAnswer(quote, digits),
    unit_price: toMajor(quote.tenant.adult, digits),
    total_price: toMajor(totalMinor, digits),
    deposit_total: toMajor(depositMinor, digits),
    rule: quote.rule ? toPriceRuleDocument(tenant, quote.rule, tour.slug) : null,
    beaten: beaten.map((rule) => toPriceRuleDocument(tenant, rule, tour.slug)),
  };
  const { visible } = await explainVisibility(db, tenant, tour);
  if (!visible)
    output.warn(`${slug} does not see ${tour.slug}: tourctl visibility explain ${slug} ${tour.slug}`);
  output.answer(document, () => {
    const { rule, beaten: others, tour: _, prices: __, tenant_prices: ___, ...amounts } = document;
    const reason = rule ? inWords(rule) : `no rule: the platform's price`;
    const losers = others.map((other) => `\n  it beats ${inWords(other)}`).join('');
    return `${properties({ ...amounts, platform_price: document.prices.adult })}\n\ndecided by ${reason}${losers}`;
  });
}

/** @throws DepartureNotFoundError */
async function platformPrices(db: Db, tour: CatalogTour, date: string | null): Promise<Prices> {
  if (date === null) return { adult: tour.basePriceMinor };
  return (await findTourDeparture(db, tour, date)).prices;
}

function inWords(rule: PriceRuleDocument): string {
  return `rule ${rule.id} (${describeScope(rule)}: ${describeChange(rule)}, ${describeTravel(rule)})`;
}
