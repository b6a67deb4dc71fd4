import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../../cli/program';
import type { Screen } from '../../../cli/terminal/screen';

const ROOT = path.resolve(__dirname, '../../..');

/** A parsed command line. */
interface CommandLine {
  words: string[];
  stdin?: string;
  head?: number;
}

/** Implements the part of a shell that the guide needs: `command words < file | head -5`. */
export interface Shell {
  /** Returns the text on a screen of that size. */
  type(line: string, screen: Screen): Promise<string>;
}

export function openShell(env: Record<string, string>, folder: string): Shell {
  return {
    async type(line, screen) {
      const command = readLine(line);
      if (command.words[0] === 'cat')
        return readFileSync(path.join(folder, command.words[1]!), 'utf8').replaceAll('\r', '');
      if (command.words[0] !== 'tourctl')
        throw new Error(`the guide types what its shell does not know: ${line}`);
      return tourctl(command, env, screen, folder);
    },
  };
}

async function tourctl(
  { words, stdin, head }: CommandLine,
  env: Record<string, string>,
  screen: Screen,
  folder: string,
): Promise<string> {
  const shown: string[] = [];
  const terminal = () =>
    new Writable({ write: (chunk: Buffer, _, done) => (shown.push(chunk.toString()), done()) });
  const io = {
    stdin: Readable.from(stdin === undefined ? [] : [readFileSync(path.join(folder, stdin))]),
    stdout: terminal(),
    stderr: terminal(),
    env,
    isTTY: false,
    screen: head === undefined ? screen : undefined,
    root: ROOT,
  };
  const before = process.cwd();
  process.chdir(folder);
  await run(words.slice(1), io).finally(() => process.chdir(before));
  const text = shown.join('');
  return head === undefined ? text : text.split('\n').slice(0, head).join('\n') + '\n';
}

function readLine(line: string): CommandLine {
  const words = [...line.replace(/\\\n/g, ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare!,
  );
  const command: CommandLine = { words: [] };
  while (words.length > 0) {
    const word = words.shift()!;
    if (word === '<') command.stdin = words.shift();
    else if (word === '|') command.head = Number(words.splice(0, 2)[1]!.slice(1));
    else command.words.push(word);
  }
  return command;
}
