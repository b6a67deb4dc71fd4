import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../cli/program';
import { createTestDatabase, type TestDatabase } from '../support/database';

const ROOT = path.resolve(__dirname, '../..');

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
  /** What stands on stdout, where it is one JSON document: the test gives it its shape. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  json: any;
  /** What stands on stderr as {"error": …}. */
  error: { code: string; message: string };
}

export interface TestTerminal extends TestDatabase {
  env: Record<string, string>;
  /** One command line, as a shell would split it, in this process; nobody sits there to be asked. */
  tourctl(line: string | string[], stdin?: string): Promise<Answer>;
}

/** A migrated, empty database and a terminal on it: call it in beforeAll, and `drop` in afterAll. */
export async function openTestTerminal(settings: Record<string, string> = {}): Promise<TestTerminal> {
  const database = await createTestDatabase();
  const env = {
    DATABASE_URL: database.url,
    SECRETS_KEY: 's'.repeat(32),
    CURSOR_KEY: 'c'.repeat(32),
    SUDO_USER: 'olga',
    ...settings,
  };
  return { ...database, env, tourctl: (line, stdin = '') => tourctl(line, stdin, env) };
}

/** Does `work` under other settings, and puts back what was there, whatever comes of it. */
export async function withEnv<T>(
  { env }: Pick<TestTerminal, 'env'>,
  settings: Record<string, string>,
  work: () => Promise<T>,
): Promise<T> {
  const before = { ...env };
  Object.assign(env, settings);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(settings)) delete env[name];
    Object.assign(env, before);
  }
}

async function tourctl(line: string | string[], stdin: string, env: Record<string, string>): Promise<Answer> {
  const argv = Array.isArray(line) ? line : line.split(' ').filter(Boolean);
  const [stdout, stderr] = [new Memory(), new Memory()];
  const io = { stdin: Readable.from([stdin]), stdout, stderr, env, isTTY: false, root: ROOT };
  const code = await run(argv, io);
  return {
    code,
    stdout: stdout.text,
    stderr: stderr.text,
    get json() {
      return JSON.parse(stdout.text);
    },
    get error() {
      return JSON.parse(stderr.text).error;
    },
  };
}

class Memory extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
