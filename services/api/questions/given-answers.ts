import { type InputIssue, InvalidInputError } from '../../platform/errors';
import { isCalendarDate } from '../../platform/forms/days';
import { readEach } from '../../platform/forms/form';
import { isCountry } from '../tenants/country';
import {
  answerKey,
  answersOfParty,
  type AnswerValue,
  type AskedParty,
  isAskedOf,
  peopleToAsk,
  type Person,
  type KeptAnswer,
} from './answers';
import type { GivenPickup } from '../pickups/pickup';
import { ANSWER_MAX, type Question } from './question';

/** The values that a request gives, by the code of the question. Null clears an answer. */
export type AnswerValues = Record<string, AnswerValue | null>;

/** The answers that a request gives. */
export interface GivenAnswers {
  /** The language in which the questions were asked, a tag. Undefined: the tour's own. */
  lang?: string;
  /** The answers of the booking. Undefined: the request names none. */
  ofBooking?: AnswerValues;
  /** The answers of each traveller of the request, in their order. Undefined: the request names no travellers. Null: it clears them. */
  ofTravellers?: TravellerAnswers[] | null;
  /** Undefined: the request names no pickup. Null: it clears the pickup. */
  pickup?: GivenPickup;
  /** The time of the pickup, by the operator alone: RFC 3339, UTC. Null: it follows the start again. */
  pickupTime?: string | null;
  /** Answers of people who need no name, at the desk: they replace the stored ones one by one. */
  ofPeople?: PersonAnswers[];
}

/** Answers of one person of the party. */
export interface PersonAnswers {
  /** The number of the person in the party, from 0. */
  traveller: number;
  values: AnswerValues;
}

/** A traveller of a request with its answers. */
export interface TravellerAnswers {
  category: string;
  values: AnswerValues | undefined;
}

/** The most bytes of the answers of one booking, as JSON. */
const BYTES_MAX = 32 * 1024;
/** The most issues that a refusal lists. */
const ISSUES_MAX = 100;

/** The answers of a request are not those that the booking is asked. */
class InvalidAnswersError extends InvalidInputError {
  override readonly errors: InputIssue[];

  constructor(issues: AnswerIssue[]) {
    const [first] = issues as [AnswerIssue];
    super('body', first.field, first.message);
    this.errors = issues.slice(0, ISSUES_MAX).map((issue) => ({ in: 'body', ...issue }));
  }
}

export interface AnswerIssue {
  field: string;
  message: string;
}

const REQUIRED = 'is required for this tour';

/**
 * Runs the checks of the answers and of the pickup of a request, and reports the issues of both in one error.
 * @throws InvalidAnswersError (400)
 */
export function checkTogether<T extends object>(checks: { [K in keyof T]: () => T[K] }): T {
  const { parts, issues } = readEach(checks);
  if (issues.length > 0) throw new InvalidAnswersError(issues);
  return parts;
}

/**
 * Returns the answers of a new booking.
 * @param isBound false: a missing answer never refuses the booking
 * @throws InvalidAnswersError for an unknown code, a wrong value, and a missing answer that is due with the booking (400)
 * @rule which answers a booking must have, and what they may be: test/api/questions.test.ts
 */
export function answersOfNew(
  questions: readonly Question[],
  given: GivenAnswers,
  party: AskedParty,
  isBound: boolean,
): KeptAnswer[] {
  const issues: AnswerIssue[] = [];
  const answers = readAnswers(questions, given, party, issues);
  if (isBound) issues.push(...missingIssues(questions, answers, given, party));
  assertAnswers(answers, issues, given);
  return answers;
}

/**
 * Returns the answers of a booking after a change: those that the request names replace the stored ones, and a list of travellers replaces
 * the answers of all of them. People who leave the party take their answers with them. Only what the request names is judged.
 * @throws InvalidAnswersError (400)
 */
export function answersAfterChange(
  questions: readonly Question[],
  before: readonly KeptAnswer[],
  given: GivenAnswers,
  party: AskedParty,
): readonly KeptAnswer[] {
  const kept = answersOfParty(before, party);
  const { ofBooking = {}, ofTravellers, ofPeople = [] } = given;
  if (ofTravellers === undefined && ofPeople.length === 0 && Object.keys(ofBooking).length === 0) return kept;
  const issues: AnswerIssue[] = [];
  const read = readAnswers(questions, given, party, issues);
  issues.push(...clearedIssues(questions, given));
  const people = peopleToAsk(party);
  const renewed = new Set(
    ofPeople.flatMap(({ traveller, values }) =>
      Object.keys(values).map((code) => answerKey(code, people[traveller] ?? null)),
    ),
  );
  const isReplaced = (answer: KeptAnswer) =>
    answer.category === undefined
      ? Object.hasOwn(ofBooking, answer.code)
      : ofTravellers !== undefined || renewed.has(answerKey(answer.code, answer));
  const answers = [...kept.filter((answer) => !isReplaced(answer)), ...read];
  assertAnswers(answers, issues, given);
  return answers;
}

/** The issue of too many bytes names the longest answer of the request, so that a form can mark a field that helps. */
function assertAnswers(answers: readonly KeptAnswer[], issues: AnswerIssue[], given: GivenAnswers): void {
  const bytes = answers.reduce((sum, { code, value }) => sum + bytesOf(code, value), 0);
  if (bytes > BYTES_MAX) issues.push({ field: longestField(given), message: TOO_LONG });
  if (issues.length > 0) throw new InvalidAnswersError(issues);
}

const TOO_LONG = 'is the longest of the answers, which must have at most 32 KiB together';

function bytesOf(code: string, value: AnswerValue | null): number {
  return Buffer.byteLength(JSON.stringify({ [code]: value }));
}

/** Returns the field of the longest answer of a request. */
function longestField({ ofBooking, ofTravellers, ofPeople = [] }: GivenAnswers): string {
  const given = [
    { path: 'answers', values: ofBooking },
    ...(ofTravellers ?? []).map(({ values }, index) => ({ path: pathOfTraveller(index), values })),
    ...ofPeople.map(({ traveller, values }) => ({ path: pathOfTraveller(traveller), values })),
  ];
  const [longest] = given
    .flatMap(({ path, values = {} }) =>
      Object.entries(values).map(([code, value]) => ({
        field: `${path}.${code}`,
        bytes: bytesOf(code, value),
      })),
    )
    .sort((one, other) => other.bytes - one.bytes);
  return longest?.field ?? 'answers';
}

function pathOfTraveller(index: number): string {
  return `travellers.${index}.answers`;
}

/** Reads the values of a request. Null is no answer. Adds the issues of the values that are not read. */
function readAnswers(
  questions: readonly Question[],
  given: GivenAnswers,
  party: AskedParty,
  issues: AnswerIssue[],
): KeptAnswer[] {
  const ofBooking = readValues(given.ofBooking, 'answers', issues, (code) =>
    questionOfBooking(questions, code),
  );
  const ofTravellers = namedPeople(given, party).flatMap(({ index, values, category, person }) =>
    readValues(values, pathOfTraveller(index), issues, (code) =>
      questionOfTraveller(questions, code, category),
    ).map((answer) => ({ ...answer, category, person })),
  );
  return [...ofBooking, ...ofTravellers, ...answersOfPeople(questions, given, party, issues)];
}

function answersOfPeople(
  questions: readonly Question[],
  { ofPeople = [] }: GivenAnswers,
  party: AskedParty,
  issues: AnswerIssue[],
): KeptAnswer[] {
  const people = peopleToAsk(party);
  return ofPeople.flatMap(({ traveller, values }) => {
    const path = pathOfTraveller(traveller);
    const found = people[traveller];
    if (!found) {
      issues.push({ field: path, message: `names no person: the party has ${people.length}` });
      return [];
    }
    const { category, person } = found;
    const find = (code: string) => questionOfTraveller(questions, code, category);
    return readValues(values, path, issues, find).map((answer) => ({ ...answer, category, person }));
  });
}

/** Returns the travellers of a request with their place in the party: the first of a category is its first person. */
function namedPeople({ ofTravellers }: GivenAnswers, party: AskedParty) {
  const people = peopleToAsk(party);
  return (ofTravellers ?? []).flatMap(({ category, values }, index) => {
    const at = people.findIndex((one) => one.category === category);
    const [person] = at < 0 ? [] : people.splice(at, 1);
    return person ? [{ ...person, index, values }] : [];
  });
}

type FoundQuestion = Question | { issue: string };

function questionOfBooking(questions: readonly Question[], code: string): FoundQuestion {
  const question = questions.find((one) => one.code === code);
  if (!question) return unknownQuestion(questions.filter(({ per }) => per === 'booking'));
  if (question.per === 'booking') return question;
  return { issue: 'is asked of each traveller: answer it in travellers' };
}

function questionOfTraveller(questions: readonly Question[], code: string, category: string): FoundQuestion {
  const question = questions.find((one) => one.code === code);
  if (!question) return unknownQuestion(questions.filter((one) => isAskedOf(one, category)));
  if (question.per === 'booking') return { issue: 'is asked once for the booking: answer it in answers' };
  return isAskedOf(question, category) ? question : { issue: `is not asked of the category ${category}` };
}

function unknownQuestion(known: readonly Question[]): FoundQuestion {
  const codes = known.map(({ code }) => code).join(', ');
  return {
    issue: codes === '' ? 'is not asked: nothing is asked here' : `is not asked; known are ${codes}`,
  };
}

function readValues(
  values: AnswerValues = {},
  path: string,
  issues: AnswerIssue[],
  find: (code: string) => FoundQuestion,
): KeptAnswer[] {
  return Object.entries(values).flatMap(([code, value]) => {
    const message = issueOf(find(code), value);
    if (message !== undefined) issues.push({ field: `${path}.${code}`, message });
    return message === undefined && value !== null ? [{ code, value }] : [];
  });
}

/** Returns what is wrong with a value, or with its question. Null answers every question. */
function issueOf(question: FoundQuestion, value: AnswerValue | null): string | undefined {
  if ('issue' in question) return question.issue;
  return value === null ? undefined : answerIssue(question, value);
}

/** Returns what is wrong with a value; undefined: it answers the question. The message never has the value. */
export function answerIssue(question: Question, value: AnswerValue): string | undefined {
  return VALUE_ISSUES[question.type](question, value);
}

const VALUE_ISSUES: Record<Question['type'], (question: Question, value: AnswerValue) => string | undefined> =
  {
    text: ({ min, max = ANSWER_MAX }, value) => {
      if (typeof value !== 'string') return 'must be a text';
      return rangeIssue([...value].length, min, max, (limit) => `${limit} characters`);
    },
    number: ({ min, max }, value) =>
      typeof value === 'number' ? rangeIssue(value, min, max, String) : 'must be a number',
    date: ({ min, max }, value) =>
      typeof value === 'string' && isCalendarDate(value)
        ? rangeIssue(value, min, max, String)
        : 'must be a calendar date, YYYY-MM-DD',
    choice: ({ choices = [] }, value) =>
      choices.some(({ code }) => code === value)
        ? undefined
        : `must be one of ${choices.map(({ code }) => code).join(', ')}`,
    yes_no: (_, value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    country: (_, value) =>
      typeof value === 'string' && isCountry(value)
        ? undefined
        : 'must be an ISO 3166 alpha-2 code such as DE',
  };

function rangeIssue<T extends string | number>(
  value: T,
  min: Question['min'],
  max: Question['max'],
  describe: (limit: string | number) => string,
): string | undefined {
  if (min !== undefined && value < min) return `must be at least ${describe(min)}`;
  if (max !== undefined && value > max) return `must be at most ${describe(max)}`;
  return undefined;
}

/** Returns the issues of the answers that are due with the booking and missing. */
function missingIssues(
  questions: readonly Question[],
  answers: readonly KeptAnswer[],
  given: GivenAnswers,
  party: AskedParty,
): AnswerIssue[] {
  const answered = new Set(answers.map((answer) => answerKey(answer.code, answer)));
  const indexOf = indexOfPeople(given, party);
  return questions.filter(isDueWithBooking).flatMap((question): AnswerIssue[] => {
    const { code, per } = question;
    if (per === 'booking')
      return isGiven(answered, code, null, given.ofBooking)
        ? []
        : [{ field: `answers.${code}`, message: REQUIRED }];
    return indexOf
      .filter(({ category, values, ...person }) => {
        const isAsked = isAskedOf(question, category);
        return isAsked && !isGiven(answered, code, { ...person, category }, values);
      })
      .map(({ index }) => ({ field: `${pathOfTraveller(index)}.${code}`, message: REQUIRED }));
  });
}

function isDueWithBooking({ required, until }: Question): boolean {
  return required && until === 'booking';
}

/** Returns whether a request answers a question, also by a wrong value, which has an issue of its own. */
function isGiven(
  answered: Set<string>,
  code: string,
  person: Pick<Person, 'category' | 'person'> | null,
  values: AnswerValues | undefined,
): boolean {
  const isNamed = values !== undefined && Object.hasOwn(values, code) && values[code] !== null;
  return isNamed || answered.has(answerKey(code, person));
}

/** Returns the people of a party with their index in the list of travellers: that of the request, or the next free one. */
function indexOfPeople(given: GivenAnswers, party: AskedParty) {
  const named = namedPeople(given, party);
  let next = given.ofTravellers?.length ?? 0;
  return peopleToAsk(party).map((person) => {
    const found = named.find(({ traveller }) => traveller === person.traveller);
    return { ...person, index: found?.index ?? next++, values: found?.values };
  });
}

/** Returns the issues of the answers that are due with the booking, and that a change clears by name. */
function clearedIssues(
  questions: readonly Question[],
  { ofBooking, ofTravellers }: GivenAnswers,
): AnswerIssue[] {
  const due = questions.filter(isDueWithBooking);
  const clearedIn = (values: AnswerValues | undefined, path: string) =>
    due
      .filter(({ code }) => values && Object.hasOwn(values, code) && values[code] === null)
      .map(({ code }) => ({ field: `${path}.${code}`, message: REQUIRED }));
  return [
    ...clearedIn(ofBooking, 'answers'),
    ...(ofTravellers ?? []).flatMap(({ values }, index) => clearedIn(values, pathOfTraveller(index))),
  ];
}
