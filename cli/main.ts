import { run } from './run';
import { readScreen } from './screen';

/** The process around `run`: everything that only exists once in a process is touched here. */
export function main(root: string): void {
  const { stdin, stdout, stderr, env } = process;
  const interrupt = new AbortController();
  // Told twice is told once: npm passes on the signal that the terminal has already sent to everybody.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt.abort());
  const news = new Set<'change' | 'secret'>();
  stdout.on('error', ({ code = 'closed' }: NodeJS.ErrnoException) => {
    // The reader of a pipe went away, as `head` does.
    if (code === 'EPIPE' && !news.has('secret')) process.exit(0);
    const message = `Standard output cannot be written (${code})${lostWithIt(news)}`;
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
    isTTY,
    screen: readScreen(stdout, env),
    interrupted: interrupt.signal,
    onNews: (what) => void news.add(what),
    root,
  }).then((code) => {
    process.exitCode = code;
    if (interrupt.signal.aborted) process.exit(code);
    // What still holds the process then is a connection that nobody answers on.
    setTimeout(() => process.exit(code), 500).unref();
  });
}

function lostWithIt(news: Set<'change' | 'secret'>): string {
  if (news.has('secret'))
    return ': what was issued is in force and nobody has its secret, so rotate or revoke it';
  return news.has('change') ? ': the change is made all the same' : '';
}
