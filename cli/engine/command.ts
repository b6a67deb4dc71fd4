import { isActorName } from '../../services/platform/text-forms';
import type { Basics, Context, Terminal } from './context';
import { UsageError } from './failure';

/** Turns the text of a flag or argument into its value, or throws a UsageError that begins with `name`. */
export type Parse = (text: string, name: string) => unknown;

export interface Flag {
  /** Syntax of commander: `--currency <code>`, or `--dev` for a boolean. */
  flags: string;
  about: string;
  parse?: Parse;
  choices?: readonly string[];
  /** The flag may be given several times; its value is a list. */
  repeats?: boolean;
  /**
   * True: the flag is required. If the flag is missing, the command asks for the value on a terminal. Elsewhere a missing flag is a usage
   * error.
   */
  must?: boolean;
  /** The default, as the help shows it. The use case applies this default. */
  otherwise?: string;
}

/** Declares a flag: `flag('--currency <code>', 'ISO 4217 currency', { parse: currency })`. */
export function flag(flags: string, about: string, more: Omit<Flag, 'flags' | 'about'> = {}): Flag {
  return { flags, about, ...more };
}

interface VerbForm {
  /** The verb and its arguments: `add <slug> <origin...>`. Arguments in angle brackets are required, like `must` flags. */
  usage: string;
  about: string;
  flags?: Flag[];
  args?: Record<string, Parse>;
  /** Refuses values that do not go together, before a database is opened. */
  check?: (options: never, ...args: never[]) => void;
  /**
   * Returns whether the verb asks for confirmation. If nobody can be asked, the command refuses a missing --yes before it opens a database.
   */
  asks?: (options: never) => boolean;
  /** Returns text that the help shows after the examples. */
  more?: () => string;
  /** Command lines without the leading `tourctl`. Optional for a verb without required flags: see examplesOf. */
  examples?: string[];
}

/** Gets the options by camel-cased flag name, then the arguments in order. Returns the exit code; undefined means 0. */
export type Action<C> = (context: C, options: never, ...args: never[]) => Promise<number | void>;

interface DatabaseVerb extends VerbForm {
  run: Action<Context>;
  /** `as-is` for commands about the schema itself. All other commands require the schema to be up to date. */
  schema?: 'up-to-date' | 'as-is';
  /**
   * True: creates the embedded database if DATA_DIR has none. All other commands refuse a DATA_DIR without a database, because a wrong path
   * would look like an empty installation.
   */
  creates?: boolean;
}

/** How a command opens the database. */
export type DatabaseUse = Pick<DatabaseVerb, 'schema' | 'creates'>;

/** A verb that opens no database, or opens it itself. */
interface OfflineVerb extends VerbForm {
  runOffline: Action<Terminal>;
}

/** A verb that works with any configuration, also a wrong one. */
interface BareVerb extends VerbForm {
  runBare: Action<Basics>;
}

export type Verb = DatabaseVerb | OfflineVerb | BareVerb;

export interface Noun {
  name: string;
  about: string;
  /** Loads the file of the noun on first use. */
  readonly verbs: Verb[];
}

/** The properties that `VerbBody` leaves out. */
type Omitted = 'usage' | 'about';
export type VerbBody = Omit<DatabaseVerb, Omitted> | Omit<OfflineVerb, Omitted> | Omit<BareVerb, Omitted>;

/** A verb without a noun. */
export interface LoneVerb {
  usage: string;
  about: string;
  /** Loads the file of the verb on first use. */
  readonly verb: Verb;
}

/** Commands of one group in the help. */
export interface Branch {
  title: string;
  commands: (Noun | LoneVerb)[];
}

/** Returns the name of a verb: `issue` for `issue <slug>`. */
export function verbName({ usage }: { usage: string }): string {
  return usage.split(' ')[0]!;
}

export function commandName(command: Noun | LoneVerb | Verb): string {
  return 'name' in command ? command.name : verbName(command);
}

/** Parses the name of a person for the audit log. */
export function actorName(text: string, name: string): string {
  if (!isActorName(text)) throw new UsageError(`${name} must be a name of at most 100 printable characters`);
  return text;
}

const ACTOR_FLAG: Flag = flag('--actor <name>', 'who acts, for the audit log', {
  parse: actorName,
  otherwise: 'TOURCTL_ACTOR, or the system user',
});

/** Verbs that write no audit row, except to reveal personal data. */
const READING = new Set([
  'list',
  'show',
  'manifest',
  'explain',
  'simulate',
  'stats',
  'refusals',
  'sales',
  'inspect',
  'export',
  'doctor',
  'listen',
  'up',
  'status',
  'logs',
  'use',
  'docs',
]);

/** Returns whether the verb can write an audit row, and so takes --actor. */
export function takesActor(verb: Verb): boolean {
  if ('runBare' in verb) return false;
  return !READING.has(verbName(verb)) || (verb.flags ?? []).some((flag) => flagName(flag) === '--reveal');
}

/** Returns the flags of a verb, without those that every command has. */
export function flagsOf(verb: Verb): Flag[] {
  return [...(verb.flags ?? []), ...(takesActor(verb) ? [ACTOR_FLAG] : [])];
}

/** Returns the long name of a flag for messages: `--currency`. */
export function flagName(flag: Flag): string {
  return flag.flags.split(' ').find((part) => part.startsWith('--'))!;
}

/** Returns the name of a flag in `options`: `bookingPrefix` for `--booking-prefix <prefix>`. */
export function optionKey(flag: Flag): string {
  return flagName(flag)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Parses the text of a flag. If the flag repeats, the text is a list with commas, and the result is a list too.
 * @param name name of the flag in messages
 * @throws UsageError
 */
export function parseFlag(flag: Flag, text: string, name = flagName(flag)): unknown {
  if (!flag.repeats) return parseValue(flag, text, name);
  return text.split(',').map((part) => {
    const value = part.trim();
    if (value === '') throw new UsageError(`${name} has an empty value between commas`);
    return parseValue(flag, value, name);
  });
}

function parseValue(flag: Flag, text: string, name: string): unknown {
  if (flag.choices && !flag.choices.includes(text)) {
    throw new UsageError(`${name} must be one of ${flag.choices.join(', ')}`);
  }
  return flag.parse ? flag.parse(text, name) : text;
}

const UUID = '01987f3c-5a1b-7c2d-8e4f-0a1b2c3d4e5f';
const CREDENTIAL = '4nL0pQ8sTzX2';
const NUMBER = '7';

/** Sample ids for examples, by noun; other nouns use numbers. */
const IDS: Record<string, string> = {
  key: CREDENTIAL,
  widget: CREDENTIAL,
  hold: UUID,
  webhook: UUID,
  delivery: UUID,
};

const ARGUMENTS: Record<string, string> = {
  slug: 'acme',
  tour: 'dolomites-hut-to-hut',
  date: '2027-06-05',
  time: '09:30',
  ref: 'ACME-1042',
  origin: 'https://acme.example',
  url: 'https://acme.example/webhooks',
  file: 'tours.json',
};

/** Returns example command lines without `tourctl`: the verb's own, or its usage with sample arguments. */
export function examplesOf(verb: Verb, noun?: Noun): string[] {
  if (verb.examples) return verb.examples;
  const words = verb.usage
    .split(' ')
    .slice(1)
    .map((form) => form.replace(/[<>[\].]/g, ''))
    .map((name) => ARGUMENTS[name] ?? IDS[noun?.name ?? ''] ?? NUMBER);
  return [[noun?.name, verbName(verb), ...words].filter(Boolean).join(' ')];
}
