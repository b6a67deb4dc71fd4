import type { Category } from '../parties/category';
import type { Party } from '../parties/party-rules';
import { type BookedPickup, lacksPickup } from '../pickups/pickup';
import type { Question } from './question';

/** The value of an answer: a text, a number, a date (YYYY-MM-DD), the code of a choice or a country, or yes or no. */
export type AnswerValue = string | number | boolean;

/** One answer as it is stored. A question of the booking has neither `category` nor `person`. */
export interface KeptAnswer {
  code: string;
  value: AnswerValue;
  /** The category of the person. */
  category?: string;
  /** The number of the person among those of the category, from 0. */
  person?: number;
}

/** The questions that a booking has locked, in the language in which they were asked, and its answers. */
export interface BookingAnswers {
  questions: readonly Question[];
  answers: readonly KeptAnswer[];
  /** Null: the tour fetched nobody. */
  pickup: BookedPickup | null;
  /** The time zone of the tour now. IANA name. */
  timeZone: string;
}

/** The party of a booking, and the categories by which it is read. */
export interface AskedParty {
  party: Party;
  categories: readonly Category[];
}

/** One person of a party. */
export interface Person {
  category: string;
  /** The number among those of the category, from 0. */
  person: number;
  /** The number among all of the party, from 0. */
  traveller: number;
}

/** Returns the people of a party, named or not: by category, in the order of the party. */
export function peopleToAsk({ party, categories }: AskedParty): Person[] {
  const people: Person[] = [];
  for (const [code, units] of Object.entries(party)) {
    const each = categories.find((one) => one.code === code)?.people ?? 0;
    for (let person = 0; person < units * each; person++)
      people.push({ category: code, person, traveller: people.length });
  }
  return people;
}

/** Returns whether the question is asked of people of a category. */
export function isAskedOf({ per, categories }: Question, category: string): boolean {
  return per === 'traveller' && (categories === undefined || categories.includes(category));
}

/** A question, and whom it is asked. Null: the booking. */
interface Asked {
  question: Question;
  person: Person | null;
}

/** Returns each question of a booking, once for the booking or once for each person whom it is asked. */
function askedOf(questions: readonly Question[], party: AskedParty): Asked[] {
  const people = peopleToAsk(party);
  return questions.flatMap((question): Asked[] => {
    if (question.per === 'booking') return [{ question, person: null }];
    return people
      .filter(({ category }) => isAskedOf(question, category))
      .map((person) => ({ question, person }));
  });
}

/** Returns the name of an answer in a map: its code and its person. */
export function answerKey(code: string, person: Pick<KeptAnswer, 'category' | 'person'> | null): string {
  return JSON.stringify([code, person?.category, person?.person]);
}

function valuesOf(answers: readonly KeptAnswer[]): Map<string, AnswerValue> {
  return new Map(answers.map((answer) => [answerKey(answer.code, answer), answer.value]));
}

/** A required answer that is missing. */
export interface MissingAnswer {
  /** @example "weight" */
  code: string;
  /**
   * The number of the person in the party, from 0. Null: the question is asked once for the booking.
   * @isInt
   * @example 0
   */
  traveller: number | null;
}

/**
 * Returns the required answers that a booking lacks. @param asked null: the booking was asked nothing
 * @rule which required answers a booking lacks: test/api/questions.test.ts
 */
export function missingAnswers(asked: BookingAnswers | null, party: AskedParty): MissingAnswer[] {
  if (asked === null) return [];
  const values = valuesOf(asked.answers);
  const pickup = lacksPickup(asked.pickup) ? [{ code: PICKUP_CODE, traveller: null }] : [];
  const answers = askedOf(asked.questions, party)
    .filter(({ question, person }) => question.required && !values.has(answerKey(question.code, person)))
    .map(({ question, person }) => ({ code: question.code, traveller: person && person.traveller }));
  return [...answers, ...pickup];
}

/** The code by which a missing pickup is listed among the answers. No question of a tour with a pickup may have it (issues.repository.ts). */
export const PICKUP_CODE = 'pickup';

/** Returns the answers without those of people who are not in the party. */
export function answersOfParty(answers: readonly KeptAnswer[], party: AskedParty): readonly KeptAnswer[] {
  const people = new Set(peopleToAsk(party).map((person) => answerKey('', person)));
  const staying = answers.filter(
    (answer) => answer.category === undefined || people.has(answerKey('', answer)),
  );
  return staying.length === answers.length ? answers : staying;
}

/** One question of a booking with its answer. */
export interface QuestionAnswer {
  /** @example "certificate" */
  code: string;
  /**
   * The question in the language in which it was asked.
   * @example "Diving certificate"
   */
  label: string;
  /**
   * A text, a number, a date (YYYY-MM-DD), the code of a choice, an ISO 3166 country, or yes or no. Null: not answered.
   * @example "advanced"
   */
  value: AnswerValue | null;
  /**
   * The text of the choice. Absent: the question has no choices, or is not answered.
   * @example "Advanced Open Water"
   */
  value_label?: string;
  /**
   * The number of the person in the party, from 0: by category, in the order of `party`. Null: the question is asked once for the booking.
   * @isInt
   * @example 0
   */
  traveller: number | null;
}

/** Returns every question of a booking with its answer, in the order of the questions. @param asked null: the booking was asked nothing */
export function answersOfBooking(asked: BookingAnswers | null, party: AskedParty): QuestionAnswer[] {
  if (asked === null) return [];
  const values = valuesOf(asked.answers);
  return askedOf(asked.questions, party).map(({ question, person }) => {
    const value = values.get(answerKey(question.code, person)) ?? null;
    const chosen = question.choices?.find(({ code }) => code === value);
    return {
      code: question.code,
      label: question.label,
      value,
      ...(chosen && { value_label: chosen.label }),
      traveller: person && person.traveller,
    };
  });
}
