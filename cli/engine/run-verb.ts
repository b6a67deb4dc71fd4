import { type Action, takesActor, type Verb } from './command';
import { type CompletedLine, completeValues, type GivenValues } from './complete-values';
import { mayAsk, nobodyToAsk } from './confirm';
import { type Basics, type Context, openTerminal, type Terminal } from './context';
import { announceTenant, findDefaultTenant, withSlug } from './default-tenant';
import { UsageError } from './failure';
import { idPlaces } from './named-values';
import { refuseWatch, watch } from './watch';

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
  const interactive = mayAsk(basics);
  const tenant = findDefaultTenant(verb, noun, line.args, basics);
  const complete = tenant ? { ...line, args: withSlug(verb, tenant.slug, line.args) } : line;
  const { options: given, args } = await completeValues(verb, complete, basics.io, interactive, noun);
  // Removes --actor, which names the operator, from the options. Keeps it for `audit list`, where --actor is a filter.
  const { actor, ...others } = given;
  const options = takesActor(verb) ? others : given;
  verb.check?.(options as never, ...(args as never[]));
  if (options.csv === true && basics.output.json)
    throw new UsageError('--csv and --json cannot be given together');
  if (options.watch === true) refuseWatch(basics);
  const agreed = options.yes === true;
  if (verb.asks?.(options as never) && !agreed && !interactive) throw nobodyToAsk();
  if (tenant) announceTenant(tenant, basics.output);
  if ('runBare' in verb) return call(verb.runBare, basics, options, args);
  const terminal = openTerminal(basics, agreed, actor as string | undefined);
  if ('runOffline' in verb) return call(verb.runOffline, terminal, options, args);
  return runOnDatabase(verb, noun, terminal, { args, options });
}

/** Opens the database, completes the ids of the command line, and runs the action: once, or with --watch again and again. */
async function runOnDatabase(
  verb: Extract<Verb, { run: unknown }>,
  noun: string | undefined,
  terminal: Terminal,
  { args, options }: CompletedLine,
): Promise<number | void> {
  const words = [...args, ...Object.values(options)]
    .flat()
    .filter((value): value is string => typeof value === 'string');
  // Loads Knex only for a command that uses the database.
  const { withContext } = require('./open-database') as typeof import('./open-database');
  const places = idPlaces(verb, noun);
  const run = async (context: Context) => {
    const found = places.length > 0 ? await findIds(context, places, { args, options }) : { args, options };
    return call(verb.run, context, found.options, found.args);
  };
  if (options.watch !== true) return withContext(terminal, verb, run, words);
  return watch(terminal, (draw) => withContext(terminal, verb, (context) => draw(context, run), words));
}

function findIds(...given: Parameters<typeof import('./find-ids').findIds>) {
  return (require('./find-ids') as typeof import('./find-ids')).findIds(...given);
}

/** Calls the action with parsed values; the declaration of the verb guarantees that their types fit. */
function call<C>(action: Action<C>, context: C, options: unknown, args: unknown[]) {
  return action(context, options as never, ...(args as never[]));
}
