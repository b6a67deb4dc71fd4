import { type Answers, isDue, NO, TEXT_MAX, textOfAnswer, YES } from './answers.ts';
import type { FieldNames } from './contact-rules.ts';
import { countriesIn } from './countries.ts';
import { type Option, RadioField, SelectField, TextField } from './field.tsx';
import { type Speech, useSpeech } from './speech.ts';
import type { Question } from './wire.ts';
import type { Words } from './words/en.ts';
import { fill } from './words/words.ts';

interface QuestionFieldsProps {
  questions: readonly Question[];
  /** The field of the answers: `answers`, `travellers.0.answers`. */
  path: string;
  answers: Answers;
  issues: FieldNames;
  onChange(answers: Answers): void;
}

/** A field for each question. */
export function QuestionFields({ questions, path, answers, issues, onChange }: QuestionFieldsProps) {
  return questions.map((question) => (
    <QuestionField
      key={question.code}
      question={question}
      name={`${path}.${question.code}`}
      value={textOfAnswer(answers, question)}
      issues={issues}
      onInput={(value) => onChange({ ...answers, [question.code]: value })}
    />
  ));
}

interface QuestionFieldProps {
  question: Question;
  name: string;
  value: string;
  issues: FieldNames;
  onInput(value: string): void;
}

/** So many choices are radio buttons. More are a list that opens. */
const RADIOS_MAX = 6;
/** A longer text has several lines. */
const LINE_MAX = 200;

function QuestionField({ question, ...field }: QuestionFieldProps) {
  const speech = useSpeech();
  const { type, max } = question;
  const options = optionsOf(question, speech);
  const props = {
    ...field,
    label: labelOf(question, speech.words),
    hint: limitsOf(question, speech),
    isRequired: isDue(question),
  };
  if (options)
    return options.length > 1 && options.length <= RADIOS_MAX ? (
      <RadioField
        {...props}
        options={isDue(question) ? options : [['', speech.words.ask.none], ...options]}
      />
    ) : (
      <SelectField {...props} options={[['', isDue(question) ? '–' : speech.words.ask.none], ...options]} />
    );
  const isText = type === 'text';
  const longest = Number(isText && (max ?? TEXT_MAX));
  const ofLine = type === 'date' ? 'date' : 'text';
  return (
    <TextField
      {...props}
      type={longest > LINE_MAX ? 'textarea' : ofLine}
      // A character may be two for the browser. The form checks the limit.
      maxLength={isText ? 2 * longest : undefined}
      inputMode={type === 'number' ? 'decimal' : undefined}
    />
  );
}

/** Returns the choices of a question. Undefined: it is answered by a text. */
function optionsOf({ type, choices = [] }: Question, { words, locale }: Speech): Option[] | undefined {
  if (type === 'choice') return choices.map(({ code, label }) => [code, label]);
  if (type === 'country') return countriesIn(locale);
  return type === 'yes_no'
    ? [
        [YES, words.ask.yes],
        [NO, words.ask.no],
      ]
    : undefined;
}

/** Returns the label of what may be answered: says if it need not be answered with the booking. */
export function labelOf(asked: Pick<Question, 'label' | 'required' | 'until'>, words: Words): string {
  const { label, required } = asked;
  if (isDue(asked)) return label;
  return required ? fill(words.ask.later, { label }) : optional(label, words);
}

/** Returns the label of what may be left out. */
export function optional(label: string, { ask }: Words): string {
  return fill(ask.optional, { label });
}

/** Returns the limits of an answer: `40 – 120`, or `≥ 40`. Undefined: it has none. */
function limitsOf({ type, min, max }: Question, { words, formats }: Speech): string | undefined {
  const isRange = min !== undefined && max !== undefined;
  const texts = [min, max].flatMap((limit, index) => {
    if (limit === undefined) return [];
    const text = type === 'date' ? formats.date(String(limit)) : formats.number(Number(limit));
    return isRange ? text : `${'≥≤'[index]} ${text}`;
  });
  // Isolates the limits, because the signs would change their sides between Arabic words.
  const limits = texts.length > 0 ? `\u2066${texts.join(' – ')}\u2069` : undefined;
  return limits && type === 'text' ? fill(words.ask.length, { limits }) : limits;
}

/** Returns the text of an answer in the language of the element. */
export function answerText(question: Question, text: string, speech: Speech): string {
  const option = optionsOf(question, speech)?.find(([code]) => code === text);
  if (option) return option[1];
  return question.type === 'date' ? speech.formats.date(text) : text;
}
