import { findTour } from '../../../services/api/catalog/find-tour';
import { explainVisibility } from '../../../services/api/catalog/manage-visibility';
import type { CatalogTour } from '../../../services/api/catalog/tour';
import { type Departure, departureStatus } from '../../../services/api/departures/departure';
import { findTourDeparture, type NamedDeparture } from '../../../services/api/departures/find-departures';
import type { Defeat, Inapplicability } from '../../../services/api/pricing/choose-price-rule';
import { toMajor } from '../../../services/api/pricing/currency';
import { type Party, priceByCategory } from '../../../services/api/pricing/party';
import {
  type PricesAnswer,
  pricesAnswer,
  tenantPricesAnswer,
} from '../../../services/api/pricing/price-categories';
import {
  type ConversionAnswer,
  explainConversion,
  type Quote,
  type SimulatedPrice,
  simulatePrice,
} from '../../../services/api/pricing/quote-tenant-price';
import { ruleCurrencyOf } from '../../../services/api/pricing/selling-currency';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { mayBeUsed, type Tenant } from '../../../services/api/tenants/tenant';
import type { Context } from '../../engine/context';
import { formatMoney } from '../../engine/values';
import type { Screen } from '../../terminal/screen';
import { paragraph, properties } from '../../terminal/table';
import { departureOf } from '../booking/document';
import {
  describePriceChange,
  describeScope,
  describeTravel,
  type PriceRuleDocument,
  toPriceRuleDocument,
} from './price-rule';

interface Trip {
  tour: CatalogTour;
  date: string | null;
  departure: Departure | null;
  party: Party;
}

interface SimulateOptions extends PartyOptions {
  date?: NamedDeparture;
}

interface PartyOptions {
  adults?: number;
  children?: number;
  singleSupplements?: number;
}

export async function simulatePricingCommand(
  { db, output }: Context,
  { date: named, ...numbers }: SimulateOptions,
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const found = await findTour(db, idOrSlug);
  const date = named?.date ?? null;
  const departure = named === undefined ? null : await findTourDeparture(db, found, named);
  // Takes prices and currency from one statement: an import may have changed both since the tour was found.
  const tour = { ...found, ...departure?.tour };
  const platform = departure?.prices ?? { adult: tour.basePriceMinor };
  const party = toParty(numbers);
  const simulated = await simulatePrice(db, tenant, tour, platform, { travelDate: date, party });
  const { visible } = await explainVisibility(db, tenant, tour);
  const document = toDocument(tenant, { tour, date, departure, party }, simulated, visible);
  const status = document.departure_status;
  if (!mayBeUsed(tenant))
    output.warn(`${slug} is ${tenant.status}, and its requests are refused: tourctl tenant activate ${slug}`);
  if (!visible)
    output.warn(`${slug} does not see ${tour.slug}: tourctl visibility explain ${slug} ${tour.slug}`);
  if (status && status !== 'available')
    output.warn(
      `${tour.slug} cannot be booked on ${departureOf(document)}: it is ${status.replace('_', ' ')}`,
    );
  await output.answer(document, (screen) => describe(document, screen));
}

function toParty({ adults = 1, children = 0, singleSupplements = 0 }: PartyOptions): Party {
  return { adult: adults, child: children, single_supplement: singleSupplements };
}

function toDocument(
  tenant: Tenant,
  { tour, date, departure, party }: Trip,
  { quote, unroundedMinor, totalMinor, depositMinor, beaten, inapplicable }: SimulatedPrice,
  visible: boolean,
) {
  const { currency, currencyDigits } = quote;
  const major = (minor: number) => toMajor(minor, currencyDigits);
  const rule = quote.rule ? toPriceRuleDocument(tenant, quote.rule, tour.slug) : null;
  const circumstances = { tourCurrency: currency, tenantCurrency: ruleCurrencyOf(tenant).currency, date };
  return {
    tenant: tenant.slug,
    tour: { id: tour.id, slug: tour.slug, status: tour.status },
    visible,
    tenant_status: tenant.status,
    departure_date: date,
    departure_time: departure && departure.startTime,
    departure_status: departure && departureStatus(departure),
    adults: party.adult,
    children: party.child,
    single_supplements: party.single_supplement,
    currency,
    ...platformMoney(tour, quote),
    tenant_currency: tenant.currency,
    prices: pricesAnswer(quote.platform, tour.currencyDigits),
    tenant_prices: tenantPricesAnswer(quote),
    unrounded_price: major(unroundedMinor),
    unit_price: major(quote.tenant.adult),
    categories: priceByCategory(party, quote.tenant, currencyDigits),
    total_price: major(totalMinor),
    deposit_total: major(depositMinor),
    deposit_percent: Number(tenant.depositPercent),
    payment_method: tenant.paymentMethod,
    rule,
    beaten: beaten.map((lost) => {
      const loser = toPriceRuleDocument(tenant, lost.rule, tour.slug);
      return { ...loser, lost_because: lost.because, reason: explainDefeat(lost.because, rule!, loser) };
    }),
    inapplicable: inapplicable.map(({ rule: unused, because }) => {
      const other = toPriceRuleDocument(tenant, unused, tour.slug);
      return { ...other, lost_because: because, reason: explainInapplicable(because, other, circumstances) };
    }),
  };
}
type Document = ReturnType<typeof toDocument>;

/** Returns how the platform's prices were converted, if the tenant has a selling currency. */
function platformMoney(tour: CatalogTour, quote: Quote): Partial<PlatformMoney> {
  const conversion = explainConversion(quote);
  if (!conversion) return {};
  const converted_prices = pricesAnswer(quote.converted, quote.currencyDigits);
  return { platform_currency: tour.currency, ...conversion, converted_prices };
}

interface PlatformMoney extends ConversionAnswer {
  platform_currency: string;
  converted_prices: PricesAnswer;
}

function describe(document: Document, screen: Screen): string {
  const { tenant, tour, currency, rule, beaten, inapplicable, categories } = document;
  const money = (amount: number) => formatMoney(amount, currency);
  const amounts = {
    tenant,
    tour: tour.slug,
    departure_date: departureOf(document),
    party: categories
      .map(
        ({ category, number, unit_price }) =>
          `${number} × ${category.replace('_', ' ')} ${money(unit_price)}`,
      )
      .join(', '),
    platform_price: formatMoney(document.prices.adult, document.platform_currency ?? currency),
    unit_price: money(document.unit_price),
    total_price: money(document.total_price),
    deposit_total: money(document.deposit_total),
  };
  const reasons = [
    conversionInWords(document),
    rule ? `decided by ${ruleInWords(rule)}` : `decided by no rule: it is the platform's price`,
    rule && `  ${calculation(document)}`,
    `  deposit: ${depositInWords(document)}`,
    ...beaten.map((lost) => `  it overrides ${ruleInWords(lost)}: ${lost.reason}`),
    ...inapplicable.map((unused) => `  ${ruleInWords(unused)} does not apply: ${unused.reason}`),
  ];
  return `${properties(amounts, screen)}\n\n${paragraph(reasons.filter(Boolean).join('\n'), screen)}`;
}

/** Returns `converted: 1,000.00 USD at 0.924898261191 EUR of 2026-11-25 = 924.90 EUR`. Undefined: nothing was converted. */
function conversionInWords(document: Document): string | undefined {
  const { prices, converted_prices, converted_from, rate, rate_date, currency } = document;
  if (!converted_prices || !converted_from) return undefined;
  const [from, to] = [
    formatMoney(prices.adult, converted_from),
    formatMoney(converted_prices.adult, currency),
  ];
  return `converted: ${from} at ${rate} ${currency} of ${rate_date} = ${to}`;
}

/** Returns `1,000.00 EUR +12.5 % = 1,125.00 EUR, to the nearest 10: 1,130.00 EUR`. */
function calculation(document: Document): string {
  const { prices, converted_prices, rule, currency, unrounded_price, unit_price } = document;
  const made = formatMoney(unrounded_price, currency);
  const platform = formatMoney((converted_prices ?? prices).adult, currency);
  const change = rule!.price === null ? `${platform} ${describePriceChange(rule!)} = ${made}` : made;
  const floor = unrounded_price === 0 && rule!.price === null ? ' (never below 0)' : '';
  const rounded =
    rule!.round_to === null ? '' : `, to the nearest ${rule!.round_to}: ${formatMoney(unit_price, currency)}`;
  return `${change}${floor}${rounded}`;
}

function depositInWords({ payment_method, deposit_percent }: Document): string {
  if (payment_method === 'reserve') return "none, as the tenant's payment method is reserve";
  return `${deposit_percent} % of the total`;
}

const SCOPE = { tour: "a tour's rule", continent: "a continent's rule", all: 'a general rule' } as const;

/** Explains why an applicable rule did not set the price. */
function explainDefeat(because: Defeat, winner: PriceRuleDocument, loser: PriceRuleDocument): string {
  const scope = (rule: PriceRuleDocument) => SCOPE[rule.applies_to];
  if (because === 'closer_rule') return `${scope(winner)} overrides ${scope(loser)}`;
  if (because === 'narrower_window')
    return 'among rules of the same scope the narrower travel window decides';
  return 'among equal rules the newest decides';
}

interface Circumstances {
  tourCurrency: string;
  tenantCurrency: string;
  date: string | null;
}

/** Explains why a rule does not apply. */
function explainInapplicable(
  because: Inapplicability,
  rule: PriceRuleDocument,
  { tourCurrency, tenantCurrency, date }: Circumstances,
): string {
  if (because === 'needs_date') return 'it is for travel dates, and --date is not given';
  if (because === 'outside_window') return `${date} is outside its travel dates`;
  if (because !== 'other_currency') return 'it is for other tours';
  return rule.currency === tourCurrency
    ? `it is in ${rule.currency}, and the tenant's currency is ${tenantCurrency} now`
    : `it is in ${rule.currency}, and the tour is sold in ${tourCurrency}`;
}

function ruleInWords(rule: PriceRuleDocument): string {
  return `rule ${rule.id} (${describeScope(rule)}: ${describePriceChange(rule)}, ${describeTravel(rule)})`;
}
