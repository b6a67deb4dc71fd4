import type { CatalogDeparture, CatalogPrices, CatalogTour } from './catalog-tour';
import type { CancellationTerms, DemoTour } from './demo-tour';
import { demoTours } from './demo-tours/all';
import { addDays, markedDate, monthOf, previousDate, upcomingDates } from './departure-calendar';

/** Tours that show something special; the flagship is the first of the catalog and is the one in the examples. */
export const demoSlugs = {
  flagship: 'ha-long-bay-cruise',
  soldOut: 'kyoto-temples-and-gardens',
  cancelled: 'sao-miguel-azores',
  past: 'tokyo-after-dark',
} as const;

const CANCELLATION: Record<CancellationTerms, string> = {
  'day-tour': 'Free of charge until 24 hours before the start; after that the full price is due.',
  flexible:
    'Free of charge until 14 days before departure; half the price until 3 days before; the full price after that.',
  standard:
    'The deposit is refunded until 60 days before departure. From 59 to 30 days we keep the deposit, from 29 to 15 days half the price, and after that the full price.',
  permits:
    'Permits are bought in your name and are not refunded. Of the rest we keep the deposit until 45 days before departure, half until 21 days, and the full price after that.',
  voyage:
    'We keep the deposit until 90 days before departure, half the price until 45 days, and the full price after that. A cabin may be passed to another guest at any time.',
};

/** Minor units of a major one, for currencies that do not have a hundred. */
const MINOR_UNITS: Record<string, number> = { CLP: 1, ISK: 1, JPY: 1, KRW: 1, VND: 1, JOD: 1000 };

/** The demo catalog as a catalog file (CONTRACT section 8), its departures placed relative to `today` (YYYY-MM-DD). */
export function demoCatalog(today: string): CatalogTour[] {
  return demoTours.map((tour) => {
    const { description, itinerary, cancellation, schedule, rates, seats, cover, ...asInCatalog } = tour;
    const image = `/covers/${tour.slug}.svg`;
    return {
      ...asInCatalog,
      duration_days: itinerary.length,
      description: description.join('\n\n'),
      itinerary: itinerary.map(dayOfItinerary),
      image_url: image,
      images: [{ url: image, alt: cover.alt }],
      cancellation_policy: CANCELLATION[cancellation],
      departures: departures(tour, today),
    };
  });
}

/** The departure whose seats a seeding must book, all of them, so that the demo has a sold-out one. */
export function demoSoldOut(today: string): {
  tour_slug: string;
  departure_date: string;
  seats_total: number;
} {
  const tour = demoTours.find(({ slug }) => slug === demoSlugs.soldOut);
  if (!tour) throw new Error(`no demo tour ${demoSlugs.soldOut}`);
  return {
    tour_slug: tour.slug,
    departure_date: markedDate(tour.schedule, today),
    seats_total: tour.seats ?? tour.group_size_max,
  };
}

function dayOfItinerary(entry: string, index: number): { day: number; title: string; description: string } {
  const colon = entry.indexOf(': ');
  return { day: index + 1, title: entry.slice(0, colon), description: entry.slice(colon + 2) };
}

function departures(tour: DemoTour, today: string): CatalogDeparture[] {
  const { slug, schedule } = tour;
  const dates = upcomingDates(schedule, today);
  if (slug === demoSlugs.past) dates.unshift(previousDate(schedule, today));
  const cancelled = slug === demoSlugs.cancelled ? markedDate(schedule, today) : undefined;
  return dates.map((date) => ({
    departure_date: date,
    return_date: addDays(date, tour.itinerary.length - 1),
    status: date === cancelled ? 'cancelled' : 'scheduled',
    seats_total: tour.seats ?? tour.group_size_max,
    ...(schedule.closes && { closes_at: `${addDays(date, -schedule.closes)}T12:00:00Z` }),
    prices: pricesOn(tour, date),
  }));
}

function pricesOn(tour: DemoTour, date: string): CatalogPrices {
  const { child, single } = tour.rates;
  const season = seasonOf(tour, monthOf(date));
  const part = (share: number) => rounded(tour, tour.base_price * season * share);
  return {
    adult: season === 1 ? tour.base_price : part(1),
    ...(child && { child: part(child) }),
    ...(single && { single_supplement: part(single) }),
  };
}

function seasonOf({ rates }: DemoTour, month: number): number {
  const swing = rates.swing ?? 0;
  if (rates.high?.includes(month)) return 1 + swing;
  if (rates.low?.includes(month)) return 1 - (swing * 2) / 3;
  return 1;
}

/** To the one, two or five with zeros that is at most a hundredth of the base price: 1,290 goes by tens. */
function rounded({ base_price, currency }: DemoTour, amount: number): number {
  const units = MINOR_UNITS[currency] ?? 100;
  const most = (base_price * units) / 100;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = power * (most >= 5 * power ? 5 : most >= 2 * power ? 2 : 1);
  return (Math.round((amount * units) / step) * step) / units;
}
