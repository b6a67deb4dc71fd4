/*
 * Lists all commands as data. To add a noun:
 *   1. Export `const <noun>: Noun` from cli/commands/<noun>.ts (cli/engine/command.ts): its verbs, flags and parsers. Every
 *      start loads this file, so import nothing heavy there.
 *   2. Write one function for each verb (context, options, ...args) in cli/commands/<noun>/actions.ts; a long verb, or
 *      several verbs about one thing, have a file of their own. Load it by
 *      `run: () => (require('./<noun>/actions') as typeof import('./<noun>/actions')).<function>`. It uses require, because
 *      our output is CommonJS, and import() of our own files works neither there nor in the tests.
 *   3. Add the noun to TREE below. Verbs without a noun are in cli/commands/installation.ts.
 */
import { audit } from './commands/audit';
import { booking } from './commands/booking';
import { catalog } from './commands/catalog';
import { config } from './commands/config';
import { delivery } from './commands/delivery';
import { departure } from './commands/departure';
import { hold } from './commands/hold';
import {
  backupVerb,
  doctorVerb,
  logsVerb,
  migrateVerb,
  monitorVerb,
  restoreVerb,
  seedVerb,
  statusVerb,
  upVerb,
} from './commands/installation';
import { key } from './commands/key';
import { origins } from './commands/origins';
import { pricing } from './commands/pricing';
import { tenant } from './commands/tenant';
import { visibility } from './commands/visibility';
import { webhook } from './commands/webhook';
import { widget } from './commands/widget';
import { type Branch, commandName, type Noun, type Verb, verbName } from './engine/command';
import { UsageError } from './engine/failure';
import { didYouMean, nearest } from './engine/nearest';
import { pluralOf } from './terminal/text';

const completionVerb = (shell: 'bash' | 'zsh' | 'fish', install: string): Verb => ({
  usage: shell,
  about: `Print the script for ${shell}; to load it in every shell: ${install}`,
  examples: [`completion ${shell}`],
  runBare: () => {
    const { completionCommand } =
      require('./commands/completion/scripts') as typeof import('./commands/completion/scripts');
    return completionCommand(shell, TREE);
  },
});

const completion: Noun = {
  name: 'completion',
  about: 'Print the script that lets your shell complete commands, flags and their values',
  verbs: [
    completionVerb('bash', 'source <(tourctl completion bash) in ~/.bashrc'),
    completionVerb('zsh', 'source <(tourctl completion zsh) in ~/.zshrc, after compinit'),
    completionVerb('fish', 'tourctl completion fish > ~/.config/fish/completions/tourctl.fish'),
    {
      usage: 'names <word...>',
      about: 'Print the slugs, references or ids that may complete a command line, for the scripts',
      examples: ['completion names -- booking show ACME-1'],
      runBare: () => {
        const { completeNamesCommand } =
          require('./commands/completion/names') as typeof import('./commands/completion/names');
        return completeNamesCommand(NOUNS);
      },
    },
  ],
};

/** Lists all commands in the order of the help. */
export const TREE: Branch[] = [
  { title: 'Tenants and their websites', commands: [tenant, key, widget, origins, visibility, pricing] },
  { title: 'Catalog and sales', commands: [catalog, departure, hold, booking] },
  { title: 'Webhooks', commands: [webhook, delivery, monitorVerb] },
  {
    title: 'This installation',
    commands: [
      upVerb,
      statusVerb,
      logsVerb,
      doctorVerb,
      backupVerb,
      restoreVerb,
      audit,
      config,
      migrateVerb,
      seedVerb,
      completion,
    ],
  },
];

const COMMANDS: (Noun | Verb)[] = TREE.flatMap(({ commands }) => commands);
export const NOUNS: Noun[] = COMMANDS.filter((command) => 'verbs' in command);
export const VERBS: Verb[] = COMMANDS.filter((command) => 'usage' in command);

/** Holds the noun and verb of a command line. */
interface Found {
  noun?: Noun;
  verb?: Verb;
}

/** Finds the command in the words before the first flag; partly, if the command line is wrong. */
function findCommand(argv: readonly string[]): Found {
  const [first, second] = wordsOf(argv);
  const noun = NOUNS.find(({ name }) => name === first);
  const verb = noun ? verbOf(noun.verbs, second) : verbOf(VERBS, first);
  return { noun, verb };
}

/** Returns `tourctl key issue` of a command line, for the reference to the help. */
export function commandPath(argv: readonly string[]): string {
  const { noun, verb } = findCommand(argv);
  return ['tourctl', noun?.name, verb && verbName(verb)].filter(Boolean).join(' ');
}

/** Checks the command before its flags. @throws UsageError with suggestions */
export function refuseUnknownCommand(argv: readonly string[]): void {
  const [first, second] = wordsOf(argv);
  const { noun, verb } = findCommand(argv);
  if (first === undefined || verb || (noun && second === undefined)) return;
  const unknown = noun ? second! : first;
  throw new UsageError(
    `unknown command '${unknown}'${noun ? hintOfVerbs(noun, unknown) : hint(unknown, second)}`,
  );
}

function hint(unknown: string, second: string | undefined): string {
  // `list tenants` is `tenant list`, and so is `tenants list`.
  const swapped = nounVerb(second, unknown) ?? nounVerb(unknown, second);
  if (swapped !== undefined) return didYouMean([swapped]);
  const near = nearest(unknown, [...NOUNS, ...VERBS].map(commandName));
  // Suggests the nouns of a verb that was given without one.
  const verbs = NOUNS.flatMap(({ name, verbs }) => (verbOf(verbs, unknown) ? [`${name} ${unknown}`] : []));
  return didYouMean(near.length > 0 ? near : verbs);
}

/** Returns the command of a noun in singular or plural and one of its verbs. */
function nounVerb(word: string | undefined, verb: string | undefined): string | undefined {
  const noun = NOUNS.find(({ name }) => name === word || pluralOf(name) === word);
  return noun && verbOf(noun.verbs, verb) ? `${noun.name} ${verb}` : undefined;
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
