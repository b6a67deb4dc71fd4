import type { Io } from './io';

/** The person pressed Ctrl-C: exit 130, and nothing was written unless the message says so. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Tells why a typed answer will not do; undefined where it will. */
export type Objection = (answer: string) => string | undefined;

export function askText(io: Io, message: string, objection: Objection): Promise<string> {
  return ask(io, { type: 'input', message, validate: (answer: string) => objection(answer) ?? true });
}

/** Typed unseen. */
export function askSecret(io: Io, message: string): Promise<string> {
  return ask(io, { type: 'password', message });
}

export function askOne(io: Io, message: string, choices: readonly string[]): Promise<string> {
  return ask(io, { type: 'select', message, choices });
}

export function askSome(io: Io, message: string, choices: readonly string[]): Promise<string[]> {
  return ask(io, { type: 'checkbox', message, choices, required: true });
}

export function askYesNo(io: Io, message: string): Promise<boolean> {
  return ask(io, { type: 'confirm', message, default: false });
}

async function ask<T>(io: Io, question: object): Promise<T> {
  // Loaded here alone: it is an ES module, and slow to load for a command that asks nothing.
  const { default: inquirer } = await import('inquirer');
  // On stderr, so that the answer on stdout can be piped.
  const prompt = inquirer.createPromptModule({ input: io.stdin, output: io.stderr });
  try {
    const answers: { answer: unknown } = await prompt([{ ...question, name: 'answer' }] as never);
    return answers.answer as T;
  } catch (error) {
    if (error instanceof Error && /^(ExitPrompt|AbortPrompt)Error$/.test(error.name))
      throw new CancelledError();
    throw error;
  }
}
