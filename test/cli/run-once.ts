import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../cli/terminal/io';
import { run } from '../../cli/program';
import type { Screen } from '../../cli/terminal/screen';

interface Surroundings {
  env: Record<string, string>;
  /** Left out, stdout is a pipe. */
  screen?: Screen;
}

/** An installation's terminal with nobody at it, and what is written there. */
export function openIo({ env, screen }: Surroundings): {
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
  const streams = { stdin: Readable.from([]), stdout: into('stdout'), stderr: into('stderr') };
  return { io: { ...streams, env, screen, isTTY: false, root: path.resolve(__dirname, '../..') }, written };
}

/** One command line in an environment and on a screen of its own. */
export async function runOnce(line: string, surroundings: Surroundings) {
  const { io, written } = openIo(surroundings);
  const begun = performance.now();
  const code = await run(line.split(' ').filter(Boolean), io);
  return { code, ...written, seconds: (performance.now() - begun) / 1000 };
}
