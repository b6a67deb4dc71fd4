import type { Category } from '../../../services/api/parties/category';
import type { Party } from '../../../services/api/parties/party-rules';
import { describeAnswerForm, valueOfText } from '../../../services/api/questions/answer-text';
import { isAskedOf, peopleToAsk, type Person } from '../../../services/api/questions/answers';
import {
  type GivenAnswers,
  type AnswerValues,
  answerIssue,
} from '../../../services/api/questions/given-answers';
import type { Question } from '../../../services/api/questions/question';
import { answersOfFlags, type FlagAnswer } from '../../engine/answers';
import type { Io } from '../../terminal/io';
import { askText } from '../../terminal/prompts';

/** The questions of a sale, and what decides who is asked. */
export interface QuestionsOfSale {
  questions: readonly Question[];
  party: Party;
  categories: readonly Category[];
  /** The answers that flags give. */
  given: readonly FlagAnswer[] | undefined;
  /** True: the booking is confirmed at once, so every required answer is due. */
  isConfirmed: boolean;
}

/** Asks the questions of a tour that no flag answers: first those of the booking, then those of each person. Undefined: nothing is asked. */
export async function askQuestions(io: Io, sale: QuestionsOfSale): Promise<GivenAnswers | undefined> {
  const { questions, given = [] } = sale;
  if (questions.length === 0) return answersOfFlags(given, questions);
  const answers: FlagAnswer[] = [...given];
  for (const { question, person } of askedInOrder(sale)) {
    const traveller = person?.traveller;
    const isGiven = given.some((one) => one.code === question.code && one.traveller === traveller);
    if (!isGiven)
      answers.push({ code: question.code, traveller, text: await askOne(io, question, person, sale) });
  }
  const answered = answers.filter(({ text }) => text !== '');
  return answersOfFlags(answered, questions);
}

function askedInOrder({ questions, party, categories }: QuestionsOfSale) {
  const ofBooking = questions
    .filter(({ per }) => per === 'booking')
    .map((question) => ({ question, person: null }));
  const ofPeople = peopleToAsk({ party, categories }).flatMap((person) =>
    questions
      .filter((question) => isAskedOf(question, person.category))
      .map((question) => ({ question, person })),
  );
  return [...ofBooking, ...ofPeople];
}

async function askOne(
  io: Io,
  question: Question,
  person: Person | null,
  { isConfirmed }: QuestionsOfSale,
): Promise<string> {
  const isDue = question.required && (isConfirmed || question.until === 'booking');
  const subject = person === null ? '' : `, person ${person.traveller + 1} (${person.category})`;
  const end = isDue ? '' : '; Enter leaves it out';
  const message = `${question.label}${subject} (${describeAnswerForm(question)}${end}):`;
  return askText(io, message, (answer) => {
    if (answer.trim() === '') return isDue ? 'The tour requires an answer' : undefined;
    const issue = answerIssue(question, valueOfText(question, answer));
    return issue === undefined ? undefined : `The answer ${issue}`;
  });
}

/** Returns the values of all answers that a sale gives, for the comparison with an earlier request. Undefined: none. */
export function comparedAnswers(answers: GivenAnswers | undefined): AnswerValues[] | undefined {
  if (!answers) return undefined;
  const { ofBooking = {}, ofPeople = [] } = answers;
  return [ofBooking, ...ofPeople.map(({ traveller, values }) => ({ ...values, traveller }))];
}
