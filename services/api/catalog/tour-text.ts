import type { Category } from '../parties/category';
import { translatePoints } from '../pickups/pickup';
import { type Question, type QuestionTexts, translateQuestions } from '../questions/question';
import type { ListedTour, Tour } from './tour';
import { isLanguageTag } from '../../platform/forms/text-forms';

/**
 * Chooses the language of each text of a tour. A visitor prefers languages in an order. A tour is shown in the first preferred language that it
 * has. A text without a translation is shown in the base language of this language (`de` for `de-CH`), otherwise in the tour's own
 * language.
 */

/**
 * The preferred languages that the catalog has, in the order of the preference. For each preferred tag, the languages that fit it, the most exact first:
 * `[['de-CH', 'de'], ['fr']]`.
 */
export type PreferredLanguages = string[][];

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

/** Returns a language tag in its usual form (BCP 47): `de-CH` for `DE-ch`. Undefined: the text is no language tag. */
export function canonicalLanguage(tag: string): string | undefined {
  if (!isLanguageTag(tag)) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** Returns the tag and its base languages, in lower case: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647 section 3.4). */
export function baseLanguages(tag: string): string[] {
  const parts = tag.toLowerCase().split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

/**
 * Returns the languages of which a tour shows texts, the preferred first. Empty: the tour shows only its own language.
 * @rule in which language a text is shown: test/api/catalog-languages.long.test.ts
 */
function languagesToShow(
  preferred: PreferredLanguages,
  { own, translated }: Pick<TourLanguages, 'own' | 'translated'>,
): string[] {
  const has = (language: string) => language === own || translated.includes(language);
  const languages = preferred.find((fitting) => fitting.some(has)) ?? [];
  const untilOwn = languages.includes(own) ? languages.slice(0, languages.indexOf(own)) : languages;
  return untilOwn.filter(has);
}

/** Returns the language in which a tour with these languages shows its name. */
export function languageOfName(preferred: PreferredLanguages, languages: TourLanguages): string {
  const { own, named } = languages;
  return languagesToShow(preferred, languages).find((language) => named.includes(language)) ?? own;
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
  /** The names of price categories, by code. */
  categories?: Record<string, string>;
  /** The texts of questions, by code. */
  questions?: QuestionTexts;
}

/** The translations of a tour by language tag. */
export type Translations = Record<string, TranslatedTexts>;

/** The languages in which a tour is shown. */
export interface ShownLanguages {
  name: string;
  summary: string;
}

/** Each text that replaces a field of the tour, with this field. Names of categories and texts of questions replace only a part of one. */
const FIELDS = [
  ['name', 'name'],
  ['summary', 'summary'],
  ['description', 'description'],
  ['itinerary', 'itinerary'],
  ['inclusions', 'inclusions'],
  ['exclusions', 'exclusions'],
  ['cancellation_policy', 'cancellationPolicy'],
  ['tags', 'tags'],
] as const satisfies [Exclude<keyof TranslatedTexts, 'categories' | 'questions'>, keyof Tour][];

type WholeText = (typeof FIELDS)[number][0];
const WHOLE_TEXTS: WholeText[] = FIELDS.map(([text]) => text);
/** The texts of a translation that lists show. */
export const LISTED_TEXTS: (keyof TranslatedTexts)[] = ['name', 'summary', 'tags'];

/**
 * Returns the functions that choose the translation of a text, and that of the name of a category, and the translations of the questions.
 * Undefined: a text is shown in the tour's own language.
 */
function textChooser(own: string, translations: Translations, preferred: PreferredLanguages) {
  const languages = languagesToShow(preferred, { own, translated: Object.keys(translations) });
  const choose = (text: WholeText) => {
    const language = languages.find((one) => translations[one]![text] !== undefined);
    return language === undefined ? undefined : { language, value: translations[language]![text]! };
  };
  const nameOf = (code: string) =>
    languages
      .map((language) => translations[language]!.categories?.[code])
      .find((name) => name !== undefined);
  const ofQuestions = languages.map((language) => translations[language]!.questions ?? {});
  return { choose, nameOf, ofQuestions };
}

/** The questions of a tour, and their translations by language tag. */
export interface TranslatedQuestions {
  /** The language of the tour's own texts. */
  language: string;
  questions: readonly Question[];
  translations: Record<string, QuestionTexts>;
}

/**
 * Returns the questions of a tour as a visitor sees them who prefers one language.
 * @param tag a language tag. Null: the tour's own language
 */
export function questionsInLanguage(
  { language: own, questions, translations }: TranslatedQuestions,
  tag: string | null,
): readonly Question[] {
  if (tag === null) return questions;
  const languages = languagesForTag(tag, own, Object.keys(translations));
  return translateQuestions(
    questions,
    languages.map((one) => translations[one] ?? {}),
  );
}

/** Returns the languages in which texts are shown to a visitor who prefers one. @param own the language without a translation */
export function languagesForTag(tag: string, own: string, translated: string[]): string[] {
  return languagesToShow([fittingLanguages([...translated, own], tag)], { own, translated });
}

/** Returns those of the known languages that fit a tag, the most exact first. */
function fittingLanguages(known: string[], tag: string): string[] {
  const byTag = new Map(known.map((language) => [language.toLowerCase(), language]));
  return baseLanguages(tag).flatMap((base) => byTag.get(base) ?? []);
}

/**
 * Returns the categories with their translated names. @param nameOf undefined: the name has no translation
 * @rule the name of a category in a language: test/api/categories-answer.test.ts
 */
function translateCategories(
  categories: readonly Category[],
  nameOf: (code: string) => string | undefined,
): Category[] {
  return categories.map((category) => {
    const name = nameOf(category.code);
    return name === undefined ? category : { ...category, name };
  });
}

/** Returns the tour with its texts in the preferred languages, and the languages of its name and of its summary. */
export function translateTour<T extends ListedTour & Partial<Pick<Tour, 'questions' | 'pickup'>>>(
  tour: T,
  translations: Translations,
  preferred: PreferredLanguages,
): { tour: T; shown: ShownLanguages } {
  const { choose, nameOf, ofQuestions } = textChooser(tour.language, translations, preferred);
  const texts: Partial<Record<keyof Tour, unknown>> = {};
  for (const [text, field] of FIELDS) {
    const chosen = choose(text);
    if (chosen) texts[field] = chosen.value;
  }
  const shown = {
    name: choose('name')?.language ?? tour.language,
    summary: choose('summary')?.language ?? tour.language,
  };
  const categories = translateCategories(tour.categories, nameOf);
  const questions = tour.questions && translateQuestions(tour.questions, ofQuestions);
  const pickup = tour.pickup && {
    ...tour.pickup,
    points: translatePoints(tour.pickup.points, (translated) =>
      languagesToShow(preferred, { own: tour.language, translated }),
    ),
  };
  const asked = { ...(questions && { questions }), ...(pickup && { pickup }) };
  return { tour: { ...tour, ...texts, categories, ...asked }, shown };
}

/** A tour with the names of the fields of the catalog files. */
export interface TranslatedFields extends Record<string, unknown> {
  /** The language of the tour's own texts. */
  language: string;
  translations: Translations;
  /** Null: the default list, which has no names. */
  categories: Category[] | null;
  /** Null: nothing is asked. */
  questions: Question[] | null;
}

/**
 * Returns the texts of a tour as a visitor sees them who prefers one language.
 * @param tag a language tag
 */
export function translateFields(
  tour: TranslatedFields,
  tag: string,
): {
  /** The translated texts. All other texts stay the tour's own. `categories`, `questions`: all of them, if any text of them is translated. */
  texts: Omit<TranslatedTexts, 'categories' | 'questions'> & {
    categories?: Category[];
    questions?: Question[];
  };
  /** The language of the name. */
  language: string;
  /**
   * The texts that the tour has, and that are shown in its own language, although this is not the preferred one. Leaves out tags, which also
   * name filters.
   */
  missing: (keyof TranslatedTexts)[];
} {
  const { language: own, translations, categories, questions } = tour;
  const fitting = fittingLanguages([...Object.keys(translations), own], tag);
  const { choose, nameOf, ofQuestions } = textChooser(own, translations, [fitting]);
  const chosen = WHOLE_TEXTS.flatMap((text) => {
    const found = choose(text);
    return found ? [[text, found.value] as const] : [];
  });
  const named = categories?.some(({ code }) => nameOf(code) !== undefined);
  const isTranslated = ofQuestions.some((texts) => Object.keys(texts).length > 0);
  const texts = {
    ...Object.fromEntries(chosen),
    ...(named && { categories: translateCategories(categories!, nameOf) }),
    ...(questions && isTranslated && { questions: translateQuestions(questions, ofQuestions) }),
  };
  const isMissing = (text: WholeText) =>
    text !== 'tags' && !isEmpty(tour[text]) && choose(text) === undefined;
  const lacksName = categories?.some(({ code, name }) => name !== undefined && nameOf(code) === undefined);
  const lacksText = questions?.some(({ code }) => !ofQuestions.some((one) => one[code]?.label !== undefined));
  const missing = [
    ...WHOLE_TEXTS.filter(isMissing),
    ...(lacksName ? (['categories'] as const) : []),
    ...(lacksText ? (['questions'] as const) : []),
  ];
  return { texts, language: choose('name')?.language ?? own, missing: fitting.includes(own) ? [] : missing };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
