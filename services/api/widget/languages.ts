import { LANGUAGE_TAG_MAX } from '../../platform/forms/lengths';
import type { CutoffUnit } from '../catalog/cutoff';
import { baseLanguages } from '../catalog/tour-text';
import { toMajor } from '../pricing/currency';
import { ar } from './words/ar';
import { de } from './words/de';
import { en, type Words } from './words/en';
import { es } from './words/es';
import { fr } from './words/fr';
import { ja } from './words/ja';
import { pt } from './words/pt';
import { ptBR } from './words/pt-BR';
import { vi } from './words/vi';

/**
 * The words of each language, and the countries with their own formats for numbers and dates. `locale` is the format of the language without
 * a country, where Intl has another default.
 */
const LANGUAGES: Record<string, { words: Words; countries: string[]; locale?: string }> = {
  en: { words: en, countries: ['AU', 'CA', 'GB', 'IE', 'IN', 'NZ', 'ZA'] },
  de: { words: de, countries: ['AT', 'CH'] },
  fr: { words: fr, countries: ['BE', 'CA', 'CH'] },
  es: { words: es, countries: ['AR', 'CL', 'CO', 'MX', 'PE', 'US'] },
  pt: { words: pt, countries: ['PT'], locale: 'pt-PT' },
  'pt-BR': { words: ptBR, countries: [] },
  ar: { words: ar, countries: ['AE', 'EG', 'MA', 'SA'] },
  vi: { words: vi, countries: [] },
  ja: { words: ja, countries: [] },
};
/** Right-to-left languages. */
const FROM_THE_RIGHT = ['ar'];

export interface Language {
  /** The format of numbers, dates and place names. */
  locale: Locale;
  dir: 'ltr' | 'rtl';
  words: Words;
}

const OFFERED = new Map<string, Language>();
for (const [name, { words, countries, locale = name }] of Object.entries(LANGUAGES)) {
  const dir = FROM_THE_RIGHT.includes(name) ? 'rtl' : 'ltr';
  OFFERED.set(name.toLowerCase(), { locale: locale as Locale, dir, words });
  for (const tag of countries.map((country) => `${name}-${country}`)) {
    OFFERED.set(tag.toLowerCase(), { locale: tag as Locale, dir, words });
  }
}

/**
 * Returns the first supported language of these tags, otherwise English. A longer tag than LANGUAGE_TAG_MAX counts as unknown. Looks the
 * tags up in a table. Never passes them to Intl, where a valid tag of 13.6 KB takes seconds.
 */
export function chooseLanguage(tags: unknown[]): Language {
  for (const tag of tags) {
    const language = typeof tag === 'string' && tag.length <= LANGUAGE_TAG_MAX && lookUp(tag);
    if (language) return language;
  }
  return OFFERED.get('en')!;
}

/** Looks up `de-AT-1996`, then `de-AT`, then `de` (RFC 4647 section 3.4). */
function lookUp(tag: string): Language | undefined {
  const offered = baseLanguages(tag).find((base) => OFFERED.has(base));
  return offered === undefined ? undefined : OFFERED.get(offered);
}

/** The scripts that are written from right to left, as ISO 15924 names them. */
const SCRIPTS_FROM_THE_RIGHT = ['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa'];
const directions = new Map<string, 'ltr' | 'rtl'>();

/** Returns the direction of texts in a language of the catalog, by the usual script of the language. Keeps the result of each language. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const known = directions.get(language);
  if (known) return known;
  const { script = '' } = new Intl.Locale(language).maximize();
  const direction = SCRIPTS_FROM_THE_RIGHT.includes(script) ? 'rtl' : 'ltr';
  directions.set(language, direction);
  return direction;
}

/** A locale of languages.ts. The type brand separates it from the tags of visitors. */
export type Locale = string & { readonly __brand: 'Locale' };

/** The formats of one locale. */
interface LocaleFormats {
  /** @param code ISO 3166 alpha-2 or UN M.49; an unknown code is shown unchanged */
  region(code: string): string;
  count(number: number): string;
  /** Formats a length of time, such as `3 days`. */
  duration(amount: number, unit: CutoffUnit): string;
  /** Formats a calendar day. @param date YYYY-MM-DD */
  date(date: string): string;
  /** Formats a local time. @param time HH:MM */
  time(time: string): string;
  price(minor: number, money: Money): string;
}

interface Money {
  currency: string;
  currencyDigits: number;
}

/** Caches the formats of each locale, because their creation took most of the CPU time of a page. */
const made = new Map<Locale, LocaleFormats>();

export function formatsOf(locale: Locale): LocaleFormats {
  let formats = made.get(locale);
  if (!formats) made.set(locale, (formats = makeFormats(locale)));
  return formats;
}

function makeFormats(locale: Locale): LocaleFormats {
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  const counts = new Intl.NumberFormat(locale);
  const units = {
    minute: unitFormat(locale, 'minute'),
    hour: unitFormat(locale, 'hour'),
    day: unitFormat(locale, 'day'),
  };
  // Uses UTC, so that no time zone moves the day.
  const day = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  const dates = new Intl.DateTimeFormat(locale, day);
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });
  return {
    region: (code) => regions.of(code) ?? code,
    count: (number) => counts.format(number),
    // Keeps the number and its unit on one line.
    duration: (amount, unit) => units[unit].format(amount).replaceAll(' ', '\u00a0'),
    date: (date) => dates.format(new Date(`${date}T00:00:00Z`)),
    time: (time) => times.format(new Date(`1970-01-01T${time}:00Z`)),
    price: priceFormat(locale),
  };
}

function unitFormat(locale: Locale, unit: CutoffUnit): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' });
}

/** Caches one format for each currency. ISO 4217 has fewer than 200 currencies, and a format takes 2.6 KB (measured). */
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

/**
 * The UN M.49 numbers of the continents, as Intl expects them. Antarctica has its ISO 3166 code, because Intl has no name for its number.
 */
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
