import type { BookingLead } from '../../services/api/bookings/booking-lead';
import { valueOfText } from '../../services/api/questions/answer-text';
import { answersOfBooking, type QuestionAnswer } from '../../services/api/questions/answers';
import type { GivenAnswers, AnswerValues, PersonAnswers } from '../../services/api/questions/given-answers';
import { isQuestionCode, type Question } from '../../services/api/questions/question';
import { HIDDEN } from '../../services/platform/forms/text-forms';
import { foldLines } from '../terminal/text';
import { flag } from './command';
import { UsageError } from './failure';

/** An answer that a flag gives. */
export interface FlagAnswer {
  code: string;
  /** The number of the person in the party, from 0. Undefined: the question is asked once for the booking. */
  traveller?: number;
  /** Empty: the answer is cleared. */
  text: string;
}

const ANSWER = /^(?:(\d{1,3})\.)?([^.=]+)=(.*)$/s;

export const ANSWER_FLAG = flag(
  '--answer <code=value>',
  'an answer to a question of the tour; 0.weight=80 answers for the first person; an empty value clears it',
  {
    repeats: true,
    // A comma may be part of an answer: it separates only before another code.
    separator: /,(?=\s*(?:\d{1,3}\.)?[a-zA-Z0-9][\w-]*=)/,
    parse: (text, name): FlagAnswer => {
      const [, traveller, code = '', value = ''] = ANSWER.exec(text) ?? [];
      if (!isQuestionCode(code)) throw new UsageError(`${name} must be like allergies=nuts or 0.weight=80`);
      return {
        code,
        text: value.trim(),
        ...(traveller !== undefined && { traveller: Number(traveller) }),
      };
    },
  },
);

/** Returns the answers that flags give, as a request has them. Undefined: none. @param questions decide what a text means */
export function answersOfFlags(
  flags: readonly FlagAnswer[] | undefined,
  questions: readonly Question[],
): GivenAnswers | undefined {
  if (!flags || flags.length === 0) return undefined;
  const ofBooking: AnswerValues = {};
  const people = new Map<number, AnswerValues>();
  for (const { code, traveller, text } of flags) {
    const values = traveller === undefined ? ofBooking : (people.get(traveller) ?? {});
    values[code] =
      text === ''
        ? null
        : valueOfText(
            questions.find((one) => one.code === code),
            text,
          );
    if (traveller !== undefined) people.set(traveller, values);
  }
  const ofPeople: PersonAnswers[] = [...people].map(([traveller, values]) => ({ traveller, values }));
  return { ofBooking, ...(ofPeople.length > 0 && { ofPeople }) };
}

/** Returns every question of a booking, with its answers masked unless revealed. */
export function toAnswersDocument(lead: BookingLead, reveal: boolean): QuestionAnswer[] {
  return answersOfBooking(lead.asked, lead).map((answer) => {
    if (reveal || answer.value === null) return answer;
    const { code, label, traveller } = answer;
    return { code, label, value: HIDDEN, traveller };
  });
}

/** Returns `Weight, person 1: 80` on one line, also if a value has line breaks. */
export function describeAnswer({ label, value, value_label, traveller }: QuestionAnswer): string {
  const subject = traveller === null ? label : `${label}, person ${traveller + 1}`;
  return foldLines(`${subject}: ${value_label ?? describeValue(value)}`);
}

function describeValue(value: QuestionAnswer['value']): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}
