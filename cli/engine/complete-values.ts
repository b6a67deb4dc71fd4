import { type Flag, flagName, optionKey, type Parse, parseFlag, type Verb } from './command';
import { refuseMistakes, UsageError } from './failure';
import { type ArgumentForm, argumentsOf, idKindOf } from './named-values';
import type { Io } from '../terminal/io';
import { askOne, askSome, askText } from '../terminal/prompts';

export interface GivenValues {
  options: Record<string, unknown>;
  /** Error messages about flag values that cannot be parsed, keyed by the flag's name in `options`. */
  mistakes: Record<string, readonly string[]>;
  args: unknown[];
}

/** A command line with parsed values. */
export type CompletedLine = Omit<GivenValues, 'mistakes'>;

/**
 * Parses the arguments and completes required values that the command line lacks. If `ask` is true, asks the person for missing values.
 * Otherwise missing values are mistakes too. Leaves out a missing id, because the person chooses the id later from a list (find-ids.ts).
 * @throws UsageError with all mistakes, one in each line
 */
export async function completeValues(
  verb: Verb,
  values: GivenValues,
  io: Io,
  ask: boolean,
  noun?: string,
): Promise<CompletedLine> {
  const mistakes = Object.values(values.mistakes).flat();
  // Refuses wrong flags on a terminal before the first question.
  if (ask) refuseMistakes(mistakes);
  const collect = collectInto(mistakes);
  const args: unknown[] = [];
  for (const [i, { name, form }] of argumentsOf(verb).entries()) {
    const given = values.args[i];
    const isChosenLater = ask && given === undefined && idKindOf(name, noun) !== undefined;
    const complete = () => completeArgument({ name, form }, given, verb.args?.[name], io, ask);
    args.push(isChosenLater ? undefined : await collect(complete));
  }
  const options = { ...values.options };
  const missing = (verb.flags ?? []).filter((flag) => flag.must && isMissing(flag, values));
  for (const flag of missing) {
    options[optionKey(flag)] = await collect(() => askFlag(flag, io, ask));
  }
  refuseMistakes(mistakes);
  return { options, args };
}

function isMissing(flag: Flag, { options, mistakes }: GivenValues): boolean {
  const key = optionKey(flag);
  return options[key] === undefined && mistakes[key] === undefined;
}

/** Returns a function that keeps the message of a UsageError instead of throwing it. */
function collectInto(mistakes: string[]) {
  return async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      mistakes.push(error.message);
      return undefined;
    }
  };
}

async function completeArgument(
  { name, form }: ArgumentForm,
  given: unknown,
  parse: Parse | undefined,
  io: Io,
  ask: boolean,
): Promise<unknown> {
  const one = (text: string) => (parse ? parse(text, `<${name}>`) : text);
  const repeats = form.includes('...');
  let values = [given ?? []].flat().map((text) => one(text as string));
  if (values.length === 0 && form.startsWith('<')) {
    if (!ask) throw new UsageError(`<${name}> is missing`);
    values = [one(await askFor(`${sentence(name)}:`, parse, io))];
  }
  return repeats ? values : values[0];
}

async function askFlag(flag: Flag, io: Io, ask: boolean): Promise<unknown> {
  if (!ask) throw new UsageError(`${flagName(flag)} is missing: ${flag.about}`);
  const message = `${sentence(flag.about)}:`;
  if (flag.choices) {
    return flag.repeats ? askSome(io, message, flag.choices) : askOne(io, message, flag.choices);
  }
  return parseFlag(flag, await askFor(message, (text, name) => parseFlag(flag, text, name), io));
}

function askFor(message: string, parse: Parse | undefined, io: Io): Promise<string> {
  return askText(io, message, (answer) => {
    try {
      if (answer === '') return 'It must not be empty';
      parse?.(answer, 'It');
      return undefined;
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
  });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
