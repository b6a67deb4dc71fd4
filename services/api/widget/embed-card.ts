import type { PricedCatalogTour } from '../catalog/list-catalog';
import { toMajor } from '../money/currency';
import type { Tenant } from '../tenants/tenant';
import { regionName } from './place-name';
import { tourLink } from './widget-tour';

/** One tour as the page says it, in the visitor's number format. */
export interface Card {
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
    name: tour.name,
    summary: tour.summary,
    place: regionName(tour.country, locale),
    days: new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(
      tour.durationDays,
    ),
    departure: date ? { date, text: dateText(date, locale) } : null,
    price: priceText(quote.tenant.adult, tour, locale),
    picture: safePicture(tour.imageUrl),
    url: safeLink(tourLink(tenant, tour.slug)),
  };
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
  return format.format(toMajor(minor, digits));
}

/** A day of the calendar, written out. Made and read in UTC, so that no zone moves it. */
function dateText(date: string, locale: string): string {
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(locale, day).format(new Date(`${date}T00:00:00Z`));
}

function safePicture(url: string | null): string | null {
  if (!url) return null;
  if (/^\/(?!\/)/.test(url)) return `..${url}`;
  return /^(https:\/\/|data:image\/)/i.test(url) ? url : null;
}

function safeLink(url: string | null): string | null {
  return url && /^https:\/\//i.test(url) ? url : null;
}
