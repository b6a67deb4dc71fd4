import { en, type Words } from './en.ts';
// Similar languages stand together: gzip makes the module 400 bytes smaller so.
import { pt } from './pt.ts';
import { ptBR } from './pt-BR.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { de } from './de.ts';
import { ar } from './ar.ts';
import { vi } from './vi.ts';
import { ja } from './ja.ts';

export interface Language {
  words: Words;
  /** The formats of numbers and dates. */
  locale: string;
  direction: 'ltr' | 'rtl';
}

/** The words by their tags in lower case. */
const WORDS: Record<string, Words> = { ar, de, en, es, fr, ja, pt, 'pt-br': ptBR, vi };

/**
 * Returns the words of a language tag and their formats: those of `de` for `de-AT-1996`, with the formats of Austria (RFC 4647 section 3.4).
 * An unknown and a malformed tag are English. `pt` without a country has the formats of Portugal; Intl would take those of Brazil.
 */
export function languageOf(tag: string): Language {
  const locale = languageTag(tag);
  const parts = locale.toLowerCase().split('-');
  for (; parts.length > 0; parts.pop()) {
    const base = parts.join('-');
    const words = WORDS[base];
    if (words)
      return {
        words,
        locale: locale === 'pt' ? 'pt-PT' : locale,
        direction: base === 'ar' ? 'rtl' : 'ltr',
      };
  }
  return languageOf('en');
}

/** Returns the tag as the platform reads it, for `de_DE` of many programs too; for a malformed or an empty one `en`. */
export function languageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag.trim().replaceAll('_', '-'))[0]!;
  } catch {
    return 'en';
  }
}

/** Fills the places of a text: `{number}` becomes the value `number`. */
export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/{(\w+)}/g, (place, name: string) => values[name] ?? place);
}
