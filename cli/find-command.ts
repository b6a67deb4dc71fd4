import { commandName, verbName, type Noun, type Verb } from './command';
import { didYouMean, nearest } from './nearest';
import { NOUNS, VERBS } from './tree';
import { UsageError } from './usage-error';

/** What the first words of a command line name. */
interface Found {
  noun?: Noun;
  verb?: Verb;
}

/** Of what comes before the first flag that takes a value, and of a wrong command line as far as it goes. */
function findCommand(argv: readonly string[]): Found {
  const [first, second] = wordsOf(argv);
  const noun = NOUNS.find(({ name }) => name === first);
  const verb = noun ? verbOf(noun.verbs, second) : verbOf(VERBS, first);
  return { noun, verb };
}

/** `tourctl key issue` for whatever comes with it: where the help for a wrong command line stands. */
export function commandPath(argv: readonly string[]): string {
  const { noun, verb } = findCommand(argv);
  return ['tourctl', noun?.name, verb && verbName(verb)].filter(Boolean).join(' ');
}

/** The command is judged before its flags. @throws UsageError with what was probably meant */
export function refuseUnknownCommand(argv: readonly string[]): void {
  const [first, second] = wordsOf(argv);
  const { noun, verb } = findCommand(argv);
  if (first === undefined || verb || (noun && second === undefined)) return;
  const unknown = noun ? second! : first;
  throw new UsageError(`unknown command '${unknown}'${noun ? hintOfVerbs(noun, unknown) : hint(unknown)}`);
}

function hint(unknown: string): string {
  const near = nearest(unknown, [...NOUNS, ...VERBS].map(commandName));
  // Whoever forgets the noun knows what to do, not with what.
  const verbs = NOUNS.flatMap(({ name, verbs }) => (verbOf(verbs, unknown) ? [`${name} ${unknown}`] : []));
  return didYouMean(near.length > 0 ? near : verbs);
}

function hintOfVerbs(noun: Noun, unknown: string): string {
  const verbs = noun.verbs.map(verbName);
  const near = nearest(unknown, verbs);
  return near.length > 0 ? didYouMean(near) : `: tourctl ${noun.name} has ${verbs.join(', ')}`;
}

function wordsOf(argv: readonly string[]): string[] {
  return argv.filter((word) => !word.startsWith('-'));
}

function verbOf(verbs: readonly Verb[], name: string | undefined): Verb | undefined {
  return verbs.find((verb) => verbName(verb) === name);
}
