import { z } from 'zod';
import { MINUTES_BEFORE_MAX, PICKUP_POINTS_MAX } from '../pickups/pickup';
import { isQuestionCode, QUESTION_CODE_RULE, QUESTION_DEADLINES } from '../questions/question';
import { choiceField, expecting, integerField, listField, objectField, textField } from './field-checks';

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
