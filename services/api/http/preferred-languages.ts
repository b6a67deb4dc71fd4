import type { Request } from 'express';
import { readWeightedList } from '../../platform/http/fixed-body';
import { isLanguageTag } from '../../platform/forms/text-forms';
import type { AnswerContent } from './caching';

/** Returns the tags of an Accept-Language header (RFC 9110 section 12.5.4) by weight. */
export function acceptedTags(header: string | undefined): string[] {
  if (!header) return [];
  return readWeightedList(header)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ value }) => value);
}

/**
 * Returns the language tags that a request prefers, in lower case, the preferred first: `lang`, or without it Accept-Language. Undefined: the
 * request prefers no language. Unreadable tags of the header and `*` do not count.
 * @param lang the parameter, which the query's rules have checked
 */
export function preferredTags({ headers }: Request, lang?: string): string[] | undefined {
  if (lang !== undefined) return [lang.toLowerCase()];
  const tags = acceptedTags(headers['accept-language']).filter(isLanguageTag);
  return tags.length > 0 ? [...new Set(tags.map((tag) => tag.toLowerCase()))] : undefined;
}

/**
 * Adds the headers of an answer in preferred languages: Content-Language if all tours are shown in the same language, and Vary.
 * @param shown the languages of the tours; undefined: the request prefers no language, and the content stays as it is
 */
export function withLanguages(content: AnswerContent, shown: string[] | undefined): AnswerContent {
  if (!shown) return content;
  const language = commonLanguage(shown);
  const headers =
    language === undefined ? content.headers : ['Content-Language', language, ...content.headers];
  return { ...content, headers, vary: 'Accept-Language' };
}

/**
 * Returns the language of all tours of an answer.
 * @param shown the languages of the tours
 * @returns undefined if the tours have several languages, or if there is no tour
 */
export function commonLanguage(shown: string[]): string | undefined {
  const [language, ...others] = new Set(shown);
  return others.length === 0 ? language : undefined;
}
