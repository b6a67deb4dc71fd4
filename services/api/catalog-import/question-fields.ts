import { z } from 'zod';
import { calendarDateForm } from '../../platform/forms/days';
import { NAME_MAX } from '../../platform/forms/lengths';
import { isCategoryCode } from '../../platform/forms/text-forms';
import { CATEGORIES_MAX } from '../parties/category';
import {
  QUESTION_CHOICES_MAX,
  isQuestionCode,
  type Question,
  QUESTION_DEADLINES,
  QUESTION_SUBJECTS,
  QUESTION_TYPES,
  questionIssues,
  QUESTIONS_MAX,
  type QuestionTexts,
  QUESTION_CODE_RULE,
} from '../questions/question';
import {
  choiceField,
  expecting,
  formField,
  lineField,
  listField,
  objectField,
  numberField,
  textField,
} from './field-checks';

// Checks what a tour asks. issues.repository.ts checks the categories that a question names.

const code = textField(isQuestionCode, QUESTION_CODE_RULE);
const LABEL = lineField(NAME_MAX);
const yesNo = z.boolean(expecting('must be true or false'));
const limit = z.union(
  [numberField('must be a number'), formField(calendarDateForm)],
  expecting('must be a number or a calendar date'),
);

const QUESTION = objectField({
  code,
  label: LABEL,
  type: choiceField(...QUESTION_TYPES),
  choices: listField(objectField({ code, label: LABEL }), QUESTION_CHOICES_MAX).nullish(),
  per: choiceField(...QUESTION_SUBJECTS),
  categories: listField(
    textField(isCategoryCode, 'must be the code of a category'),
    CATEGORIES_MAX,
  ).nullish(),
  required: yesNo.nullish(),
  until: choiceField(...QUESTION_DEADLINES).nullish(),
  min: limit.nullish(),
  max: limit.nullish(),
});

/** The questions of a tour. Each message names the question. Fills in `required` and `until`. An empty list: nothing is asked. */
export const QUESTIONS = listField(z.unknown(), QUESTIONS_MAX).transform(
  (given, context): Question[] | null => {
    const questions = given.map((item, index) => readQuestion(item, index, context));
    const valid = questions.filter((question) => question !== undefined);
    if (valid.length < questions.length) return z.NEVER;
    for (const { path, message } of questionIssues(valid))
      context.addIssue({ code: 'custom', path, message });
    return valid.length === 0 ? null : valid;
  },
);

/** Returns the question with its defaults. Adds the issues of an invalid one, and returns undefined. */
function readQuestion(item: unknown, index: number, context: z.RefinementCtx): Question | undefined {
  const { data, error } = QUESTION.safeParse(item);
  if (data) return withDefaults(data);
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [[]];
    for (const key of keys)
      context.addIssue({ code: 'custom', path: [index, ...issue.path, ...key], message: issue.message });
  }
  return undefined;
}

/** Builds a question with the fields that it has. Its answer is optional, unless the file says otherwise. */
function withDefaults({ required, until, categories, ...given }: z.infer<typeof QUESTION>): Question {
  const filled = {
    ...given,
    categories: categories?.length ? categories : null,
    required: required ?? false,
    until: until ?? 'confirm',
  };
  return Object.fromEntries(
    Object.entries(filled).filter(([, value]) => value !== null && value !== undefined),
  ) as never;
}

const TEXTS = objectField({
  label: LABEL.optional(),
  choices: z.record(code, LABEL, expecting('must be an object of texts by choice')).optional(),
});

/** The texts of questions in one language, by code. */
export const QUESTION_TEXTS = z
  .record(
    z.string(),
    z.unknown(),
    expecting('must be an object of texts by question, such as {"weight": {"label": "…"}}'),
  )
  .transform((given, context) => {
    const texts = Object.entries(given).map(([key, value]) => {
      const { data, error } = TEXTS.safeParse(value);
      const issues = isQuestionCode(key)
        ? (error?.issues ?? [])
        : [{ path: [], message: `names no question: a code ${QUESTION_CODE_RULE}` }];
      for (const { path, message } of issues)
        context.addIssue({ code: 'custom', path: [key, ...path], message });
      return [key, data];
    });
    return Object.fromEntries(texts) as QuestionTexts;
  });
