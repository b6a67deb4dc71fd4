import { type Flag, flagName, optionKey, type Parse, parseFlag, type Verb } from './command';
import { refuseMistakes, UsageError } from './failure';
import { argumentsOf, type ListedKind, type VerbArgument } from './named-values';
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
 * Lets the person choose an object from a list.
 * @param name name of the missing argument
 * @param before the texts of the arguments before it, by name
 */
export type Choose = (kind: ListedKind, name: string, before: Record<string, string>) => Promise<string>;

/** The person who completes a command line. */
interface Person {
  io: Io;
  /** Undefined: the person types the names of objects. */
  choose?: Choose;
}

/** Returns whether the command line lacks a required argument that the person can choose from a list. */
export function lacksNamedArgument(verb: Verb, noun: string | undefined, given: GivenValues): boolean {
  if (!needsArguments(verb, given)) return false;
  return argumentsOf(verb, noun).some(
    ({ required, kind }, i) => required && kind !== undefined && given.args[i] === undefined,
  );
}

/** Returns whether the required arguments are required: no flag is given in their place. */
function needsArguments({ argsUnless }: Verb, given: GivenValues): boolean {
  return argsUnless === undefined || isMissing(argsUnless, given);
}

/**
 * Parses the arguments and completes required values that the command line lacks, in the order of the usage.
 * @param person undefined: nobody can be asked, and missing values are mistakes too
 * @throws UsageError with all mistakes, one in each line. With a person, the first mistake ends the questions
 */
export async function completeValues(
  verb: Verb,
  noun: string | undefined,
  values: GivenValues,
  person: Person | undefined,
): Promise<CompletedLine> {
  const mistakes = Object.values(values.mistakes).flat();
  if (person) refuseMistakes(mistakes);
  const collect = person ? runNow : collectInto(mistakes);
  const texts: Record<string, string> = {};
  const args: unknown[] = [];
  const needsAll = needsArguments(verb, values);
  for (const [i, argument] of argumentsOf(verb, noun).entries()) {
    const parse = verb.args?.[argument.name] ?? asText;
    const words = [values.args[i] ?? []].flat() as string[];
    const complete = async () => {
      if (words.length === 0 && argument.required && needsAll)
        words.push(await askArgument(argument, parse, texts, person));
      texts[argument.name] = words.join(' ');
      const parsed = words.map((word) => parse(word, `<${argument.name}>`));
      return argument.repeats ? parsed : parsed[0];
    };
    args.push(await collect(complete));
  }
  const options = { ...values.options };
  const missing = (verb.flags ?? []).filter(
    (flag) => flag.must && isMissing(flag, values) && (!flag.unless || isMissing(flag.unless, values)),
  );
  for (const flag of missing) {
    if (person && flag.askedLater) continue;
    options[optionKey(flag)] = await collect(() => askFlag(flag, person));
  }
  refuseMistakes(mistakes);
  return { options, args };
}

const asText: Parse = (text) => text;

const runNow = <T>(work: () => Promise<T>): Promise<T> => work();

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

async function askArgument(
  { name, kind }: VerbArgument,
  parse: Parse,
  before: Record<string, string>,
  person: Person | undefined,
): Promise<string> {
  if (!person) throw new UsageError(`<${name}> is missing`);
  if (kind !== undefined && person.choose) return person.choose(kind, name, before);
  return askFor(`${sentence(name)}:`, parse, person.io);
}

async function askFlag(flag: Flag, person: Person | undefined): Promise<unknown> {
  if (!person) throw new UsageError(`${flagName(flag)} is missing: ${flag.about}`);
  const { io } = person;
  const message = `${sentence(flag.about)}:`;
  if (flag.choices) {
    return flag.repeats ? askSome(io, message, flag.choices) : askOne(io, message, flag.choices);
  }
  return parseFlag(flag, await askFor(message, (text, name) => parseFlag(flag, text, name), io));
}

/** Asks until `parse` takes the answer, and returns the answer as it was typed. */
export function askFor(message: string, parse: Parse, io: Io): Promise<string> {
  return askText(io, message, (answer) => {
    try {
      if (answer === '') return 'It must not be empty';
      parse(answer, 'It');
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
