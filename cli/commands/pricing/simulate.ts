import { findTour } from '../../../services/api/catalog/find-tour';
import { explainVisibility } from '../../../services/api/catalog/manage-visibility';
import { basePrices, type CatalogTour } from '../../../services/api/catalog/tour';
import { departureStatus, type DepartureStatus } from '../../../services/api/departures/departure';
import {
  findNearestDeparture,
  type FoundDeparture,
  type NamedDeparture,
} from '../../../services/api/departures/find-departures';
import { namedNumbers } from '../../../services/api/parties/party';
import { firstCategory, type Party, SEATS_MAX, seatsOf } from '../../../services/api/parties/party-rules';
import { newPartyInput, partyInput, partyOfRequest } from '../../../services/api/parties/requested-party';
import {
  firstPrice,
  priceByCategory,
  type PricesAnswer,
  pricesAnswer,
  tenantPricesAnswer,
} from '../../../services/api/pricing/price-categories';
import type { ConversionAnswer } from '../../../services/api/pricing/explained-rules';
import {
  explainConversion,
  type Quote,
  type SimulatedPrice,
  simulatePrice,
} from '../../../services/api/pricing/quote-tenant-price';
import { ruleCurrencyOf } from '../../../services/api/pricing/selling-currency';
import { findTenant } from '../../../services/api/tenants/manage-tenants';
import { mayBeUsed, type Tenant } from '../../../services/api/tenants/tenant';
import { InvalidInputError } from '../../../services/platform/errors';
import { flag, type Verb } from '../../engine/command';
import type { Context } from '../../engine/context';
import { UsageError } from '../../engine/failure';
import { checkPartyFlags, partyBody, partyFlag, type PartyOptions } from '../../engine/party';
import { departureOnDate, formatMoney, wholeNumber } from '../../engine/values';
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
import type { Defeat, Inapplicability, PriceRule } from '../../../services/api/pricing/choose-price-rule';
import { toMajor } from '../../../services/api/pricing/currency';

interface Trip extends FoundDeparture {
  tour: CatalogTour;
  named: NamedDeparture | undefined;
  party: Party;
}

const NO_DEPARTURE: FoundDeparture = { departure: null, nearest: null };

interface SimulateOptions extends PartyOptions {
  date?: NamedDeparture;
}

export const simulateVerb: Verb = {
  usage: 'simulate <slug> <tour>',
  about:
    'Calculate what a booking costs a customer of the tenant, and name the rule that decides each price category',
  flags: [
    flag(
      '--date <date>',
      'the departure; without it the base price counts, and where none departs the prices of the nearest one',
      { parse: departureOnDate },
    ),
    flag('--adults <number>', 'how many adults', { parse: wholeNumber(0, SEATS_MAX), otherwise: '1' }),
    flag('--children <number>', 'how many children', { parse: wholeNumber(0, SEATS_MAX), otherwise: '0' }),
    flag('--single-supplements <number>', 'how many adults with a room alone', {
      parse: wholeNumber(0, SEATS_MAX),
      otherwise: '0',
    }),
    partyFlag('how many of each price category'),
  ],
  check: checkParty,
  examples: [
    'pricing simulate acme dolomites-hut-to-hut --date 2027-06-05 --adults 2 --children 1',
    'pricing simulate acme amsterdam-museum-first-hour --date 2027-06-05 --party adult=2,senior=1',
  ],
  run: simulatePricingCommand,
};

/** Refuses a party that no booking of any tour accepts. @throws UsageError */
function checkParty(options: SimulateOptions): void {
  checkPartyFlags(options);
  try {
    newPartyInput(partyBody(options));
  } catch (error) {
    throw error instanceof InvalidInputError ? new UsageError(error.message) : error;
  }
}

async function simulatePricingCommand(
  { db, output }: Context,
  { date: named, ...numbers }: SimulateOptions,
  slug: string,
  idOrSlug: string,
): Promise<void> {
  const tenant = await findTenant(db, slug);
  const found = await findTour(db, idOrSlug);
  const date = named?.date ?? null;
  // A rule may be made before its departures: without a departure, the prices of the nearest one count.
  const sought = named ? await findNearestDeparture(db, found, named) : NO_DEPARTURE;
  const { nearest } = sought;
  // Takes prices and currency from one statement: an import may have changed both since the tour was found.
  const tour = { ...found, ...nearest?.tour };
  const platform = nearest?.prices ?? basePrices(tour);
  const meant = partyOfRequest(partyInput(partyBody(numbers)), tour.categories, date !== null);
  const simulated = await simulatePrice(db, tenant, tour, platform, { travelDate: date, meant });
  const { visible } = await explainVisibility(db, tenant, tour);
  const document = toDocument(tenant, { tour, named, ...sought, party: meant.party }, simulated, visible);
  for (const warning of warningsOf(tenant, document)) output.warn(warning);
  await output.answer(document, (screen) => describe(document, firstCategory(tour.categories).code, screen));
}

/** Returns `gone` where no departure exists, like the answers of availability. Null: no departure is named. */
function statusOf({ named, departure }: Trip): DepartureStatus | null {
  if (departure) return departureStatus(departure);
  return named ? 'gone' : null;
}

/** Says why the tenant cannot sell at the simulated price. */
function warningsOf({ slug, ...tenant }: Tenant, document: Document): string[] {
  const { tour, visible, departure_status: status } = document;
  const departure = departureOf(document);
  const isMissing = isWithoutDeparture(document);
  const warnings = [
    !mayBeUsed(tenant) &&
      `${slug} is ${tenant.status}, and its requests are refused: tourctl tenant activate ${slug}`,
    !visible && `${slug} does not see ${tour.slug}: tourctl visibility explain ${slug} ${tour.slug}`,
    isMissing && `${tour.slug} has no departure on ${departure}`,
    status &&
      status !== 'available' &&
      !isMissing &&
      `${tour.slug} cannot be booked on ${departure}: it is ${status.replace('_', ' ')}`,
  ];
  return warnings.filter((warning) => typeof warning === 'string');
}

function toDocument(
  tenant: Tenant,
  trip: Trip,
  { quote, unroundedMinor, totalMinor, depositMinor, beaten, inapplicable }: SimulatedPrice,
  visible: boolean,
) {
  const { tour, named, departure, nearest, party } = trip;
  const date = named?.date ?? null;
  const { currency, currencyDigits } = quote;
  const major = (minor: number) => toMajor(minor, currencyDigits);
  const ruleDocument = (decides: PriceRule | undefined) =>
    decides ? toPriceRuleDocument(tenant, decides, tour.slug) : null;
  const rule = ruleDocument(quote.rule);
  const circumstances = { tourCurrency: currency, tenantCurrency: ruleCurrencyOf(tenant).currency, date };
  return {
    tenant: tenant.slug,
    tour: { id: tour.id, slug: tour.slug, status: tour.status },
    visible,
    tenant_status: tenant.status,
    departure_date: date,
    departure_time: departure ? departure.startTime : (named?.time ?? null),
    departure_status: statusOf(trip),
    // The departure whose prices count. Null: the base price counts.
    prices_of: nearest && { departure_date: nearest.departureDate, departure_time: nearest.startTime },
    ...namedNumbers(party),
    party,
    seats: seatsOf(party, tour.categories),
    currency,
    ...platformMoney(tour, quote),
    tenant_currency: tenant.currency,
    prices: pricesAnswer(quote.platform, tour.categories, tour.currencyDigits),
    tenant_prices: tenantPricesAnswer(quote),
    unrounded_price: major(unroundedMinor),
    unit_price: major(firstPrice(quote.tenant, tour.categories)),
    categories: priceByCategory(party, quote.tenant, currencyDigits).map((priced) => ({
      ...priced,
      rule: ruleDocument(quote.ruleOf(priced.category)),
    })),
    total_price: major(totalMinor),
    deposit_total: major(depositMinor),
    deposit_percent: Number(tenant.depositPercent),
    payment_method: tenant.paymentMethod,
    // This rule, the beaten ones and those that do not apply are of the first category.
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
  const converted_prices = pricesAnswer(quote.converted, tour.categories, quote.currencyDigits);
  return { platform_currency: tour.currency, ...conversion, converted_prices };
}

interface PlatformMoney extends ConversionAnswer {
  platform_currency: string;
  converted_prices: PricesAnswer;
}

/** @param first the code of the tour's first category, which the document explains */
function describe(document: Document, first: string, screen: Screen): string {
  const { tenant, tour, currency, rule, beaten, inapplicable, categories } = document;
  const money = (amount: number) => formatMoney(amount, currency);
  const amounts = {
    tenant,
    tour: tour.slug,
    departure_date: departureOf(document),
    party: categories
      .map(
        ({ category, number, unit_price }) =>
          `${number} × ${category.replaceAll('_', ' ')} ${money(unit_price)}`,
      )
      .join(', '),
    platform_price: formatMoney(document.prices[first]!, document.platform_currency ?? currency),
    unit_price: money(document.unit_price),
    total_price: money(document.total_price),
    deposit_total: money(document.deposit_total),
  };
  const reasons = [
    otherPrices(document),
    conversionInWords(document, first),
    decision(rule),
    rule && `  ${calculation(document, first)}`,
    ...otherRules(document, first),
    `  deposit: ${depositInWords(document)}`,
    ...beaten.map((lost) => `  it overrides ${ruleInWords(lost)}: ${lost.reason}`),
    ...inapplicable.map((unused) => `  ${ruleInWords(unused)} does not apply: ${unused.reason}`),
  ];
  return `${properties(amounts, screen)}\n\n${paragraph(reasons.filter(Boolean).join('\n'), screen)}`;
}

/** Says which prices count on a date without a departure. Undefined: those of the departure, or the base price without a date. */
function otherPrices(document: Document): string | undefined {
  if (!isWithoutDeparture(document)) return undefined;
  const { prices_of: of } = document;
  const which = of ? `those of the nearest departure, on ${departureOf(of)}` : 'the base price';
  return `no departure on ${departureOf(document)}: the platform's prices are ${which}`;
}

/** Returns whether a date is given on which the tour does not depart, at the given time. */
function isWithoutDeparture(document: Document): boolean {
  const { departure_date: date, prices_of: of } = document;
  return date !== null && (of === null || departureOf(of) !== departureOf(document));
}

/** Returns a line for each category of the party whose price another rule decides than that of the first category. */
function otherRules({ categories, rule: ofFirst }: Document, first: string): string[] {
  return categories
    .filter(({ category, rule }) => category !== first && rule?.id !== ofFirst?.id)
    .map(({ category, rule }) => `  ${category}: ${decision(rule)}`);
}

function decision(rule: PriceRuleDocument | null): string {
  return rule ? `decided by ${ruleInWords(rule)}` : "decided by no rule: it is the platform's price";
}

/** Returns `converted: 1,000.00 USD at 0.924898261191 EUR of 2026-11-25 = 924.90 EUR`. Undefined: nothing was converted. */
function conversionInWords(document: Document, first: string): string | undefined {
  const { prices, converted_prices, converted_from, rate, rate_date, currency } = document;
  if (!converted_prices || !converted_from) return undefined;
  const [from, to] = [
    formatMoney(prices[first]!, converted_from),
    formatMoney(converted_prices[first]!, currency),
  ];
  return `converted: ${from} at ${rate} ${currency} of ${rate_date} = ${to}`;
}

/** Returns `1,000.00 EUR +12.5 % = 1,125.00 EUR, to the nearest 10: 1,130.00 EUR`. */
function calculation(document: Document, first: string): string {
  const { prices, converted_prices, rule, currency, unrounded_price, unit_price } = document;
  const made = formatMoney(unrounded_price, currency);
  const platform = formatMoney((converted_prices ?? prices)[first]!, currency);
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
