import { Argument, Command, Option } from 'commander';
import { commandName, type Flag, type Noun, type Verb } from './command';
import { examplesOf } from './examples';
import { flagName, parseFlag } from './flag';
import type { Output } from './output';
import { TREE } from './tree';
import { UsageError } from './usage-error';

const OPTIONS = '[options]';
/** Help is read as text, and longer lines are hard to; 80 is what a pipe gets. */
const HELP_WIDTH = { usual: 80, most: 100 };
const FIRST_STEPS = `
First steps:
  tourctl tenant create --slug acme --name "Acme Travel"
  tourctl key issue acme --scope catalog:read --scope booking:create
  tourctl webhook add acme https://acme.example/webhooks

Every command takes --json, --yes and --help. More: tourctl help <command>
`;

/** Runs a verb with the values that stood on the command line. */
export type Start = (verb: Verb, values: CommandLine) => Promise<void>;

export interface CommandLine {
  options: Record<string, unknown>;
  args: unknown[];
}

export function createProgram(version: string, output: Output, start: Start): Command {
  const width = Math.min(output.screen.columns ?? HELP_WIDTH.usual, HELP_WIDTH.most);
  const program = new Command('tourctl')
    .description('Operate the tour platform: tenants, keys, catalog, bookings, webhooks.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .usage('<command> [<verb>] [options]')
    .exitOverride()
    .configureHelp({
      // Beside a term, text is still readable in so many columns.
      minWidthToWrap: 20,
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trim(),
    })
    .configureOutput({
      getOutHelpWidth: () => width,
      writeOut: (text) => output.help(text),
      writeErr: () => {},
      outputError: () => {},
    })
    .addHelpText('after', FIRST_STEPS.trimEnd())
    .action((_, program: Command) => {
      if (program.args.length > 0) throw new UsageError('a command is missing');
      program.outputHelp();
    });
  program.allowExcessArguments().allowUnknownOption();
  for (const { title, commands } of TREE) {
    for (const command of commands) {
      const added = 'verbs' in command ? addNoun(program, command, start) : addVerb(program, command, start);
      added.helpGroup(`${title}:`);
    }
  }
  return program;
}

function addNoun(program: Command, noun: Noun, start: Start): Command {
  const command = program.command(noun.name).description(noun.about).helpCommand(false);
  command.usage('<verb> [options]').allowExcessArguments().allowUnknownOption();
  command.action(() => {
    const verbs = noun.verbs.map(commandName).join(', ');
    throw new UsageError(`tourctl ${noun.name} needs a verb: ${verbs}`, `\n${command.helpInformation()}`);
  });
  for (const verb of noun.verbs) addVerb(command, verb, start, noun);
  return command;
}

function addVerb(parent: Command, verb: Verb, start: Start, noun?: Noun): Command {
  const [name, ...positionals] = verb.usage.split(' ') as [string, ...string[]];
  const command = parent.command(name).description(verb.about).allowExcessArguments(false);
  command.usage([...positionals, OPTIONS].join(' '));
  // To commander all are optional: what is missing is asked for, or refused, in complete-values.ts.
  for (const text of positionals) command.addArgument(new Argument(text.replace('<', '[').replace('>', ']')));
  for (const flag of verb.flags ?? []) command.addOption(toOption(flag));
  command.option('--json', 'answer with one JSON document').option('--yes', 'do not ask for confirmation');
  const examples = examplesOf(verb, noun).map((line) => `  tourctl ${line}`);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  return command.action((...received: unknown[]) =>
    start(verb, { options: unwrap(command.opts()), args: received.slice(0, positionals.length) }),
  );
}

function toOption(flag: Flag): Option {
  const notes = [
    flag.must && 'required',
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
    if (previous && !flag.repeats) throw new UsageError(`${flagName(flag)} stands twice`);
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

function argumentsOf(command: Command): string {
  const usage = command.usage();
  return command.commands.length > 0 ? '' : usage.replace(OPTIONS, '').trim();
}
