import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Action, Verb } from './command';
import { arrangeCommandLine, beforeDashes } from './command-line';
import { completeValues } from './complete-values';
import { nobodyToAsk, openTerminal, withContext } from './context';
import { EXIT, fail } from './failure';
import { commandPath, refuseUnknownCommand } from './find-command';
import type { Io } from './io';
import { createOutput, type Output } from './output';
import { createProgram, type CommandLine } from './program';

/**
 * One command line, without `tourctl` itself, to its exit code. It touches nothing of the process but what `io` has.
 * @returns 0 done, 1 refused, 2 the command line is wrong, 130 interrupted (CONTRACT section 6)
 */
export async function run(given: string[], io: Io): Promise<number> {
  const argv = arrangeCommandLine(given);
  // Also the complaint about a wrong command line has the form that was asked for.
  const output = createOutput(io, beforeDashes(argv).includes('--json'));
  let code: number = EXIT.done;
  try {
    refuseUnknownCommand(beforeDashes(argv));
    const program = createProgram(readVersion(io), output, async (verb, line) => {
      code = (await start(verb, line, io, output)) ?? EXIT.done;
    });
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return fail(error, output, commandPath(argv));
  }
}

async function start(verb: Verb, line: CommandLine, io: Io, output: Output): Promise<number | void> {
  const interactive = io.isTTY && !output.json;
  const { options, args } = await completeValues(verb, line, io, interactive);
  verb.check?.(options as never, ...(args as never[]));
  const agreed = options.yes === true;
  if (verb.asks?.(options as never) && !agreed && !interactive) throw nobodyToAsk();
  if ('runBare' in verb) return call(verb.runBare(), { io, output }, options, args);
  const terminal = openTerminal(io, output, agreed);
  if ('runOffline' in verb) return call(verb.runOffline(), terminal, options, args);
  const action = verb.run();
  return withContext(terminal, verb.schema ?? 'up-to-date', (context) =>
    call(action, context, options, args),
  );
}

/** The values were parsed by the verb's own flags; that they fit its action is the noun's affair. */
function call<C>(action: Action<C>, context: C, options: unknown, args: unknown[]) {
  return action(context, options as never, ...(args as never[]));
}

function readVersion(io: Io): string {
  return (JSON.parse(readFileSync(path.join(io.root, 'package.json'), 'utf8')) as { version: string })
    .version;
}
