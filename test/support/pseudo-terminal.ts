import { spawn, spawnSync } from 'node:child_process';
import { describeWith } from './describe-with';

/** What a keyboard sends. */
export const KEY = { enter: '\r', down: '\x1b[B', space: ' ', ctrlC: '\x03', clearLine: '\x15' } as const;

/** A command on a terminal of its own, 80 columns wide, and a person at it. */
export interface PseudoTerminal {
  /** All that was written so far, stdout and stderr and the echo of what was typed; without colours and cursor moves. */
  readonly shown: string;
  /** Waits until the text is shown after what was waited for before. @throws Error with the screen, after twenty seconds */
  see(text: string): Promise<void>;
  /** Waits for the question, then presses the keys, one after another. */
  answer(question: string, ...keys: string[]): Promise<void>;
  /** The exit code. */
  ended: Promise<number>;
}

const TIMEOUT_MS = 20_000;

/** The pseudo-terminal is that of `script`, which every Linux has: in Debian's package bsdutils, an essential one. */
export function describeOnTerminal(title: string, suite: () => void): void {
  describeWith('bsdutils', title, suite, hasScript());
}

function hasScript(): boolean {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return (stdout ?? '').includes('util-linux');
}

/** @param line for a shell; what it redirects is not on the terminal */
export function openPseudoTerminal(line: string, env: Record<string, string>): PseudoTerminal {
  // The terminal that `script` makes is as large as its own standard input, which is none.
  const child = spawn('script', ['-qefc', `stty rows 50 cols 80; ${line}`, '/dev/null'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/sh', TERM: 'xterm', ...env },
  });
  let raw = '';
  let seen = 0;
  const waiting = new Set<() => void>();
  const look = (chunk: Buffer) => {
    raw += chunk.toString();
    for (const check of waiting) check();
  };
  child.stdout.on('data', look);
  child.stderr.on('data', look);
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });

  const see = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(check);
      };
      const check = () => {
        const at = plain(raw).indexOf(text, seen);
        if (at < 0) return;
        seen = at + text.length;
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        child.kill();
        reject(new Error(`never shown: ${text}\n${plain(raw).slice(-2000)}`));
      }, TIMEOUT_MS);
      waiting.add(check);
      check();
    });

  return {
    get shown() {
      return plain(raw);
    },
    see,
    async answer(question, ...keys) {
      await see(question);
      for (const key of keys) {
        child.stdin.write(key);
        // Two keys in one read would be one to whoever reads escapes.
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    ended,
  };
}

function plain(raw: string): string {
  return raw.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '');
}
