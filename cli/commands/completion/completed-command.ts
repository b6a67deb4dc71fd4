import {
  type Branch,
  commandName,
  type Flag,
  flagName,
  flagsOf,
  type Noun,
  type Verb,
} from '../../engine/command';
import { namedArguments, namedByFlag } from './completed-names';

/** Describes the possible completions after a point of the command line. */
export interface CompletedCommand {
  /** Words before it, without tourctl: none, a noun, a verb, or both. */
  path: string[];
  /** Nouns or verbs that may follow. */
  words: Suggestion[];
  flags: CompletedFlag[];
  /** Its arguments are files. */
  takesFiles: boolean;
  /** An argument is a slug, a reference or an id of the database. */
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

/** Flattens the whole tree. */
export function completedCommands(tree: Branch[]): CompletedCommand[] {
  const commands = tree.flatMap((branch) => branch.commands);
  const help = { word: 'help', about: 'print help for a command' };
  const version: CompletedFlag = { word: '--version', about: 'print the version', value: 'none' };
  const suggestions = commands.map((command) => suggest(commandName(command), command.about));
  return [
    { path: [], words: [...suggestions, help], flags: [...EVERY_COMMAND, version], ...NO_ARGUMENTS },
    ...commands.flatMap((command) => ('verbs' in command ? ofNoun(command) : [ofVerb(command, [])])),
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
