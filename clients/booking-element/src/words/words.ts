import { en, type Words } from './en.ts';

export interface Language {
  words: Words;
  /** The formats of numbers and dates. */
  locale: string;
  direction: 'ltr' | 'rtl';
}

const LANGUAGES: Record<string, Language> = {
  en: { words: en, locale: 'en', direction: 'ltr' },
};

/**
 * Returns the words of a language tag and their formats: those of `de` for `de-AT-1996`, with the formats of Austria (RFC 4647 section 3.4).
 * An unknown and a malformed tag are English.
 */
export function languageOf(tag: string): Language {
  const locale = canonical(tag);
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

function canonical(tag: string): string {
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
