import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from './describe-with';

/** Bytes that a keyboard sends. */
export const KEY = {
  enter: '\r',
  down: '\x1b[B',
  space: ' ',
  escape: '\x1b',
  ctrlC: '\x03',
  clearLine: '\x15',
} as const;

/** A command on its own terminal of 80 columns, with simulated key presses. */
export interface PseudoTerminal {
  /** The terminal's text so far: stdout, stderr and the echoed keys, without colours and cursor moves. */
  readonly shown: string;
  /** The bytes so far, with control sequences. */
  readonly raw: string;
  /** Waits until the text appears after the text that the previous call waited for. @throws Error with the screen after twenty seconds */
  see(text: string): Promise<void>;
  /** Waits for the question, then presses the keys, one after another. */
  answer(question: string, ...keys: string[]): Promise<void>;
  /** The exit code. */
  ended: Promise<number>;
}

const TIMEOUT_MS = 20_000;

/** Declares a suite that needs `script`, which is in Debian's essential package bsdutils. */
export function describeOnTerminal(title: string, suite: () => void): void {
  describeWith('bsdutils', title, suite, hasScript());
}

function hasScript(): boolean {
  const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  return (stdout ?? '').includes('util-linux');
}

/** @param line a shell command; redirected output does not appear on the terminal */
export function openPseudoTerminal(line: string, env: Record<string, string>): PseudoTerminal {
  // `script` copies the size of its standard input, which is not a terminal here, so stty sets it.
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
    get raw() {
      return raw;
    },
    see,
    async answer(question, ...keys) {
      await see(question);
      for (const [i, key] of keys.entries()) {
        // A program that gets two keys in one chunk may read them as one escape sequence.
        if (i > 0) await sleep(30);
        child.stdin.write(key);
      }
    },
    ended,
  };
}

function plain(raw: string): string {
  return raw.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replace(/\r/g, '');
}
