import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../../cli/program';
import type { Screen } from '../../../cli/terminal/screen';

const ROOT = path.resolve(__dirname, '../../..');

/** A parsed command line. */
interface CommandLine {
  env: Record<string, string>;
  words: string[];
  stdin?: string;
  stdout?: string;
  head?: number;
}

/** Implements the part of a shell that the guide needs: `NAME=value command words < file > file | head -5`. */
export interface Shell {
  /** Returns the text on a screen of that size. */
  type(line: string, screen: Screen): Promise<string>;
}

export function openShell(env: Record<string, string>, folder: string): Shell {
  let code = 0;
  return {
    async type(line, screen) {
      const command = readLine(line);
      if (line === 'echo $?') return `${code}\n`;
      if (command.words[0] === 'cat')
        return readFileSync(path.join(folder, command.words[1]!), 'utf8').replaceAll('\r', '');
      if (command.words[0] !== 'tourctl')
        throw new Error(`the guide types what its shell does not know: ${line}`);
      const answer = await tourctl(command, { ...env, ...command.env }, screen, folder);
      code = answer.code;
      return answer.text;
    },
  };
}

async function tourctl(
  { words, stdin, stdout, head }: CommandLine,
  env: Record<string, string>,
  screen: Screen,
  folder: string,
): Promise<{ code: number; text: string }> {
  const shown: string[] = [];
  const filed: string[] = [];
  const into = (lines: string[]) =>
    new Writable({ write: (chunk: Buffer, _, done) => (lines.push(chunk.toString()), done()) });
  const isScreen = stdout === undefined && head === undefined;
  const io = {
    stdin: Readable.from(stdin === undefined ? [] : [readFileSync(path.join(folder, stdin))]),
    stdout: into(stdout === undefined ? shown : filed),
    stderr: into(shown),
    env,
    isTTY: false,
    screen: isScreen ? screen : undefined,
    root: ROOT,
  };
  const before = process.cwd();
  process.chdir(folder);
  const code = await run(words.slice(1), io).finally(() => process.chdir(before));
  if (stdout !== undefined) writeFileSync(path.join(folder, stdout), filed.join(''));
  const text = shown.join('');
  return { code, text: head === undefined ? text : text.split('\n').slice(0, head).join('\n') + '\n' };
}

function readLine(line: string): CommandLine {
  const words = [...line.replace(/\\\n/g, ' ').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare!,
  );
  const command: CommandLine = { env: {}, words: [] };
  while (words.length > 0) {
    const word = words.shift()!;
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(word) ?? [];
    if (name && command.words.length === 0) command.env[name] = value!;
    else if (word === '<') command.stdin = words.shift();
    else if (word === '>') command.stdout = words.shift();
    else if (word === '|') command.head = Number(words.splice(0, 2)[1]!.slice(1));
    else command.words.push(word);
  }
  return command;
}
