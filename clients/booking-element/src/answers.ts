import { COUNTRIES } from './countries.ts';
import type { AnswerValue, Question, Tour } from './wire.ts';

/** The questions and the pickup of a tour. */
export type Asks = Pick<Tour, 'questions' | 'pickup'>;

/** The texts of answers as the form has them, by the code of the question. Empty: not answered. */
export type Answers = Readonly<Record<string, string>>;

/** The text of each answer to yes or no. */
export const YES = 'true';
export const NO = 'false';

/** The most characters of a text. */
export const TEXT_MAX = 1000;

/** Returns the questions that are asked of a traveller of a category. @param category undefined: those that are asked once for the booking */
export function questionsFor(questions: readonly Question[], category?: string): Question[] {
  return questions.filter(({ per, categories }) =>
    category === undefined
      ? per === 'booking'
      : per === 'traveller' && (categories === undefined || categories.includes(category)),
  );
}

/** Returns whether the booking is refused without an answer. */
export function isDue({ required, until }: Pick<Question, 'required' | 'until'>): boolean {
  return required && until === 'booking';
}

/** Returns the text of an answer. A code may be the name of a method of each object. */
export function textOfAnswer(answers: Answers, { code }: Question): string {
  return Object.hasOwn(answers, code) ? answers[code]! : '';
}

/** Returns whether a due answer is missing, or a text is no answer. */
export function isWrongAnswer(question: Question, text: string): boolean {
  return text.trim() ? answerOf(question, text) === undefined : isDue(question);
}

/**
 * Returns the value that a text of the form means.
 * @returns undefined: the platform would refuse it
 * @rule which answers the element accepts: test/unit/element-answers.test.ts
 */
export function answerOf(question: Question, text: string): AnswerValue | undefined {
  const value = valueOf(question, text.trim());
  const { type, min, max = type === 'text' ? TEXT_MAX : undefined } = question;
  const size = type === 'text' ? [...String(value)].length : value;
  // A missing limit compares as false.
  return size! < min! || size! > max! ? undefined : value;
}

function valueOf({ type, choices = [] }: Question, text: string): AnswerValue | undefined {
  switch (type) {
    case 'number':
      return numberOf(text);
    case 'yes_no':
      return text === YES;
    case 'choice':
      return choices.find(({ code }) => code === text)?.code;
    case 'country':
      return COUNTRIES.find((code) => code === text);
    case 'date':
      // A year of five digits is none of the platform.
      return text.length === 10 ? text : undefined;
    default:
      return text;
  }
}

const NOT_LATIN_DIGIT = /[٠-٩۰-۹０-９]/g;
/** A sign before three digits may separate thousands, so such a text is no number. */
const NUMBER = /^-?(?![1-9]\d{0,2}\.\d{3}$)\d+(?:\.\d+)?$/;

/** Reads a number as people type it: with a comma, and in Arabic, Persian or full-width digits. */
function numberOf(text: string): number | undefined {
  const latin = text
    // The last four bits of such a digit are its value.
    .replace(NOT_LATIN_DIGIT, (digit) => String(digit.charCodeAt(0) % 16))
    .replace(/[,٫]/, '.');
  return NUMBER.test(latin) ? Number(latin) : undefined;
}

/** Returns the values of answers for the platform. Null: not answered. Undefined: nothing is asked. */
export function valuesOf(
  questions: readonly Question[],
  answers: Answers,
): Record<string, AnswerValue | null> | undefined {
  if (questions.length === 0) return undefined;
  return Object.fromEntries(
    questions.map((question) => {
      const text = textOfAnswer(answers, question);
      return [question.code, text.trim() ? answerOf(question, text)! : null];
    }),
  );
}
