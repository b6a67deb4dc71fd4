/** The kinds of an answer. */
export const QUESTION_TYPES = ['text', 'number', 'date', 'choice', 'yes_no', 'country'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

/** A question is asked once for the booking, or of each traveller. */
export const QUESTION_SUBJECTS = ['booking', 'traveller'] as const;
export type QuestionSubject = (typeof QUESTION_SUBJECTS)[number];

/** A required answer is due with the booking, or before the booking is confirmed. */
export const QUESTION_DEADLINES = ['booking', 'confirm'] as const;
export type QuestionDeadline = (typeof QUESTION_DEADLINES)[number];

/** The most questions of a tour, choices of a question, and characters of an answer. */
export const QUESTIONS_MAX = 20;
export const QUESTION_CHOICES_MAX = 100;
export const ANSWER_MAX = 1000;

/** A value that may be chosen. */
export interface QuestionChoice {
  /** @example "advanced" */
  code: string;
  /**
   * The text in the language of the answer.
   * @example "Advanced Open Water"
   */
  label: string;
}

/** A question that a tour asks of those who book it, with the names of files, answers and the database. */
export interface Question {
  /**
   * 1 to 64 of `a-z`, `A-Z`, `0-9`, `_` and `-`. Answers go by this code.
   * @example "certificate"
   */
  code: string;
  /**
   * The question in the language of the answer.
   * @example "Diving certificate"
   */
  label: string;
  /**
   * The form of the answer.
   * @example "choice"
   */
  type: QuestionType;
  /** The possible answers. Only for the type `choice`. */
  choices?: QuestionChoice[];
  /**
   * `traveller`: asked of each person of the party.
   * @example "traveller"
   */
  per: QuestionSubject;
  /**
   * Codes of the price categories whose people are asked. Absent: everybody is.
   * @example ["adult"]
   */
  categories?: string[];
  /**
   * False: the answer may be missing.
   * @example true
   */
  required: boolean;
  /**
   * When a required answer is due: with the booking, or before the booking is confirmed.
   * @example "confirm"
   */
  until: QuestionDeadline;
  /**
   * The shortest text, the lowest number, or the first date (YYYY-MM-DD). Absent: no limit.
   * @example 40
   */
  min?: number | string;
  /**
   * The longest text, the highest number, or the last date (YYYY-MM-DD). Absent: no limit; a text has at most 1,000 characters.
   * @example 120
   */
  max?: number | string;
}

/** The texts of questions in one language, by code. A missing text is not translated. */
export type QuestionTexts = Record<string, { label?: string; choices?: Record<string, string> }>;

/** The form of the code of a question, a choice or a pickup point, for a refusal. */
export const QUESTION_CODE_RULE = 'must be 1 to 64 of a-z, A-Z, 0-9, _ and -';

/** Returns whether a text has the form of the code of a question, a choice or a pickup point. */
export function isQuestionCode(text: string): boolean {
  return /^[a-zA-Z0-9][\w-]{0,63}$/.test(text);
}

/** An issue of a list of questions. `path`: its place in the list, such as `[1, 'max']`. */
export interface QuestionIssue {
  path: [number, keyof Question];
  message: string;
}

/**
 * Returns the first issue of each question, of questions that are valid one by one.
 * @rule which questions a tour may have: test/catalog/questions.long.test.ts
 */
export function questionIssues(questions: readonly Question[]): QuestionIssue[] {
  return questions.flatMap((question, index): QuestionIssue[] => {
    const isSecond = questions.slice(0, index).some(({ code }) => code === question.code);
    const issue = isSecond
      ? { field: 'code' as const, message: `must be unique: ${question.code} comes twice` }
      : issueOf(question);
    return issue ? [{ path: [index, issue.field], message: issue.message }] : [];
  });
}

interface FieldIssue {
  field: keyof Question;
  message: string;
}

function issueOf(question: Question): FieldIssue | undefined {
  return choicesIssue(question) ?? categoriesIssue(question) ?? limitsIssue(question);
}

function choicesIssue({ code, type, choices }: Question): FieldIssue | undefined {
  if (type !== 'choice')
    return choices && { field: 'choices', message: `of ${code} must be left out: its type is ${type}` };
  if (!choices?.length) return { field: 'choices', message: `of ${code} is required for the type choice` };
  const codes = choices.map((choice) => choice.code);
  const twice = codes.find((one, index) => codes.indexOf(one) < index);
  return twice === undefined
    ? undefined
    : { field: 'choices', message: `of ${code} must have unique codes: ${twice} comes twice` };
}

function categoriesIssue({ code, per, categories }: Question): FieldIssue | undefined {
  if (categories === undefined || per === 'traveller') return undefined;
  return { field: 'categories', message: `of ${code} must be left out: it is asked once for the booking` };
}

/** The rule of `min` and `max` of each type that has them. */
const LIMITS: Partial<Record<QuestionType, { accepts: (limit: unknown) => boolean; rule: string }>> = {
  text: {
    accepts: (limit) => Number.isInteger(limit) && (limit as number) >= 1 && (limit as number) <= ANSWER_MAX,
    rule: `must be a whole number of characters from 1 to ${ANSWER_MAX}`,
  },
  number: { accepts: Number.isFinite, rule: 'must be a number' },
  date: {
    accepts: (limit) => typeof limit === 'string',
    rule: 'must be a calendar date, YYYY-MM-DD',
  },
};

function limitsIssue({ code, type, min, max }: Question): FieldIssue | undefined {
  const limits = LIMITS[type];
  for (const [field, limit] of [['min', min] as const, ['max', max] as const]) {
    if (limit === undefined) continue;
    if (!limits) return { field, message: `of ${code} must be left out: its type is ${type}` };
    if (!limits.accepts(limit)) return { field, message: `of ${code} ${limits.rule}` };
  }
  if (min === undefined || max === undefined || min <= max) return undefined;
  return { field: 'max', message: `of ${code} must be at least its min, ${min}` };
}

/**
 * Returns the questions with their texts in another language. A text without a translation stays in the tour's own language.
 * @param texts the translations, the preferred language first
 */
export function translateQuestions(
  questions: readonly Question[],
  texts: readonly QuestionTexts[],
): Question[] {
  return questions.map((question) => {
    const ofQuestion = texts.flatMap((one) => ofCode(one, question.code) ?? []);
    const label = firstOf(ofQuestion.map((one) => one.label)) ?? question.label;
    const choices = question.choices?.map((choice) => ({
      code: choice.code,
      label: firstOf(ofQuestion.map((one) => ofCode(one.choices, choice.code))) ?? choice.label,
    }));
    return choices ? { ...question, label, choices } : { ...question, label };
  });
}

/** Returns the entry of a code. A code may be the name of what every object has, such as `constructor`. */
function ofCode<T>(entries: Record<string, T> | undefined, code: string): T | undefined {
  return entries && Object.hasOwn(entries, code) ? entries[code] : undefined;
}

function firstOf(texts: (string | undefined)[]): string | undefined {
  return texts.find((text) => text !== undefined);
}
