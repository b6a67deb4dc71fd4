import { isActorName } from '../../services/platform/forms/text-forms';
import type { AuditedContext, Basics, Context, DatabaseUse, OpeningTerminal, Terminal } from './context';
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
  /** The separator of the values of a flag that repeats. By default a comma. */
  separator?: RegExp;
  /**
   * True: the flag is required. If the flag is missing, the command asks for the value on a terminal. Elsewhere a missing flag is a usage
   * error.
   */
  must?: boolean;
  /** A flag that may be given in place of this required one. */
  unless?: Flag;
  /** True: on a terminal the command itself asks, because the question depends on data of the database. */
  askedLater?: boolean;
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
  /** A flag that may be given in place of the required arguments. */
  argsUnless?: Flag;
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

/** A verb that writes no audit row: it changes no data. */
interface Reading<C> extends VerbForm {
  audits?: false;
  run: Action<C>;
}

/** A verb that can write audit rows, because it changes data or reveals personal data. It takes --actor. */
interface Auditing<C> extends VerbForm {
  /** @rule which commands write an audit row: test/cli/audited-verbs.long.test.ts */
  audits: true;
  run: Action<C>;
}

/** The database is open when the action starts. */
interface OnDatabase extends DatabaseUse {
  needs?: 'database';
}

/** The action opens the database itself, when it needs it. */
interface OnDemand {
  needs: 'database-on-demand';
}

/** The action uses no database. */
interface Offline extends Reading<Terminal> {
  needs: 'configuration';
}

/** The action works with any configuration, also a wrong one. */
interface Bare extends Reading<Basics> {
  needs: 'nothing';
}

export type DatabaseVerb = OnDatabase & (Reading<Context> | Auditing<AuditedContext>);

/** Declares a command: its words, what it needs, whether it writes audit rows, and the action. The action gets what the verb declares. */
export type Verb =
  | DatabaseVerb
  | (OnDemand & (Reading<OpeningTerminal<Context>> | Auditing<OpeningTerminal<AuditedContext>>))
  | Offline
  | Bare;

export interface Noun {
  name: string;
  about: string;
  /** Loads the file of the noun on first use. */
  readonly verbs: Verb[];
}

/** Leaves out properties of each form of a verb. */
type OmitOfEach<V, Names extends keyof V> = V extends unknown ? Omit<V, Names> : never;
/** A verb without a noun, whose words stand in cli/tree.ts. */
export type VerbBody = OmitOfEach<Verb, 'usage' | 'about'>;

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

/** Returns whether the database is open when the action of the verb starts. */
export function isOnDatabase(verb: Verb): verb is DatabaseVerb {
  return (verb.needs ?? 'database') === 'database';
}

/** Returns the flags of a verb, without those that every command has. */
export function flagsOf(verb: Verb): Flag[] {
  return [...(verb.flags ?? []), ...(verb.audits ? [ACTOR_FLAG] : [])];
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
  return text.split(flag.separator ?? ',').map((part) => {
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
  resource: 'boat-maria',
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
