import path from 'node:path';
import { run } from './program';
import { readScreen } from './terminal/screen';

/** Connects `run` to the process: signals, streams, exit code. `run` returns after the readers have taken all output. */
export function main(root: string): void {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  // Listens for every signal, not only for the first one: after Ctrl-C the terminal sends a signal, and npm sends another one.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt.abort());
  const isTTY = Boolean(stdin.isTTY && stderr.isTTY);
  void run(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    envFile: path.resolve('.env'),
    isTTY,
    screen: readScreen(stdout, env),
    interrupted: interrupt.signal,
    root,
    // Ends the process even if an unanswered connection is still open.
  }).then((code) => process.exit(code));
}
