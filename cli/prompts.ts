import type { Io } from './io';

/** The person pressed Ctrl-C: exit 130, and nothing was written unless the message says so. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Tells why a typed answer will not do; undefined where it will. What it throws ends the question, and the command. */
export type Objection = (answer: string) => string | undefined | Promise<string | undefined>;

export interface Choice {
  value: string;
  /** What stands there instead of the value. */
  name?: string;
  /** Shown below while it is pointed at. */
  description?: string;
}

/** @param otherwise what Enter alone answers; it is judged like any answer */
export async function askText(
  io: Io,
  message: string,
  objection: Objection,
  otherwise?: string,
): Promise<string> {
  let failure: { error: unknown } | undefined;
  const broken = new AbortController();
  // Inquirer leaves a rejection of its validator to nobody, and the process would die of it.
  const validate = async (answer: string) => {
    try {
      return (await objection(answer)) ?? true;
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

/** Typed unseen. */
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

/** At least one. @param otherwise what is ticked to begin with */
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

async function ask<T>(io: Io, question: object, broken?: AbortSignal): Promise<T> {
  // Loaded here alone: it is an ES module, and slow to load for a command that asks nothing.
  const { default: inquirer } = await import('inquirer');
  // Ctrl-C while no question was open: the terminal made a signal of it.
  const signals = [io.interrupted, broken].filter((signal) => signal !== undefined);
  // On stderr, so that the answer on stdout can be piped.
  const prompt = inquirer.createPromptModule({
    input: io.stdin,
    output: io.stderr,
    signal: AbortSignal.any(signals),
  });
  try {
    const answers: { answer: unknown } = await prompt([{ ...question, name: 'answer' }] as never);
    return answers.answer as T;
  } catch (error) {
    if (error instanceof Error && /^(ExitPrompt|AbortPrompt)Error$/.test(error.name))
      throw new CancelledError('Interrupted: nothing was changed');
    throw error;
  }
}
