import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';
import { ptBR } from './pt-BR.ts';
import { vi } from './vi.ts';

export interface Language {
  words: Words;
  /** The formats of numbers and dates. */
  locale: string;
  direction: 'ltr' | 'rtl';
}

/** The languages by their tags in lower case. `pt` without a country has the formats of Portugal; Intl would take those of Brazil. */
const LANGUAGES: Record<string, Language> = {
  ar: { words: ar, locale: 'ar', direction: 'rtl' },
  de: { words: de, locale: 'de', direction: 'ltr' },
  en: { words: en, locale: 'en', direction: 'ltr' },
  es: { words: es, locale: 'es', direction: 'ltr' },
  fr: { words: fr, locale: 'fr', direction: 'ltr' },
  ja: { words: ja, locale: 'ja', direction: 'ltr' },
  pt: { words: pt, locale: 'pt-PT', direction: 'ltr' },
  'pt-br': { words: ptBR, locale: 'pt-BR', direction: 'ltr' },
  vi: { words: vi, locale: 'vi', direction: 'ltr' },
};

/**
 * Returns the words of a language tag and their formats: those of `de` for `de-AT-1996`, with the formats of Austria (RFC 4647 section 3.4).
 * An unknown and a malformed tag are English.
 */
export function languageOf(tag: string): Language {
  const locale = languageTag(tag);
  const parts = locale.toLowerCase().split('-');
  for (let length = parts.length; length > 0; length -= 1) {
    const base = parts.slice(0, length).join('-');
    const language = LANGUAGES[base];
    if (language) return base === locale.toLowerCase() ? language : { ...language, locale };
  }
  return LANGUAGES['en']!;
}

/** Returns the words of a language tag. */
export function wordsOf(tag: string): Words {
  return languageOf(tag).words;
}

/** Returns the tag as the platform reads it; for a malformed or an empty one `en`. */
export function languageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0]!;
  } catch {
    return 'en';
  }
}

/** Fills the places of a text: `{number}` becomes the value `number`. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/{(\w+)}/g, (place, name: string) => values[name] ?? place);
}
