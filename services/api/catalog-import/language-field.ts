import { canonicalLanguage } from '../catalog/tour-text';
import { textField } from './field-checks';

/** The most languages into which a tour or a pickup point is translated. */
export const LANGUAGES_MAX = 30;
export const TOO_MANY_LANGUAGES = `must have at most ${LANGUAGES_MAX} languages`;

/** Reads a language tag. Returns it in the form that the catalog stores: `de-CH` for `DE-ch`. */
export const LANGUAGE = textField(
  (value) => canonicalLanguage(value) !== undefined,
  'must be a language tag such as de or pt-BR',
).transform((value) => canonicalLanguage(value)!);
