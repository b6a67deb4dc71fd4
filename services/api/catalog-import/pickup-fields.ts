import { z } from 'zod';
import { NAME_MAX, NOTES_MAX } from '../../platform/forms/lengths';
import { POINT_ADDRESS_MAX } from '../pickups/pickup-point';
import { LANGUAGE, LANGUAGES_MAX, TOO_MANY_LANGUAGES } from './language-field';
import { MINUTES_BEFORE_MAX, PICKUP_POINTS_MAX } from '../pickups/pickup';
import { isQuestionCode, QUESTION_CODE_RULE, QUESTION_DEADLINES } from '../questions/question';
import {
  choiceField,
  decimalField,
  expecting,
  integerField,
  lineField,
  listField,
  objectField,
  paragraphsField,
  textField,
} from './field-checks';

const yesNo = z.boolean(expecting('must be true or false'));
const POINT = objectField({
  point: textField(isQuestionCode, QUESTION_CODE_RULE),
  minutes_before: integerField(0, MINUTES_BEFORE_MAX),
});

/** Where a tour fetches its guests. issues.repository.ts checks that the points exist. */
export const PICKUP = objectField({
  required: yesNo.nullish(),
  until: choiceField(...QUESTION_DEADLINES).nullish(),
  elsewhere: yesNo.nullish(),
  points: listField(POINT, PICKUP_POINTS_MAX).superRefine((points, context) => {
    const codes = points.map(({ point }) => point);
    for (const [index, code] of codes.entries())
      if (codes.indexOf(code) < index)
        context.addIssue({ code: 'custom', path: [index, 'point'], message: `comes twice: ${code}` });
  }),
}).transform(({ required, until, elsewhere, points }) => ({
  required: required ?? false,
  until: until ?? 'confirm',
  elsewhere: elsewhere ?? false,
  points,
}));

export const GOOGLE_PLACE_ID = lineField(300).refine(
  (id) => /^[\w-]+$/.test(id),
  'must be the ID of a place of Google Maps: letters, digits, _ and -',
);

const ADDRESS = lineField(POINT_ADDRESS_MAX);
const DIRECTIONS = paragraphsField(NOTES_MAX);

/** The words of a point in one language. */
const WORDS = objectField({
  name: lineField(NAME_MAX).nullish(),
  address: ADDRESS.nullish(),
  directions: DIRECTIONS.nullish(),
}).transform((words) => Object.fromEntries(Object.entries(words).filter(([, text]) => text != null)));

/**
 * A pickup point of a file. An omitted field keeps the stored value; null clears one that may be empty, or the words of a language.
 * issues.repository.ts checks that a new point has a name, and checkPickupPoint that `lat` and `lng` go together.
 */
export const PICKUP_POINT = objectField({
  code: textField(isQuestionCode, QUESTION_CODE_RULE),
  name: lineField(NAME_MAX).optional(),
  address: ADDRESS.nullish(),
  lat: decimalField(-90, 90).nullish(),
  lng: decimalField(-180, 180).nullish(),
  directions: DIRECTIONS.nullish(),
  google_place_id: GOOGLE_PLACE_ID.nullish(),
  translations: z
    .record(LANGUAGE, WORDS.nullable(), expecting('must be an object of languages'))
    .refine((texts) => Object.keys(texts).length <= LANGUAGES_MAX, TOO_MANY_LANGUAGES)
    .nullish(),
});
