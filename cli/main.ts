import { run } from './run';
import { readScreen } from './screen';

/** The process around `run`: everything that only exists once in a process is touched here. */
export function main(root: string): void {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  // Told twice is told once: npm passes on the signal that the terminal has already sent to everybody.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt.abort());
  // The reader of a pipe went away, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

  const isTTY = Boolean(stdin.isTTY && stderr.isTTY);
  void run(process.argv.slice(2), {
    stdin,
    stdout,
    stderr,
    env,
    isTTY,
    screen: readScreen(stdout, env),
    interrupted: interrupt.signal,
    root,
  }).then((code) => {
    process.exitCode = code;
    if (interrupt.signal.aborted) process.exit(code);
    // What still holds the process then is a connection that nobody answers on.
    setTimeout(() => process.exit(code), 500).unref();
  });
}
