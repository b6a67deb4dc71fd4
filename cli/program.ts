import { Argument, Command, Option } from 'commander';
import type { PersonOfSession } from '../services/platform/people/people.repository';
import {
  actorName,
  commandName,
  examplesOf,
  type Flag,
  flagName,
  flagsOf,
  type LoneVerb,
  type Noun,
  parseFlag,
  type Verb,
  verbName,
} from './engine/command';
import type { GivenValues } from './engine/complete-values';
import { acceptNormalEnd, EXIT, fail, UsageError } from './engine/failure';
import { NOT_SHOWN } from './engine/hide-customers';
import {
  CUSTOMER_FLAGS,
  findPersonAtTerminal,
  isRefusedFlag,
  mayUse,
  mayUseSome,
} from './engine/people-rights';
import { type Io, readVersion } from './terminal/io';
import { createOutput, type Output } from './terminal/output';
import { wrapText } from './terminal/text';
import { commandPath, refuseUnknownCommand, TREE } from './tree';

const OPTIONS = '[options]';
const NOUN_USAGE = '<verb> [options]';
/** Widths of the help in columns: `usual` for a pipe, and at most `most` on a screen, because long lines are hard to read. */
const HELP_WIDTH = { usual: 80, most: 100 };

const FIRST_STEPS = [
  'tourctl migrate',
  'tourctl tenant create --slug acme --name "Acme Travel"',
  'tourctl key issue acme --scope catalog:read --scope booking:create',
  'tourctl webhook add acme https://acme.example/webhooks',
];

function firstSteps(width: number): string {
  const commands = FIRST_STEPS.map((line) => foldCommand(line, width)).join('\n');
  const flags = wrapText(
    'Every command takes --json, --yes and --help, and --actor if it changes something.',
    width,
  ).join('\n');
  return `\nFirst steps:\n${commands}\n\n${flags}\nMore: tourctl help <command>`;
}

function helpWidth({ screen }: Output): number {
  return Math.min(screen.columns ?? HELP_WIDTH.usual, HELP_WIDTH.most);
}

/** Indents a command line. Breaks a line that is wider than the help before its flags. */
function foldCommand(line: string, width: number): string {
  const lines: string[] = [];
  let current = '';
  for (const part of line.split(/ (?=--|[|<>] )/)) {
    const longer = current === '' ? part : `${current} ${part}`;
    if (current !== '' && longer.length > width - '  '.length - ' \\'.length) {
      lines.push(current);
      current = `  ${part}`;
    } else current = longer;
  }
  return [...lines, current].map((text) => `  ${text}`).join(' \\\n');
}

/** Runs a verb with the values of the command line. @param noun the name of its noun, if it has one */
export type Start = (verb: Verb, values: GivenValues, noun?: string) => Promise<void>;

/** @param person leaves the commands out of the help that this person may not use */
export function createProgram(
  version: string,
  output: Output,
  start: Start,
  person?: PersonOfSession,
): Command {
  const width = helpWidth(output);
  const program = new Command('tourctl')
    .description('Operate the tour platform: tenants, keys, catalog, bookings, webhooks.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .usage('<command> [<verb>] [options]')
    .exitOverride()
    .configureHelp({
      // Text beside a term stays readable down to this width.
      minWidthToWrap: 16,
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command)}`.trim(),
    })
    .configureOutput({
      getOutHelpWidth: () => width,
      writeOut: (text) => output.help(text),
      writeErr: () => {},
      outputError: () => {},
    })
    .addHelpText('after', firstSteps(width))
    .action((_, program: Command) => {
      if (program.args.length > 0) throw new UsageError('a command is missing');
      program.outputHelp();
    });
  program.allowExcessArguments().allowUnknownOption();
  const commands = new Map<Command, Noun | LoneVerb>();
  for (const branch of TREE) {
    for (const command of branch.commands) {
      const hidden = person !== undefined && !mayUseSome(person.roles, commandName(command));
      const added =
        'verbs' in command ? addNoun(program, command, hidden) : addVerb(program, command, hidden);
      commands.set(added.helpGroup(`${branch.title}:`), command);
    }
  }
  // Loads the files of the named command only, and declares the flags of the named verb only.
  return program.hook('preSubcommand', (_, named) => {
    const command = commands.get(named)!;
    const form = { start, width, person };
    if ('verb' in command) return completeVerb(named, command.verb, form);
    const verbs = new Map<Command, Verb>();
    for (const verb of command.verbs) {
      const hidden = person !== undefined && !mayUse(person.roles, `${command.name} ${verbName(verb)}`);
      verbs.set(addVerb(named, verb, hidden), verb);
    }
    named.hook('preSubcommand', (_, one) => completeVerb(one, verbs.get(one)!, form, command));
  });
}

/** The function that starts a verb, and the width of the help. All commands are declared with them. */
interface Form {
  start: Start;
  width: number;
  /** Leaves the flags out of the help that this person may not use. */
  person?: PersonOfSession;
}

function addNoun(program: Command, noun: Noun, hidden: boolean): Command {
  const command = program.command(noun.name, { hidden }).description(noun.about).helpCommand(false);
  command.usage(NOUN_USAGE).allowExcessArguments().allowUnknownOption();
  return command.action(() => {
    const verbs = noun.verbs.map(commandName).join(', ');
    throw new UsageError(`tourctl ${noun.name} needs a verb: ${verbs}`, `\n${command.helpInformation()}`);
  });
}

function addVerb(parent: Command, verb: Pick<Verb, 'usage' | 'about'>, hidden: boolean): Command {
  const command = parent.command(verbName(verb), { hidden }).description(verb.about);
  return command.usage([...positionalsOf(verb), OPTIONS].join(' '));
}

function positionalsOf({ usage }: Pick<Verb, 'usage'>): string[] {
  return usage.split(' ').slice(1);
}

/** Adds the arguments, the flags, the examples and the action. */
function completeVerb(command: Command, verb: Verb, { start, width, person }: Form, noun?: Noun): void {
  const positionals = positionalsOf(verb);
  command.allowExcessArguments(false);
  // Declares all arguments optional: complete-values.ts asks for missing ones or refuses them.
  for (const text of positionals) command.addArgument(new Argument(text.replace('<', '[').replace('>', ']')));
  const flags = flagsOf(verb);
  const refused = flags.filter((flag) => person && isRefusedFlag(person.roles, verb, flagName(flag)));
  for (const flag of flags) command.addOption(toOption(flag).hideHelp(refused.includes(flag)));
  command.option('--json', 'answer with one JSON document').option('--yes', 'do not ask for confirmation');
  const examples = examplesOf(verb, noun).map((line) => foldCommand(`tourctl ${line}`, width));
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
  if (refused.some((flag) => CUSTOMER_FLAGS.includes(flagName(flag))))
    command.addHelpText('after', `\n${NOT_SHOWN}`);
  if (verb.more) command.addHelpText('after', () => `\n${verb.more!()}`);
  command.action((...received: unknown[]) =>
    start(verb, { ...readOptions(command.opts()), args: received.slice(0, positionals.length) }, noun?.name),
  );
}

function toOption(flag: Flag): Option {
  const notes = [
    flag.must && (flag.unless ? `required without ${flagName(flag.unless)}` : 'required'),
    flag.choices && `one of ${flag.choices.join(', ')}`,
    flag.repeats && 'may be repeated, or a list with commas',
    flag.otherwise && `default ${flag.otherwise}`,
  ].filter(Boolean);
  const option = new Option(
    flag.flags,
    notes.length > 0 ? `${flag.about} (${notes.join('; ')})` : flag.about,
  );
  if (!flag.flags.includes('<')) return option;
  return option.argParser((text: string, previous?: Given) => readFlag(flag, text, previous));
}

/**
 * Holds a parsed value with its mistakes. Without this class, commander would turn null into an empty string, and stop at the first
 * mistake.
 */
class Given {
  constructor(
    readonly value: unknown,
    readonly mistakes: readonly string[],
  ) {}
}

function readFlag(flag: Flag, text: string, previous: Given | undefined): Given {
  const { value: before, mistakes = [] } = previous ?? {};
  if (previous && !flag.repeats) return new Given(before, [`${flagName(flag)} may be given only once`]);
  try {
    const value = parseFlag(flag, text);
    return new Given(flag.repeats && previous ? [before, value].flat() : value, mistakes);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return new Given(before, [...mistakes, error.message]);
  }
}

function readOptions(options: Record<string, unknown>): Omit<GivenValues, 'args'> {
  const given = Object.entries(options);
  const plain = (value: unknown) => (value instanceof Given ? value.value : value);
  return {
    options: Object.fromEntries(given.map(([name, value]) => [name, plain(value)])),
    mistakes: Object.fromEntries(
      given.flatMap(([name, value]) =>
        value instanceof Given && value.mistakes.length > 0 ? [[name, value.mistakes]] : [],
      ),
    ),
  };
}

function argumentsOf(command: Command): string {
  const usage = command.usage();
  return usage === NOUN_USAGE ? '' : usage.replace(OPTIONS, '').trim();
}

/**
 * Runs one command line, without the word `tourctl`, and returns its exit code when the readers have taken all output. Reads and writes only
 * through `io`, not through the process.
 * @returns 0 done, 1 refused, 2 the command line is wrong, 130 interrupted (docs/terminal.md)
 */
export async function run(given: string[], io: Io): Promise<number> {
  const { leading, words } = takeLeadingActor(given);
  const argv = arrangeCommandLine(words);
  // Reads --json and --wide first, so that a usage error has the requested format too.
  const flags = beforeDashes(argv);
  const output = createOutput(io, flags.includes('--json'), flags.includes('--wide'));
  let code: number = EXIT.done;
  try {
    const actor = leading === undefined ? undefined : actorName(leading, '--actor');
    refuseUnknownCommand(flags);
    const asksHelp = flags.includes('--help') || flags.includes('-h') || flags.length === 0;
    const person = asksHelp && !flags.includes('--all') ? await findPersonAtTerminal(io) : undefined;
    const begin: Start = async (verb, line, noun) => {
      const options = verb.audits ? { actor, ...line.options } : line.options;
      const { runVerb } = require('./engine/run-verb') as typeof import('./engine/run-verb');
      code = (await runVerb(verb, { ...line, options }, { io, output }, noun)) ?? EXIT.done;
    };
    const program = createProgram(readVersion(io), output, begin, person);
    const words = asksHelp ? argv.filter((word) => word !== '--all') : argv;
    await program.parseAsync(words, { from: 'user' }).catch(acceptNormalEnd);
    await output.drain();
    return code;
  } catch (error) {
    return fail(error, output, commandPath(argv));
  }
}

/** Flags that mean the same everywhere, and may precede the command. */
const EVERYWHERE = ['--json', '--yes'];

/**
 * Removes an `--actor` before the command and returns its name. A shell alias may add `--actor` to every command, so commands that write
 * nothing accept it too. Before `audit list`, `--actor` names the operator and does not filter the list. If `--actor` is repeated, the last
 * one counts.
 */
function takeLeadingActor(given: readonly string[]): { leading?: string; words: string[] } {
  const words = [...given];
  let leading: string | undefined;
  for (;;) {
    const at = words.findIndex((word) => !EVERYWHERE.includes(word));
    if (words[at] === '--actor') leading = words.splice(at, 2)[1] ?? '';
    else if (words[at]?.startsWith('--actor=')) leading = words.splice(at, 1)[0]!.slice('--actor='.length);
    else return { leading, words };
  }
}

/** Rearranges the command line for commander: `help key issue` becomes `key issue --help`, flags come last. */
export function arrangeCommandLine(argv: readonly string[]): string[] {
  const first = argv.findIndex((word) => !EVERYWHERE.includes(word));
  const leading = argv.slice(0, Math.max(first, 0));
  const [command, ...rest] = argv.slice(leading.length);
  if (command === undefined) return [...argv];
  if (command === 'help') return [...rest, ...leading, '--help'];
  const end = rest.indexOf('--');
  const dashes = end < 0 ? rest.length : end;
  return [command, ...rest.slice(0, dashes), ...leading, ...rest.slice(dashes)];
}

/** Returns the words before `--`; words after it are never flags. */
function beforeDashes(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return end < 0 ? [...argv] : argv.slice(0, end);
}
