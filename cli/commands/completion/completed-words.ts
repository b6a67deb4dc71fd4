import {
  type Branch,
  commandName,
  type Flag,
  flagName,
  flagsOf,
  type Noun,
  type Verb,
  verbName,
} from '../../engine/command';

/** Describes what can follow the words of `path` on a command line. */
export interface CompletedCommand {
  /** Words before this point, without tourctl: none, a noun, a verb, or both. */
  path: string[];
  /** Nouns or verbs that may follow. */
  words: Suggestion[];
  flags: CompletedFlag[];
  /** True: the arguments of the command are files. */
  takesFiles: boolean;
  /** True: an argument is a slug, a reference or an id of the database. */
  takesNames: boolean;
}

interface Suggestion {
  word: string;
  about: string;
}

export interface CompletedFlag extends Suggestion {
  /** Kind of value that follows the flag. */
  value: 'none' | 'file' | 'name' | 'text' | readonly string[];
}

const NO_ARGUMENTS = { takesFiles: false, takesNames: false };
const EVERY_VERB: CompletedFlag[] = [
  { word: '--json', about: 'answer with one JSON document', value: 'none' },
  { word: '--yes', about: 'do not ask for confirmation', value: 'none' },
];
const EVERY_COMMAND: CompletedFlag[] = [{ word: '--help', about: 'print help', value: 'none' }];

/** Returns all commands of the tree in one list. */
export function completedCommands(tree: Branch[]): CompletedCommand[] {
  const commands = tree.flatMap((branch) => branch.commands);
  const help = { word: 'help', about: 'print help for a command' };
  const version: CompletedFlag = { word: '--version', about: 'print the version', value: 'none' };
  const suggestions = commands.map((command) => suggest(commandName(command), command.about));
  return [
    { path: [], words: [...suggestions, help], flags: [...EVERY_COMMAND, version], ...NO_ARGUMENTS },
    ...commands.flatMap((command) => ('verbs' in command ? ofNoun(command) : [ofVerb(command.verb, [])])),
  ];
}

function ofNoun({ name, verbs }: Noun): CompletedCommand[] {
  const words = verbs.map((verb) => suggest(commandName(verb), verb.about));
  const noun = { path: [name], words, flags: EVERY_COMMAND, ...NO_ARGUMENTS };
  return [noun, ...verbs.map((verb) => ofVerb(verb, [name]))];
}

function ofVerb(verb: Verb, before: string[]): CompletedCommand {
  return {
    path: [...before, commandName(verb)],
    words: [],
    flags: [...flagsOf(verb).map(toCompleted), ...EVERY_VERB, ...EVERY_COMMAND],
    takesFiles: /[<[]file\b/.test(verb.usage),
    takesNames: namedArguments(verb, before[0]).some((name) => name !== undefined),
  };
}

function toCompleted(flag: Flag): CompletedFlag {
  return { ...suggest(flagName(flag), flag.about), value: valueOf(flag) };
}

function valueOf(flag: Flag): CompletedFlag['value'] {
  const { flags, choices } = flag;
  if (!flags.includes('<')) return 'none';
  if (namedByFlag(flag)) return 'name';
  return choices ?? (flags.includes('<file>') ? 'file' : 'text');
}

/** Replaces apostrophes, because the scripts put the description in single quotes. */
function suggest(word: string, about: string): Suggestion {
  return { word, about: about.replaceAll("'", '’') };
}

/** The kind of object that a completed value names. */
export type CompletedName =
  'tenant' | 'tour' | 'booking' | 'apiKey' | 'widgetToken' | 'hold' | 'endpoint' | 'delivery';

const ARGUMENTS: Record<string, CompletedName> = { slug: 'tenant', tour: 'tour', ref: 'booking' };
/** The kind of object that `<id>` means after each noun. After other nouns it is a number, which is not completed. */
const IDS: Record<string, CompletedName> = {
  key: 'apiKey',
  widget: 'widgetToken',
  hold: 'hold',
  webhook: 'endpoint',
  delivery: 'delivery',
};
const FLAGS: Record<string, CompletedName> = {
  '--tenant': 'tenant',
  '--tour': 'tour',
  '--endpoint': 'endpoint',
};

/** Returns the kind of object that each argument of a verb names; undefined for an argument that names none. */
function namedArguments(verb: Verb, noun: string | undefined): (CompletedName | undefined)[] {
  const forms = verb.usage.split(' ').slice(1);
  const names = forms.map((form) => form.replace(/[<>[\].]/g, ''));
  return names.map((name) => (name === 'id' ? IDS[noun ?? ''] : ARGUMENTS[name]));
}

/** Returns the kind of object that the value of a flag names. */
function namedByFlag(flag: Flag): CompletedName | undefined {
  return flag.flags.includes('<') ? FLAGS[flagName(flag)] : undefined;
}

/** The kind of the last word of a command line, and its text. */
interface LastWord {
  kind: CompletedName;
  start: string;
}

/** @param words a command line without `tourctl`; the last word is the one to complete, and may be empty */
export function lastWordOf(nouns: readonly Noun[], words: readonly string[]): LastWord | undefined {
  const [first, second, ...rest] = words;
  const noun = nouns.find(({ name }) => name === first);
  const verb = noun?.verbs.find((one) => verbName(one) === second);
  if (!noun || !verb || rest.length === 0) return undefined;
  const last = rest.pop()!;
  const takesValue = (word: string | undefined) =>
    flagsOf(verb).find((flag) => flagName(flag) === word && flag.flags.includes('<'));
  const [name, value] = last.split(/=(.*)/s);
  const flag = takesValue(last.startsWith('--') ? name : rest.at(-1));
  if (flag) {
    const kind = namedByFlag(flag);
    return kind && { kind, start: last.startsWith('--') ? (value ?? '') : last };
  }
  if (last.startsWith('-')) return undefined;
  const before = rest.filter((word, i) => !word.startsWith('-') && !takesValue(rest[i - 1]));
  const kind = namedArguments(verb, noun.name)[before.length];
  return kind && { kind, start: last };
}
