/*
 * The tree of commands, as data. To add a noun:
 *   1. cli/commands/<noun>/<noun>.ts exports `const <noun>: Noun` (cli/command.ts): names, flags, parsers from
 *      cli/values.ts. It is loaded on every start, so it imports nothing heavy.
 *   2. cli/commands/<noun>/<verb>.ts exports one function (context, options, ...args); the noun loads it by
 *      `run: () => (require('./<verb>') as typeof import('./<verb>')).<function>` (require, not import(): our output is
 *      CommonJS, and import() of our own files works neither there nor in the tests).
 *   3. One line in NOUNS below; a command that is a verb alone (migrate) has its line in VERBS.
 */
import { Argument, Command, Option } from 'commander';
import type { Flag, Noun, Verb } from './command';
import { audit } from './commands/audit/audit';
import { booking } from './commands/booking/booking';
import { catalog } from './commands/catalog/catalog';
import { delivery } from './commands/delivery/delivery';
import { departure } from './commands/departure/departure';
import { doctor } from './commands/doctor/doctor';
import { hold } from './commands/hold/hold';
import { key } from './commands/key/key';
import { migrate } from './commands/migrate/migrate';
import { monitor } from './commands/monitor/monitor';
import { origins } from './commands/origins/origins';
import { seed } from './commands/seed/seed';
import { pricing } from './commands/pricing/pricing';
import { tenant } from './commands/tenant/tenant';
import { up } from './commands/up/up';
import { visibility } from './commands/visibility/visibility';
import { webhook } from './commands/webhook/webhook';
import { widget } from './commands/widget/widget';
import { parseFlag } from './flag';
import type { Output } from './output';
import { UsageError } from './usage-error';

const NOUNS: Noun[] = [
  tenant,
  key,
  widget,
  origins,
  catalog,
  departure,
  visibility,
  pricing,
  hold,
  booking,
  webhook,
  delivery,
  audit,
];
const VERBS: Verb[] = [up, monitor, doctor, migrate, seed];

const OPTIONS = '[options]';

/** Runs a verb with the values that stood on the command line. */
export type Start = (verb: Verb, values: CommandLine) => Promise<void>;

export interface CommandLine {
  options: Record<string, unknown>;
  args: unknown[];
}

export function createProgram(version: string, output: Output, start: Start): Command {
  const program = new Command('tourctl')
    .description('Operate the tour platform: tenants, keys, catalog, bookings, webhooks.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trim() })
    .configureOutput({ writeOut: (text) => output.help(text), writeErr: () => {}, outputError: () => {} })
    .allowExcessArguments()
    .allowUnknownOption()
    .action(() => (program.args.length > 0 ? refuseWithoutCommand(program) : program.outputHelp()));
  for (const noun of NOUNS) {
    const command = program.command(noun.name).description(noun.about).helpCommand(false);
    command.allowExcessArguments().allowUnknownOption();
    command.action(() => refuseNounAlone(noun, command));
    for (const verb of noun.verbs) addVerb(command, verb, start);
  }
  for (const verb of VERBS) addVerb(program, verb, start);
  return program;
}

function addVerb(parent: Command, verb: Verb, start: Start): void {
  const [name, ...positionals] = verb.usage.split(' ') as [string, ...string[]];
  const command = parent.command(name).description(verb.about).allowExcessArguments(false);
  command.usage([OPTIONS, ...positionals].join(' '));
  // To commander all are optional: what is missing is asked for, or refused, in complete-values.ts.
  for (const text of positionals) command.addArgument(new Argument(text.replace('<', '[').replace('>', ']')));
  for (const flag of verb.flags ?? []) command.addOption(toOption(flag));
  command.option('--json', 'answer with one JSON document').option('--yes', 'do not ask for confirmation');
  if (verb.examples) {
    command.addHelpText(
      'after',
      `\nExamples:\n${verb.examples.map((line) => `  tourctl ${line}`).join('\n')}`,
    );
  }
  command.action((...received: unknown[]) =>
    start(verb, { options: unwrap(command.opts()), args: received.slice(0, positionals.length) }),
  );
}

function toOption(flag: Flag): Option {
  const notes = [
    flag.choices && `one of ${flag.choices.join(', ')}`,
    flag.repeats && 'may be repeated',
    flag.otherwise && `default ${flag.otherwise}`,
  ].filter(Boolean);
  const option = new Option(
    flag.flags,
    notes.length > 0 ? `${flag.about} (${notes.join('; ')})` : flag.about,
  );
  if (!flag.flags.includes('<')) return option;
  return option.argParser((text: string, previous?: Given) => {
    const value = parseFlag(flag, text);
    return new Given(flag.repeats ? [...((previous?.value as unknown[]) ?? []), value] : value);
  });
}

/** A parsed value in a wrapper, as commander would make an empty string of a plain null. */
class Given {
  constructor(readonly value: unknown) {}
}

function unwrap(options: Record<string, unknown>): Record<string, unknown> {
  const plain = (value: unknown) => (value instanceof Given ? value.value : value);
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, plain(value)]));
}

/** `tourctl key issue` for whatever comes with it: where the help for a wrong command line stands. */
export function commandPath(argv: string[]): string {
  const words = argv.filter((word) => !word.startsWith('-'));
  const noun = NOUNS.find(({ name }) => name === words[0]);
  const verb = (noun?.verbs ?? VERBS).find(({ usage }) => usage.split(' ')[0] === words[noun ? 1 : 0]);
  return ['tourctl', noun?.name, verb?.usage.split(' ')[0]].filter(Boolean).join(' ');
}

function argumentsOf(command: Command): string {
  const usage = command.usage();
  return command.commands.length > 0 ? '' : usage.replace(OPTIONS, '').trim();
}

/** The command is what is wrong, whatever flags came with it. */
function refuseWithoutCommand(program: Command): never {
  program.args = program.args.filter((arg) => !arg.startsWith('-'));
  if (program.args.length > 0) unknownCommand(program);
  throw new UsageError('a command is missing');
}

function refuseNounAlone(noun: Noun, command: Command): never {
  command.args = command.args.filter((arg) => !arg.startsWith('-'));
  if (command.args.length > 0) unknownCommand(command);
  const verbs = noun.verbs.map((verb) => verb.usage.split(' ')[0]).join(', ');
  throw new UsageError(`tourctl ${noun.name} needs a verb: ${verbs}`);
}

/** Commander's own sentence, with the nearest command as a suggestion; only its types do not know the method. */
function unknownCommand(command: Command): never {
  return (command as unknown as { unknownCommand(): never }).unknownCommand();
}
