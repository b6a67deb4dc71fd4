import {
  type Branch,
  commandName,
  type Flag,
  flagName,
  flagsOf,
  type Noun,
  type Verb,
  type LoneVerb,
  verbName,
} from '../../engine/command';
import { argumentsOf, namedByFlag, type NamedKind } from '../../engine/named-values';

/** Describes the possible completions after a point of the command line. */
export interface CompletedCommand {
  /** Words before this point, without tourctl: none, a noun, a verb, or both. */
  path: string[];
  /** Nouns or verbs that may follow. */
  words: Suggestion[];
  flags: CompletedFlag[];
  /** True: the arguments of the command are files. */
  takesFiles: boolean;
  /** True: an argument is a slug, a date, a reference or an id of the database. */
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
    takesNames: argumentsOf(verb, before[0]).some(({ kind }) => kind !== undefined),
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

/** The kind of value that the last word of a command line names, and the text of the word. */
interface LastWord {
  kind: NamedKind;
  start: string;
  /** The tour of the departure that the word names. */
  tour?: string;
}

/**
 * @param commands nouns, and verbs without a noun
 * @param words a command line without `tourctl`; the last word is completed, and may be empty
 */
export function lastWordOf(
  commands: readonly (Noun | LoneVerb)[],
  words: readonly string[],
): LastWord | undefined {
  const { noun, verb, rest } = findVerb(commands, words);
  if (!verb || rest.length === 0) return undefined;
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
  const declared = argumentsOf(verb, noun);
  const kind = declared[before.length]?.kind;
  const tour = before[declared.findIndex(({ name }) => name === 'tour')];
  return kind && { kind, start: last, ...(kind === 'departure' && { tour }) };
}

/** Finds the command of a command line. `rest` holds the words after the command. */
function findVerb(
  commands: readonly (Noun | LoneVerb)[],
  [first, second, ...further]: readonly string[],
): { noun?: string; verb?: Verb; rest: string[] } {
  const command = commands.find((one) => commandName(one) === first);
  if (!command) return { rest: [] };
  if ('verb' in command)
    return { verb: command.verb, rest: second === undefined ? [] : [second, ...further] };
  return { noun: command.name, verb: command.verbs.find((one) => verbName(one) === second), rest: further };
}
