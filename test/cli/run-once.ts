import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../cli/terminal/io';
import { run } from '../../cli/program';
import type { Screen } from '../../cli/terminal/screen';

interface Surroundings {
  env: Record<string, string>;
  envFile?: string;
  /** The folder of the installation; this checkout unless a test has its own. */
  root?: string;
  stdin?: string;
  /** Absent when stdout is a pipe. */
  screen?: Screen;
  interrupted?: AbortSignal;
}

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
  /** The JSON document on stdout; the test knows its shape. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any;
  /** The member `error` of the JSON document on stderr. */
  error: { code: string; message: string };
  seconds: number;
}

/** Opens the streams of a command that cannot ask questions. `written` collects its output. */
export function openIo({ stdin = '', root = path.resolve(__dirname, '../..'), ...rest }: Surroundings): {
  io: Io;
  written: { stdout: string; stderr: string };
} {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk: Buffer, _, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const streams = { stdin: Readable.from([stdin]), stdout: into('stdout'), stderr: into('stderr') };
  return { io: { ...streams, ...rest, isTTY: false, root }, written };
}

/** Runs one command line in this process. @param line text that is split at spaces, or its words */
export async function runOnce(line: string | string[], surroundings: Surroundings): Promise<Answer> {
  const { io, written } = openIo(surroundings);
  const begun = performance.now();
  const code = await run(Array.isArray(line) ? line : line.split(' ').filter(Boolean), io);
  return {
    code,
    ...written,
    seconds: (performance.now() - begun) / 1000,
    get json() {
      return JSON.parse(written.stdout);
    },
    get error() {
      return JSON.parse(written.stderr).error;
    },
  };
}
