import { type AnswerHistory, CancelledError, type Io, StepBack } from './io';
import { cutText, oneLine, textWidth, wrapText } from './text';

/** Returns why a typed answer is refused; undefined if it is accepted. A thrown error ends the question and the command. */
export type Objection = (answer: string) => string | undefined | Promise<string | undefined>;

export interface Choice {
  value: string;
  /** Shown instead of the value. */
  name?: string;
  /** Shown below the list while the choice is selected. */
  description?: string;
}

/** Loads Inquirer only for a question, because loading is slow. */
const loadInquirer = () => require('./inquirer') as typeof import('./inquirer');

/** @param otherwise the default answer for Enter; it is checked like any answer */
export async function askText(
  io: Io,
  message: string,
  objection: Objection,
  otherwise?: string,
): Promise<string> {
  let failure: { error: unknown } | undefined;
  const broken = new AbortController();
  // Catches the errors of `objection`: Inquirer does not handle a rejected validator, and the process would end.
  const validate = async (answer: string) => {
    try {
      const reason = await objection(answer);
      return reason === undefined ? true : oneLine(reason);
    } catch (error) {
      failure = { error };
      broken.abort();
      return false;
    }
  };
  try {
    return await ask(io, { type: 'input', message, validate, default: otherwise }, broken.signal);
  } catch (error) {
    throw failure ? failure.error : error;
  }
}

/** Asks for a text that is not shown while it is typed. */
export function askSecret(io: Io, message: string): Promise<string> {
  return ask(io, { type: 'password', message });
}

export function askOne(
  io: Io,
  message: string,
  choices: readonly (string | Choice)[],
  otherwise?: string,
): Promise<string> {
  return ask(io, { type: 'select', message, choices, default: otherwise });
}

/** The cells that a list of choices takes beside their texts. */
const LIST_MARGIN = 2;

/** Choices for the text that the person has typed, or near to it. Enter takes the first one. */
export interface Offer {
  /** Why the typed text is no choice. Undefined: the choices fit the text. */
  why?: string;
  /** Leave it empty if no choice is near: then Enter takes nothing. */
  choices: Choice[];
}

/**
 * Asks for one of many choices. Cuts the choices at the width of the screen, and shows the reason of an offer above them.
 * @param find returns the choices for the text that the person has typed. A thrown error ends the question and the command
 */
export async function askFromList(
  io: Io,
  message: string,
  find: (typed: string) => Promise<Choice[] | Offer>,
): Promise<string> {
  const width = (io.screen?.columns ?? Infinity) - LIST_MARGIN;
  let failure: { error: unknown } | undefined;
  const broken = new AbortController();
  const source = async (typed = '') => {
    const found = await find(typed).catch((error: unknown) => {
      failure = { error };
      broken.abort();
      return [];
    });
    const left = width - textWidth(message) - LIST_MARGIN;
    return listOffer(Array.isArray(found) ? { choices: found } : found, width, left);
  };
  try {
    return await ask(io, { type: 'search', message, source }, broken.signal);
  } catch (error) {
    throw failure ? failure.error : error;
  }
}

/**
 * Returns the entries of a list. An offer without a choice is an error of the list, which takes no answer.
 * @param width the cells of an entry
 * @param left the cells of the chosen entry beside the question
 */
function listOffer({ why, choices }: Offer, width: number, left: number) {
  if (why !== undefined && choices.length === 0) throw new Error(oneLine(why));
  const { Separator } = loadInquirer();
  const reason = why === undefined ? [] : wrapText(oneLine(why), width);
  const shown = choices.map(cleanChoice);
  return [
    ...reason.map((line) => new Separator(line)),
    ...shown.map(({ value, name }) => ({ value, name: cutText(name, width), short: cutText(name, left) })),
  ];
}

/** Requires at least one choice. @param otherwise choices that are ticked at the start */
export function askSome(
  io: Io,
  message: string,
  choices: readonly string[],
  otherwise: readonly string[] = [],
): Promise<string[]> {
  return ask(io, { type: 'checkbox', message, choices, default: otherwise, required: true });
}

export function askYesNo(io: Io, message: string, otherwise = false): Promise<boolean> {
  return ask(io, { type: 'confirm', message, default: otherwise });
}

interface Question {
  type: Exclude<keyof ReturnType<typeof loadInquirer>, 'Separator'>;
  message: string;
  choices?: readonly (string | Choice)[];
  /** The default answer. For a checkbox, the list of the choices that are ticked at the start. */
  default?: unknown;
  [setting: string]: unknown;
}

/** Cleans a question: it may contain names and addresses that tenants wrote. */
function clean(question: Question): Question {
  const { default: otherwise } = question;
  // Inquirer takes the ticked choices of a checkbox from the choices alone.
  const isTicked = (value: string) => Array.isArray(otherwise) && otherwise.includes(value);
  const choices = question.choices?.map(cleanChoice).map((one) => ({ ...one, checked: isTicked(one.value) }));
  return { ...question, message: oneLine(question.message), ...(choices && { choices }) };
}

function cleanChoice(choice: string | Choice): Choice & { name: string } {
  const { value, name = value, description } = typeof choice === 'string' ? { value: choice } : choice;
  return { value, name: oneLine(name), description: description && oneLine(description) };
}

/** @throws CancelledError at Ctrl-C; StepBack at Esc in a series of questions */
function ask<T>(io: Io, question: Question, broken?: AbortSignal): Promise<T> {
  if (!io.history) return show(io, question, [broken]);
  return io.history.answer<T>(async (before) => {
    const left = new AbortController();
    const onKey = (_: unknown, key?: { name?: string }) => {
      if (key?.name === 'escape') left.abort();
    };
    io.stdin.on('keypress', onKey);
    const again = before === undefined ? question : { ...question, default: before };
    try {
      return await show<T>(io, again, [broken, left.signal]);
    } catch (error) {
      throw left.signal.aborted && !io.interrupted?.aborted ? new StepBack() : error;
    } finally {
      io.stdin.off('keypress', onKey);
    }
  });
}

async function show<T>(io: Io, question: Question, ends: (AbortSignal | undefined)[]): Promise<T> {
  // Also ends the question if Ctrl-C was pressed before the question began. That Ctrl-C arrived as a signal and not as a key.
  const signals = [io.interrupted, ...ends].filter((signal) => signal !== undefined);
  // Asks on stderr, so that the answer of the command on stdout can be piped.
  const context = { input: io.stdin, output: io.stderr, signal: AbortSignal.any(signals) };
  const prompt = loadInquirer()[question.type] as (asked: Question, on: typeof context) => Promise<T>;
  try {
    return await prompt(clean(question), context);
  } catch (error) {
    if (error instanceof Error && /^(ExitPrompt|AbortPrompt)Error$/.test(error.name))
      throw new CancelledError('Interrupted: nothing was changed');
    throw error;
  }
}

/**
 * Runs a series of questions. At Esc it runs the series again from its start, with all recorded answers except the last one. The
 * series must therefore write nothing, and ask the same questions after the same answers.
 * @param given the answers to the first questions, if they are already known
 */
export async function askWithHistory<T>(
  io: Io,
  given: readonly unknown[],
  series: (io: Io) => Promise<T>,
): Promise<T> {
  const answers = [...given];
  let before: unknown;
  for (;;) {
    let next = 0;
    const history: AnswerHistory = {
      async answer<A>(ask: (before: A | undefined) => Promise<A>): Promise<A> {
        if (next === answers.length) {
          answers.push(await ask(before as A | undefined));
          before = undefined;
        }
        return answers[next++] as A;
      },
    };
    try {
      return await series({ ...io, history });
    } catch (error) {
      if (!(error instanceof StepBack)) throw error;
      // Esc at the first question asks the first question again, because there is no earlier question.
      if (answers.length > 0) before = answers.pop();
    }
  }
}
