import path from 'node:path';
import { run } from './program';
import { readScreen } from './terminal/screen';

/** Connects `run` to the process: signals, streams, exit code. */
export function main(root: string): void {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  // Listens for every signal, not only for the first one: after Ctrl-C the terminal sends a signal, and npm sends another one.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt.abort());
  const results = new Set<'change' | 'secret'>();
  stdout.on('error', ({ code = 'closed' }: NodeJS.ErrnoException) => {
    // Ends without an error if the reader closed the pipe, as `head` does.
    if (code === 'EPIPE' && !results.has('secret')) process.exit(0);
    const message = `Standard output cannot be written (${code})${describeLoss(results)}`;
    const document = JSON.stringify({ error: { code: 'output_lost', message } });
    stderr.write(`${process.argv.includes('--json') ? document : `error: ${message}`}\n`);
    process.exit(1);
  });

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
    onResult: (what) => void results.add(what),
    root,
  }).then((code) => {
    process.exitCode = code;
    if (interrupt.signal.aborted) process.exit(code);
    // Ends the process even if an unanswered connection is still open.
    setTimeout(() => process.exit(code), 500).unref();
  });
}

function describeLoss(results: Set<'change' | 'secret'>): string {
  if (results.has('secret'))
    return ': the issued credential is valid but its secret is lost: rotate or revoke it';
  return results.has('change') ? ': the change was made' : '';
}
