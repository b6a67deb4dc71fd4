import type { Basics, Context, Terminal } from './context';

/** Turns the text of a flag or argument into its value, or throws a UsageError that begins with `name`. */
export type Parse = (text: string, name: string) => unknown;

export interface Flag {
  /** As commander has it: `--currency <code>`, or `--dev` for yes or no. */
  flags: string;
  about: string;
  parse?: Parse;
  choices?: readonly string[];
  /** The flag may be given several times; its value is a list. */
  repeats?: boolean;
  /** Asked for on a terminal; without one its absence is a usage error. */
  must?: boolean;
  /** What stands in the help as the default; applying it is the use case's affair. */
  otherwise?: string;
}

interface VerbForm {
  /** The verb and its arguments: `add <slug> <origin...>`. Those in angle brackets are asked for like a `must` flag. */
  usage: string;
  about: string;
  flags?: Flag[];
  args?: Record<string, Parse>;
  /** Refuses values that do not go together, before a database is opened. */
  check?: (options: never, ...args: never[]) => void;
  /** Does it ask before it acts? Then --yes must be given where nobody can be asked, and that is judged at once. */
  asks?: (options: never) => boolean;
  /** Command lines without the leading `tourctl`. A verb without flags that it must have can do without: examples.ts. */
  examples?: string[];
}

/** Options by camel-cased flag name, then the arguments in order. A returned number is the exit code, nothing is 0. */
export type Action<C> = (context: C, options: never, ...args: never[]) => Promise<number | void>;

export interface DatabaseVerb extends VerbForm {
  /** Loads the action when the command line asks for it, so that `tourctl --help` loads none. */
  run: () => Action<Context>;
  /** `as-is` for the commands that are about the schema itself; all others meet an up-to-date one. */
  schema?: 'up-to-date' | 'as-is';
}

/** A verb that opens no database. */
export interface OfflineVerb extends VerbForm {
  runOffline: () => Action<Terminal>;
}

/** A verb that works whatever the settings are, also wrong ones. */
export interface BareVerb extends VerbForm {
  runBare: () => Action<Basics>;
}

export type Verb = DatabaseVerb | OfflineVerb | BareVerb;

export interface Noun {
  name: string;
  about: string;
  verbs: Verb[];
}

/** Commands that stand together in the help. */
export interface Branch {
  title: string;
  commands: (Noun | Verb)[];
}

/** `issue <slug>` is called issue. */
export function verbName(verb: Verb): string {
  return verb.usage.split(' ')[0]!;
}

export function commandName(command: Noun | Verb): string {
  return 'verbs' in command ? command.name : verbName(command);
}
