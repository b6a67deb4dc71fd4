import type { ListedTour, Tour } from './tour';

/**
 * Chooses the language of each text of a tour. A visitor wishes languages in an order. A tour is shown in the first wished language that it
 * has. A text without a translation is shown in the base language of this language (`de` for `de-CH`), otherwise in the tour's own
 * language.
 */

/**
 * The wished languages that the catalog has, in the order of the wish. For each wished tag, the languages that fit it, the most exact first:
 * `[['de-CH', 'de'], ['fr']]`.
 */
export type WishedLanguages = string[][];

/** The languages of a tour, as the column `languages` of tour_names has them (0122_tour_translations.sql). */
export interface TourLanguages {
  /** The language of the tour's own texts. */
  own: string;
  /** The languages with a translated text. */
  translated: string[];
  /** The languages with a translated name. */
  named: string[];
}

/** @param text such as `en +de -fr`: the tour's language is en, it has a name in German, and other texts in French */
export function readTourLanguages(text: string): TourLanguages {
  const [own = '', ...others] = text.split(' ');
  const named = others.filter((other) => other.startsWith('+'));
  return {
    own,
    translated: others.map((other) => other.slice(1)),
    named: named.map((name) => name.slice(1)),
  };
}

/** Returns the tag and its base languages, in lower case: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647 section 3.4). */
export function baseLanguages(tag: string): string[] {
  const parts = tag.toLowerCase().split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/** Returns the languages of which a tour shows texts, the preferred first. Empty: the tour shows only its own language. */
function languagesToShow(
  wished: WishedLanguages,
  { own, translated }: Pick<TourLanguages, 'own' | 'translated'>,
): string[] {
  const has = (language: string) => language === own || translated.includes(language);
  const languages = wished.find((fitting) => fitting.some(has)) ?? [];
  const untilOwn = languages.includes(own) ? languages.slice(0, languages.indexOf(own)) : languages;
  return untilOwn.filter(has);
}

/** Returns the language in which a tour with these languages shows its name. */
export function languageOfName(wished: WishedLanguages, languages: TourLanguages): string {
  const { own, named } = languages;
  return languagesToShow(wished, languages).find((language) => named.includes(language)) ?? own;
}

/** The texts of a tour in one language, with the names of the catalog files. A missing text is not translated. */
export interface TranslatedTexts {
  name?: string;
  summary?: string;
  description?: string;
  itinerary?: Tour['itinerary'];
  inclusions?: string[];
  exclusions?: string[];
  cancellation_policy?: string;
  tags?: string[];
}

/** The translations of a tour by language tag. */
export type Translations = Record<string, TranslatedTexts>;

/** The languages in which a tour is shown. */
export interface ShownLanguages {
  name: string;
  summary: string;
}

/** Each text that a translation may have, with its field in a tour. */
const FIELDS = [
  ['name', 'name'],
  ['summary', 'summary'],
  ['description', 'description'],
  ['itinerary', 'itinerary'],
  ['inclusions', 'inclusions'],
  ['exclusions', 'exclusions'],
  ['cancellation_policy', 'cancellationPolicy'],
  ['tags', 'tags'],
] as const satisfies [keyof TranslatedTexts, keyof Tour][];

/** The texts that a translation may have. */
export const TRANSLATED_TEXTS = FIELDS.map(([text]) => text);
/** The texts of a translation that lists show. */
export const LISTED_TEXTS: (keyof TranslatedTexts)[] = ['name', 'summary', 'tags'];

/** Returns the tour with its texts in the wished languages, and the languages of its name and of its summary. */
export function translateTour<T extends ListedTour>(
  tour: T,
  translations: Translations,
  wished: WishedLanguages,
): { tour: T; shown: ShownLanguages } {
  const languages = languagesToShow(wished, { own: tour.language, translated: Object.keys(translations) });
  const languageOf = (text: keyof TranslatedTexts) =>
    languages.find((language) => translations[language]![text] !== undefined);
  const texts = FIELDS.flatMap(([text, field]) => {
    const language = languageOf(text);
    return language === undefined ? [] : [[field, translations[language]![text]] as const];
  });
  const shown = {
    name: languageOf('name') ?? tour.language,
    summary: languageOf('summary') ?? tour.language,
  };
  return { tour: { ...tour, ...(Object.fromEntries(texts) as Partial<T>) }, shown };
}

/**
 * Returns the texts that a tour has, and that a visitor who wishes the language would see in the tour's own language. Leaves out tags,
 * which also name filters.
 * @param tour the fields of the tour, with the names of the catalog files
 */
export function missingTexts(
  tour: { language: string; translations: Translations } & Record<string, unknown>,
  language: string,
): (keyof TranslatedTexts)[] {
  const { language: own, translations } = tour;
  const bases = baseLanguages(language);
  const byTag = new Map(Object.keys(translations).map((tag) => [tag.toLowerCase(), tag]));
  const fitting = bases.flatMap((base) => (base === own.toLowerCase() ? own : (byTag.get(base) ?? [])));
  if (fitting.includes(own)) return [];
  const isShownInOwn = (text: keyof TranslatedTexts) =>
    !fitting.some((tag) => translations[tag]![text] !== undefined);
  return TRANSLATED_TEXTS.filter((text) => text !== 'tags' && !isEmpty(tour[text]) && isShownInOwn(text));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
