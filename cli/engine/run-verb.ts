import { type Action, type DatabaseVerb, isOnDatabase, optionKey, type Verb, verbName } from './command';
import {
  type Choose,
  type CompletedLine,
  completeValues,
  type GivenValues,
  lacksNamedArgument,
} from './complete-values';
import { mayAsk, nobodyToAsk } from './confirm';
import {
  type AuditedContext,
  type Basics,
  type OpeningTerminal,
  openTerminal,
  type Terminal,
} from './context';
import { announceTenant, withDefaultTenant } from './default-tenant';
import { refuseMistakes, UsageError } from './failure';
import { isIdKind, namedByFlag } from './named-values';
import { refuseNotAllowed } from './people-rights';
import { createDisplay, drawRepeatedly, refuseWatch } from './watch';
import { endAtInterruption } from '../terminal/io';

/** Loads Knex only for a command that uses the database. */
const loadDatabase = () => require('./open-database') as typeof import('./open-database');
const loadFindIds = () => require('./find-ids') as typeof import('./find-ids');

/**
 * Asks for missing values, checks all values, and runs the action. The action gets the streams, the configuration and the database if it
 * needs them.
 * @returns the exit code of the action; undefined means 0
 */
export async function runVerb(
  verb: Verb,
  line: GivenValues,
  basics: Basics,
  noun?: string,
): Promise<number | void> {
  const command = [noun, verbName(verb)].filter(Boolean).join(' ');
  await refuseNotAllowed(verb, command, line.options, basics.io);
  const { args, tenant } = withDefaultTenant(verb, noun, line.args, basics.io);
  const completed = await complete(verb, noun, { ...line, args }, basics);
  // Removes --actor, which names the operator, from the options. Keeps it for `audit list`, where --actor is a filter.
  const { actor, ...others } = completed.options;
  const checked = { args: completed.args, options: verb.audits ? others : completed.options };
  refuseOptions(verb, checked, basics);
  if (tenant) announceTenant(tenant, basics.output);
  if (verb.needs === 'nothing') return call(verb.run, basics, checked);
  const terminal = openTerminal(basics, checked.options.yes === true, {
    actor: actor as string | undefined,
    command,
  });
  if (verb.needs === 'configuration') return call(verb.run, terminal, checked);
  if (verb.needs === 'database-on-demand')
    return call<OpeningTerminal<AuditedContext>>(
      verb.run,
      openingTerminal(terminal),
      await withWholeIds(verb, noun, terminal, checked),
    );
  return runOnDatabase(verb, noun, terminal, checked);
}

/** Completes the ids of flags before the action asks. Opens the database only if a flag names an id. */
async function withWholeIds(
  verb: Verb,
  noun: string | undefined,
  terminal: Terminal,
  line: CompletedLine,
): Promise<CompletedLine> {
  const namesId = verb.flags?.some((one) => isIdKind(namedByFlag(one)) && line.options[optionKey(one)]);
  if (!namesId) return line;
  return loadDatabase().withContext(terminal, {}, ({ db }) => loadFindIds().findIds(db, verb, noun, line));
}

/** Adds the function that opens the database, which loads Knex only then. */
function openingTerminal(terminal: Terminal): OpeningTerminal<AuditedContext> {
  return {
    ...terminal,
    withDatabase: (use, work, words) => loadDatabase().withContext(terminal, use, work, words),
  };
}

/** Completes the command line. Opens the database for it only if the person has to choose from a list. */
async function complete(
  verb: Verb,
  noun: string | undefined,
  given: GivenValues,
  basics: Basics,
): Promise<CompletedLine> {
  const { io } = basics;
  const askWith = (choose?: Choose) => completeValues(verb, noun, given, { io, choose });
  if (!mayAsk(basics)) return completeValues(verb, noun, given, undefined);
  if (!isOnDatabase(verb) || !lacksNamedArgument(verb, noun, given)) return askWith();
  refuseMistakes(Object.values(given.mistakes).flat());
  const { chooserOf } = require('./choose-name') as typeof import('./choose-name');
  return loadDatabase().withContext(openTerminal(basics, false), verb, (context) =>
    askWith(chooserOf(io, () => Promise.resolve(context.db))),
  );
}

/** Refuses options that do not go together, and a missing --yes if nobody can be asked. @throws UsageError */
function refuseOptions(verb: Verb, { args, options }: CompletedLine, basics: Basics): void {
  verb.check?.(options as never, ...(args as never[]));
  if (options.csv === true && basics.output.json)
    throw new UsageError('--csv and --json cannot be given together');
  if (options.watch === true) refuseWatch(basics);
  const asks = verb.asks?.(options as never) ?? false;
  if (asks && options.yes !== true && !mayAsk(basics)) throw nobodyToAsk();
}

/** Opens the database, completes the ids of the command line, and runs the action: once, or with --watch again and again. */
async function runOnDatabase(
  verb: DatabaseVerb,
  noun: string | undefined,
  terminal: Terminal,
  line: CompletedLine,
): Promise<number | void> {
  const words = [...line.args, ...Object.values(line.options)]
    .flat()
    .filter((value): value is string => typeof value === 'string');
  const { withContext } = loadDatabase();
  const run = async (context: AuditedContext) =>
    call<AuditedContext>(verb.run, context, await loadFindIds().findIds(context.db, verb, noun, line));
  if (line.options.watch !== true) return withContext(terminal, verb, run, words);
  const display = createDisplay(terminal.output);
  const draw = (context: AuditedContext) => drawRepeatedly(display, context, run);
  try {
    await endAtInterruption(() => withContext(terminal, verb, draw, words));
  } finally {
    display.close();
  }
}

/** Calls the action with parsed values; the declaration of the verb guarantees that their types fit. */
function call<C>(action: Action<C>, context: C, { args, options }: CompletedLine) {
  return action(context, options as never, ...(args as never[]));
}
