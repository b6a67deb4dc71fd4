import { type Action, takesActor, type Verb } from './command';
import { completeValues, type GivenValues } from './complete-values';
import { mayAsk, nobodyToAsk } from './confirm';
import { type Basics, openTerminal } from './context';

/**
 * Asks for missing values, checks the values, and runs the action with what it needs: the streams, the configuration, the database.
 * @returns the exit code of the action; undefined means 0
 */
export async function runVerb(verb: Verb, line: GivenValues, basics: Basics): Promise<number | void> {
  const interactive = mayAsk(basics);
  const { options: given, args } = await completeValues(verb, line, basics.io, interactive);
  // Removes --actor, which names the operator, from the options. Keeps it for `audit list`, where --actor is a filter.
  const { actor, ...others } = given;
  const options = takesActor(verb) ? others : given;
  verb.check?.(options as never, ...(args as never[]));
  const agreed = options.yes === true;
  if (verb.asks?.(options as never) && !agreed && !interactive) throw nobodyToAsk();
  if ('runBare' in verb) return call(verb.runBare, basics, options, args);
  const terminal = openTerminal(basics, agreed, actor as string | undefined);
  if ('runOffline' in verb) return call(verb.runOffline, terminal, options, args);
  const words = [...args, ...Object.values(others)]
    .flat()
    .filter((value): value is string => typeof value === 'string');
  // Loads Knex only for a command that uses the database.
  const { withContext } = require('./open-database') as typeof import('./open-database');
  return withContext(terminal, verb, (context) => call(verb.run, context, options, args), words);
}

/** Calls the action with parsed values; the declaration of the verb guarantees that their types fit. */
function call<C>(action: Action<C>, context: C, options: unknown, args: unknown[]) {
  return action(context, options as never, ...(args as never[]));
}
