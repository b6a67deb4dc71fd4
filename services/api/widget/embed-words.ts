import { ar } from './words/ar';
import { de } from './words/de';
import { en } from './words/en';
import { es } from './words/es';
import { fr } from './words/fr';
import { ja } from './words/ja';
import { pt } from './words/pt';
import { vi } from './words/vi';
import type { Words } from './words/words';

const LANGUAGES: Record<string, Words> = { en, de, fr, es, pt, ar, vi, ja };
/** Of the languages above. */
const FROM_THE_RIGHT = ['ar'];

export interface Language {
  /** BCP 47: numbers, dates and names of places are written its way. */
  locale: string;
  dir: 'ltr' | 'rtl';
  words: Words;
}

/** The first of these tags whose words we have, else English. Tags come from strangers: anything may be among them. */
export function chooseLanguage(tags: unknown[]): Language {
  for (const tag of tags) {
    const locale = canonicalTag(tag);
    const primary = locale?.split('-')[0];
    if (primary && Object.hasOwn(LANGUAGES, primary)) {
      const dir = FROM_THE_RIGHT.includes(primary) ? 'rtl' : 'ltr';
      return { locale: locale, dir, words: LANGUAGES[primary]! };
    }
  }
  return { locale: 'en', dir: 'ltr', words: en };
}

function canonicalTag(tag: unknown): string | undefined {
  try {
    return typeof tag === 'string' ? Intl.getCanonicalLocales(tag)[0] : undefined;
  } catch {
    return undefined;
  }
}
