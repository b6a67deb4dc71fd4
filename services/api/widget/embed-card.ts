import type { PricedCatalogTour } from '../catalog/list-catalog';
import { toMajor } from '../money/currency';
import type { Tenant } from '../tenants/tenant';
import { regionName } from './place-name';
import { tourLink } from './widget-tour';

/** One tour as the page says it, in the visitor's number format. */
export interface Card {
  slug: string;
  name: string;
  summary: string | null;
  place: string;
  days: string;
  departure: { date: string; text: string } | null;
  price: string;
  /** Relative to the page for a picture of ours. Null: none, or none that may be shown. */
  picture: string | null;
  url: string | null;
}

export function tourCard({ tour, quote }: PricedCatalogTour, tenant: Tenant, locale: string): Card {
  const date = tour.nextDepartureDate;
  return {
    slug: tour.slug,
    name: tour.name,
    summary: tour.summary && shortened(tour.summary),
    place: regionName(tour.country, locale),
    days: new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(
      tour.durationDays,
    ),
    departure: date ? { date, text: dateText(date, locale) } : null,
    price: priceText(quote.tenant.adult, tour, locale),
    picture: pictureOf(tour.imageUrl),
    url: linkOf(tenant, tour.slug),
  };
}

/** A card shows two lines of it; a catalog may hold two thousand characters. */
const SUMMARY_CHARACTERS = 160;

function shortened(summary: string): string {
  const characters = [...summary];
  if (characters.length <= SUMMARY_CHARACTERS) return summary;
  return `${characters.slice(0, SUMMARY_CHARACTERS).join('').trimEnd()}…`;
}

function priceText(
  minor: number,
  tour: { currency: string; currencyDigits: number },
  locale: string,
): string {
  const { currency, currencyDigits: digits } = tour;
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    // Ours, since Intl counts decimals otherwise than ISO 4217 does (IDR: none, of two).
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: 'stripIfInteger',
  });
  const parts = format.formatToParts(toMajor(minor, digits));
  const leftwards = parts.some(({ value }) => value.includes(RIGHT_TO_LEFT_MARK));
  return parts
    .map(({ type, value }) => (leftwards && type === 'currency' ? isolated(value) : value))
    .join('');
}

const RIGHT_TO_LEFT_MARK = '\u200f';

/** Without it US$ turns into $US between Arabic words: the sign is neither of their direction nor of the letters'. */
function isolated(text: string): string {
  return /[A-Z]/i.test(text) ? `\u2066${text}\u2069` : text;
}

/** A day of the calendar, written out. Made and read in UTC, so that no zone moves it. */
function dateText(date: string, locale: string): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, day).format(new Date(`${date}T00:00:00Z`));
}

/** Relative to the page for a picture of ours; null for what may not be shown. */
export function pictureOf(url: string | null): string | null {
  if (!url) return null;
  if (/^\/(?!\/)/.test(url)) return `..${url}`;
  return /^(https:\/\/|data:image\/)/i.test(url) ? url : null;
}

/** Where the tenant's own site shows the tour, over https. */
export function linkOf(tenant: Pick<Tenant, 'linkTemplate'>, slug: string): string | null {
  const url = tourLink(tenant, slug);
  return url && /^https:\/\//i.test(url) ? url : null;
}
