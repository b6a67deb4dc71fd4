import { toMajor } from '../pricing/currency';

/** A locale of languages.ts. The brand separates it from the tags of visitors. */
export type Locale = string & { readonly __brand: 'Locale' };

/** The formats of one locale. */
export interface LocaleFormats {
  /** @param code ISO 3166 alpha-2 or UN M.49; an unknown code is shown unchanged */
  region(code: string): string;
  count(number: number): string;
  days(number: number): string;
  /** Formats a calendar day. @param date YYYY-MM-DD */
  date(date: string): string;
  price(minor: number, money: Money): string;
}

interface Money {
  currency: string;
  currencyDigits: number;
}

/** Caches the formats of each locale, because creating them took most of the page's CPU. */
const made = new Map<Locale, LocaleFormats>();

export function formatsOf(locale: Locale): LocaleFormats {
  let formats = made.get(locale);
  if (!formats) made.set(locale, (formats = makeFormats(locale)));
  return formats;
}

function makeFormats(locale: Locale): LocaleFormats {
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  const counts = new Intl.NumberFormat(locale);
  const days = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  // Uses UTC, so that no time zone moves the day.
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  const dates = new Intl.DateTimeFormat(locale, day);
  return {
    region: (code) => regions.of(code) ?? code,
    count: (number) => counts.format(number),
    days: (number) => days.format(number),
    date: (date) => dates.format(new Date(`${date}T00:00:00Z`)),
    price: priceFormat(locale),
  };
}

/** Caches one format for each currency: ISO 4217 has less than 200 (2.6 KB each, measured). */
function priceFormat(locale: Locale): LocaleFormats['price'] {
  const formats = new Map<string, Intl.NumberFormat>();
  return (minor, { currency, currencyDigits: digits }) => {
    const key = `${currency} ${digits}`;
    let format = formats.get(key);
    if (!format) formats.set(key, (format = currencyFormat(locale, currency, digits)));
    const parts = format.formatToParts(toMajor(minor, digits));
    const leftwards = parts.some(({ value }) => value.includes(RIGHT_TO_LEFT_MARK));
    return parts
      .map(({ type, value }) => (leftwards && type === 'currency' ? isolated(value) : value))
      .join('');
  };
}

function currencyFormat(locale: Locale, currency: string, digits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    // Sets the decimals, because Intl differs from ISO 4217 (IDR: none instead of two).
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: 'stripIfInteger',
  });
}

const RIGHT_TO_LEFT_MARK = '\u200f';

/** Isolates the text: otherwise US$ becomes $US between Arabic words, because $ has no direction. */
function isolated(text: string): string {
  return /[A-Z]/i.test(text) ? `\u2066${text}\u2069` : text;
}

/** The UN M.49 numbers of the continents, as Intl expects them. */
const REGION: Record<string, string> = {
  africa: '002',
  antarctica: 'AQ',
  asia: '142',
  europe: '150',
  'north-america': '003',
  oceania: '009',
  'south-america': '005',
};

/** Translates `south-america` to South America in the locale. Capitalises an unknown slug. */
export function continentName(slug: string, locale: Locale): string {
  const region = Object.hasOwn(REGION, slug) ? REGION[slug] : undefined;
  return region
    ? formatsOf(locale).region(region)
    : slug.replace(/(^|-)(.)/g, (_, dash: string, letter: string) => (dash && ' ') + letter.toUpperCase());
}
