import type { AnswerValue } from './answers';
import type { Question } from './question';

const YES = ['yes', 'y', 'true'];
const NO = ['no', 'n', 'false'];

/**
 * Returns the value that a typed text means as the answer of a question. A text that means none stays, and is refused where answers are judged.
 * @param question undefined: it is unknown
 */
export function valueOfText(question: Question | undefined, text: string): AnswerValue {
  const word = text.trim().toLowerCase();
  switch (question?.type) {
    case 'number':
      return word !== '' && Number.isFinite(Number(word)) ? Number(word) : text;
    case 'yes_no':
      return yesNoOfText(word) ?? text;
    case 'choice':
      return choiceOfText(question, word) ?? text;
    case 'country':
      return word.toUpperCase();
    default:
      return text.trim();
  }
}

function yesNoOfText(word: string): boolean | undefined {
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : undefined;
}

/** Returns the code of the choice with this code or label. @param word in lower case */
function choiceOfText({ choices = [] }: Question, word: string): string | undefined {
  return choices.find(({ code, label }) => code.toLowerCase() === word || label.toLowerCase() === word)?.code;
}

/** Describes the answers that a question accepts: `a number from 30 to 150`. */
export function describeAnswerForm({ type, choices = [], min, max }: Question): string {
  if (type === 'choice') return choices.map(({ code, label }) => `${code} (${label})`).join(', ');
  if (type === 'yes_no') return 'yes or no';
  const range = [
    ...(min === undefined ? [] : [`from ${min}`]),
    ...(max === undefined ? [] : [`up to ${max}`]),
  ].join(' ');
  const kind = KINDS[type];
  const unit = type === 'text' ? ' characters' : '';
  return range === '' ? kind : `${kind} ${range}${unit}`;
}

const KINDS = {
  text: 'a text',
  number: 'a number',
  date: 'a date, YYYY-MM-DD',
  country: 'an ISO 3166 code such as DE',
};
