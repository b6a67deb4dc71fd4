import type { Locale } from './locale-formats';
import { ar } from './words/ar';
import { de } from './words/de';
import { en } from './words/en';
import { es } from './words/es';
import { fr } from './words/fr';
import { ja } from './words/ja';
import { pt } from './words/pt';
import { vi } from './words/vi';
import type { Words } from './words/words';

/** The words of each language, and the countries with their own formats for numbers and dates. */
const LANGUAGES: Record<string, { words: Words; countries: string[] }> = {
  en: { words: en, countries: ['AU', 'CA', 'GB', 'IE', 'IN', 'NZ', 'ZA'] },
  de: { words: de, countries: ['AT', 'CH'] },
  fr: { words: fr, countries: ['BE', 'CA', 'CH'] },
  es: { words: es, countries: ['AR', 'CL', 'CO', 'MX', 'PE', 'US'] },
  pt: { words: pt, countries: ['BR', 'PT'] },
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
for (const [name, { words, countries }] of Object.entries(LANGUAGES)) {
  const dir = FROM_THE_RIGHT.includes(name) ? 'rtl' : 'ltr';
  for (const tag of [name, ...countries.map((country) => `${name}-${country}`)]) {
    OFFERED.set(tag.toLowerCase(), { locale: tag as Locale, dir, words });
  }
}

/** Limit of the `lang` parameter. A longer tag counts as unknown. */
const LONGEST_TAG = 35;

/**
 * Returns the first supported language of these tags, else English. Looks the tags up and never passes them to Intl, where
 * a valid tag of 13.6 KB takes seconds.
 */
export function chooseLanguage(tags: unknown[]): Language {
  for (const tag of tags) {
    const language = typeof tag === 'string' && tag.length <= LONGEST_TAG && lookUp(tag);
    if (language) return language;
  }
  return OFFERED.get('en')!;
}

/** Looks up `de-AT-1996`, then `de-AT`, then `de` (RFC 4647 section 3.4). */
function lookUp(tag: string): Language | undefined {
  const parts = tag.toLowerCase().split('-');
  for (; parts.length > 0; parts.pop()) {
    const language = OFFERED.get(parts.join('-'));
    if (language) return language;
  }
  return undefined;
}

/** Limits for Accept-Language. Browsers send less than 100 characters and a dozen languages. */
const MOST_CHARACTERS = 500;
const MOST_TAGS = 20;

/** Returns the tags of an Accept-Language header (RFC 9110 section 12.5.4) by weight. */
export function acceptedTags(header: string | undefined): string[] {
  if (!header) return [];
  return header
    .slice(0, MOST_CHARACTERS)
    .split(',', MOST_TAGS)
    .map(readEntry)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/** Reads `de-AT;q=0.8`. An invalid weight counts as 0. */
function readEntry(entry: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? '1';
  return { tag, weight: Number(weight) || 0 };
}
