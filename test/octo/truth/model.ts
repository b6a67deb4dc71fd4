import { type Category, DEFAULT_CATEGORIES } from '../../../services/api/parties/category';
import { DIGITS, OFFSETS, type RandomDeparture, type RandomTour } from './random-tours';

/**
 * Builds the answers of OCTO a second time, from the catalog alone. Shares no code with the product besides the default list of categories,
 * which the contract states.
 */

/** A departure of a tour as the catalog stores it. */
export interface ModelDeparture {
  id: string;
  /** YYYY-MM-DD */
  date: string;
  /** Its own time, or that of the tour. */
  time: string | null;
  seats: number;
  taken: number;
  /** The platform's prices by code, in minor units. */
  prices: Record<string, number>;
  state: RandomDeparture['state'];
  /** The number of days until its return. Null: as the tour. */
  days: number | null;
}

/** A stored tour. */
export interface ModelTour extends Omit<RandomTour, 'departures' | 'categories' | 'rules'> {
  id: string;
  slug: string;
  name: string;
  categories: readonly Category[];
  /** A whole percentage for each category. Null: none. */
  percent: number | null;
  /** An amount for one category, in minor units of EUR. It is newer than the percentage. Null: none. */
  amount: { code: string; minor: number } | null;
  /** By date and time. */
  departures: ModelDeparture[];
}

export type Capability = 'octo/pricing' | 'octo/content';
export type ModelParty = Record<string, number>;

const TYPES: Partial<Record<Category['kind'], string>> = { group: 'OTHER', other: 'OTHER' };
export const DAY_MS = 86_400_000;
/** The instant at which the closed departures of the model have closed. */
export const CLOSED_AT = '2025-01-01T00:00:00Z';

export const categoriesOfTour = ({ categories }: RandomTour): readonly Category[] =>
  categories ?? DEFAULT_CATEGORIES;
export const unitsOf = (categories: readonly Category[]) =>
  categories.filter(({ kind }) => kind !== 'supplement');
const isOpen = ({ state }: ModelDeparture) => state === 'scheduled';

/** Returns the tenant's price: the newest rule that fits the category decides. */
export function retailOf({ percent, amount, currency }: ModelTour, code: string, net: number): number {
  // The amount is in EUR, so it applies only to tours in EUR.
  if (amount?.code === code && currency === 'EUR') return Math.max(0, net + amount.minor);
  // All numbers are whole and small, so the half is exact.
  return percent === null ? net : Math.floor((net * (100 + percent) + 50) / 100);
}

export function pricing({ currency }: ModelTour, net: number, retail: number) {
  return { original: retail, retail, net, currency, currencyPrecision: DIGITS[currency], includedTaxes: [] };
}

function ages({ age_from = 0, age_to = 99 }: Category): { shortDescription?: string } {
  if (age_from === 0 && age_to >= 99) return {};
  if (age_to >= 99) return { shortDescription: `From ${age_from} years.` };
  if (age_from === 0) return { shortDescription: `Up to ${age_to} years.` };
  return { shortDescription: `From ${age_from} to ${age_to} years.` };
}

export function unit(category: Category, capabilities: Capability[], price: object) {
  const { code, kind, name = kind[0]!.toUpperCase() + kind.slice(1) } = category;
  return {
    id: code,
    internalName: name,
    reference: code,
    type: TYPES[kind] ?? kind.toUpperCase(),
    requiredContactFields: [],
    restrictions: {
      minAge: category.age_from ?? 0,
      maxAge: category.age_to ?? 99,
      idRequired: false,
      minQuantity: category.min ?? null,
      maxQuantity: category.max ?? null,
      paxCount: category.people,
      accompaniedBy: category.with ?? [],
    },
    ...(capabilities.includes('octo/content') && { title: name, features: [], ...ages(category) }),
    ...(capabilities.includes('octo/pricing') && price),
  };
}

/** Returns the units of the product with their lowest price on the open dates. */
function unitsOfProduct(tour: ModelTour, capabilities: Capability[]) {
  return unitsOf(tour.categories).flatMap((category, index) => {
    const { code } = category;
    const nets = tour.departures.filter(isOpen).flatMap(({ prices }) => prices[code] ?? []);
    if (index > 0 && nets.length === 0) return [];
    const net = nets.length > 0 ? Math.min(...nets) : tour.base;
    return unit(category, capabilities, { pricingFrom: [pricing(tour, net, retailOf(tour, code, net))] });
  });
}

function startTimesOf({ startTime, departures }: ModelTour): string[] {
  const open = departures.filter(isOpen);
  const shown = open.length > 0 || startTime !== null ? open : departures;
  return [...new Set([startTime, ...shown.map(({ time }) => time)].filter((time) => time !== null))].sort();
}

const NAMES = { m: 'minute', h: 'hour', d: 'day' } as const;

function cutoff(text: string, amount: number, unitName: string) {
  return { cancellationCutoff: text, cancellationCutoffAmount: amount, cancellationCutoffUnit: unitName };
}

function cancellationTerms({ tiers }: ModelTour) {
  if (tiers === null) return cutoff('Not stated', 0, 'hour');
  const full = tiers.filter(({ refund_percent }) => refund_percent === 100).at(-1);
  if (!full) {
    const pays = tiers.some(({ refund_percent }) => refund_percent > 0);
    return cutoff(pays ? 'Never refunded in full' : 'Never refunded', 365, 'day');
  }
  const amount = Number.parseInt(full.until, 10);
  const name = NAMES[full.until.at(-1) as keyof typeof NAMES];
  return cutoff(`${amount} ${name}${amount === 1 ? '' : 's'}`, amount, name);
}

/** @param units those of a booking. By default those of the product */
export function product(
  tour: ModelTour,
  capabilities: Capability[],
  units: object[] = unitsOfProduct(tour, capabilities),
) {
  const times = startTimesOf(tour);
  return {
    id: tour.id,
    internalName: tour.name,
    reference: tour.slug,
    locale: 'en',
    timeZone: tour.zone,
    allowFreesale: false,
    instantConfirmation: true,
    instantDelivery: true,
    availabilityRequired: true,
    availabilityType: times.length > 0 ? 'START_TIME' : 'OPENING_HOURS',
    deliveryFormats: ['QRCODE'],
    deliveryMethods: ['VOUCHER'],
    redemptionMethod: 'MANIFEST',
    options: [
      {
        id: 'DEFAULT',
        default: true,
        internalName: 'Default',
        reference: null,
        availabilityLocalStartTimes: times,
        ...cancellationTerms(tour),
        requiredContactFields: [],
        restrictions: { minUnits: 1, maxUnits: maxUnits(tour) },
        units,
      },
    ],
    ...(capabilities.includes('octo/pricing') && {
      defaultCurrency: tour.currency,
      availableCurrencies: [tour.currency],
      pricingPer: 'UNIT',
    }),
    ...(capabilities.includes('octo/content') && content(tour)),
  };
}

function content({ name, summary, inclusions, durationDays }: ModelTour) {
  return {
    title: name,
    shortDescription: summary,
    description: null,
    features: inclusions.map((shortDescription) => ({ type: 'INCLUSION', shortDescription })),
    faqs: [],
    media: [],
    locations: [],
    categoryLabels: [],
    durationMinutesFrom: durationDays * 1440,
    durationMinutesTo: null,
    commentary: [],
  };
}

function maxUnits({ groupSize }: ModelTour): number {
  return groupSize === null || groupSize > 50 ? 50 : groupSize;
}

export const localInstant = (tour: ModelTour, date: string, time: string) =>
  `${date}T${time}${OFFSETS[tour.zone]}`;
const dayAfter = (date: string, days: number) =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Returns the instant at which the sales end. */
function salesEnd(tour: ModelTour, { date, time, state }: ModelDeparture): string {
  if (state === 'closed') return CLOSED_AT;
  const isWholeDay = time === null && tour.cutoffHours === 0;
  const [day, start] = isWholeDay ? [dayAfter(date, 1), '00:00'] : [date, time ?? '00:00'];
  const at = Date.parse(localInstant(tour, day, `${start}:00`)) - tour.cutoffHours * 3_600_000;
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

/** Returns whether the departure sells the party in one booking, without counting its free seats. */
function isSellable({ categories }: ModelTour, { prices }: ModelDeparture, party: ModelParty): boolean {
  const has = (code: string) => (party[code] ?? 0) > 0;
  return categories.every(({ code, min = 0, max = 99, with: companions, at_most }) => {
    if (!has(code)) return true;
    const units = party[code]!;
    if (prices[code] === undefined || units < min || units > max) return false;
    if (companions && companions.length > 0 && !companions.some(has)) return false;
    return at_most === undefined || units <= (party[at_most] ?? 0);
  });
}

export function seatsOf({ categories }: Pick<ModelTour, 'categories'>, party: ModelParty): number {
  let seats = 0;
  for (const category of categories) seats += (party[category.code] ?? 0) * category.seats;
  return seats;
}

/** Returns whether a reservation of the party succeeds. */
export function canBeSold(tour: ModelTour, departure: ModelDeparture, party: ModelParty): boolean {
  const units = Object.values(party).reduce((sum, each) => sum + each, 0);
  const seats = seatsOf(tour, party);
  return (
    isOpen(departure) &&
    units <= maxUnits(tour) &&
    seats >= 1 &&
    seats <= Math.min(50, departure.seats - departure.taken) &&
    isSellable(tour, departure, party)
  );
}

/** Gives a category of the party at least so many units, because another one may not exceed it. */
function raiseTo(party: ModelParty, code: string | undefined, units: number): void {
  if (code !== undefined && party[code] !== undefined) party[code] = Math.max(party[code], units);
}

/** Returns the seats of the smallest party that can be sold: tries each set of categories with the fewest units that its rules allow. */
function fewestSeats(tour: ModelTour, departure: ModelDeparture): number {
  const sold = tour.categories.filter(({ code }) => departure.prices[code] !== undefined);
  let fewest = Infinity;
  for (let set = 1; set < 2 ** sold.length; set++) {
    const chosen = sold.filter((_, place) => (set >> place) % 2 === 1);
    if (!chosen.some(({ kind, seats }) => kind !== 'supplement' && seats > 0)) continue;
    const party: ModelParty = Object.fromEntries(chosen.map(({ code, min = 1 }) => [code, min]));
    // A category names only one before it, so that one has got its units from those behind it.
    for (const { code, at_most } of chosen.reverse()) raiseTo(party, at_most, party[code]!);
    if (isSellable(tour, departure, party)) fewest = Math.min(fewest, seatsOf(tour, party));
  }
  return fewest;
}

function seatFields(tour: ModelTour, departure: ModelDeparture, party: ModelParty | undefined) {
  const { seats: capacity, taken } = departure;
  const vacancies = isOpen(departure) ? Math.max(0, capacity - taken) : 0;
  const fits = isOpen(departure) && fewestSeats(tour, departure) <= vacancies;
  const free = vacancies * 2 < capacity ? 'LIMITED' : 'AVAILABLE';
  const ofOpen = fits ? free : 'SOLD_OUT';
  return {
    available: party ? canBeSold(tour, departure, party) : fits,
    status: isOpen(departure) ? ofOpen : 'CLOSED',
    vacancies,
    capacity,
  };
}

const ALL_DAY = [{ from: '00:00', to: '23:59' }];

function openingHours(tour: ModelTour, { time }: ModelDeparture) {
  return time === null || startTimesOf(tour).length === 0 ? ALL_DAY : [];
}

function unitPricing(tour: ModelTour, { prices }: ModelDeparture) {
  return unitsOf(tour.categories).flatMap(({ code }) => {
    const net = prices[code];
    return net === undefined ? [] : { unitId: code, ...pricing(tour, net, retailOf(tour, code, net)) };
  });
}

/** @param party the wanted units. Undefined: the request names none */
export function availability(
  tour: ModelTour,
  departure: ModelDeparture,
  capabilities: Capability[],
  party?: ModelParty,
) {
  const { id, date, time, days } = departure;
  return {
    id,
    localDateTimeStart: localInstant(tour, date, `${time ?? '00:00'}:00`),
    localDateTimeEnd: localInstant(tour, dayAfter(date, days ?? tour.durationDays - 1), '23:59:59'),
    allDay: startTimesOf(tour).length === 0,
    ...seatFields(tour, departure, party),
    maxUnits: maxUnits(tour),
    utcCutoffAt: salesEnd(tour, departure),
    openingHours: openingHours(tour, departure),
    ...(capabilities.includes('octo/pricing') && { unitPricing: unitPricing(tour, departure) }),
  };
}

/** Returns the days of the calendar. */
export function calendar(tour: ModelTour, capabilities: Capability[], party?: ModelParty) {
  const dates = [...new Set(tour.departures.map(({ date }) => date))];
  return dates.map((date) => {
    const ofDay = tour.departures.filter((departure) => departure.date === date);
    const fields = ofDay.map((departure) => seatFields(tour, departure, party));
    const statuses = fields.map(({ status }) => status);
    const open = ofDay.filter(isOpen);
    const lowest = unitsOf(tour.categories).flatMap(({ code }) => {
      const prices = (open.length > 0 ? open : ofDay)
        .flatMap((departure) => unitPricing(tour, departure))
        .filter(({ unitId }) => unitId === code);
      const retail = Math.min(...prices.map((one) => one.retail));
      return prices.find((one) => one.retail === retail) ?? [];
    });
    return {
      localDate: date,
      available: fields.some(({ available }) => available),
      status: ['AVAILABLE', 'LIMITED', 'SOLD_OUT', 'CLOSED'].find((status) => statuses.includes(status)),
      vacancies: fields.reduce((sum, { vacancies }) => sum + vacancies, 0),
      capacity: fields.reduce((sum, { capacity }) => sum + capacity, 0),
      openingHours: openingHours(tour, ofDay[0]!),
      ...(capabilities.includes('octo/pricing') && { unitPricingFrom: lowest }),
    };
  });
}
