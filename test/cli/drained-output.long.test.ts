import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { run } from '../../cli/program';
import { useTemporaryFolder } from '../support/temporary-folder';
import { TOURCTL, useTestTerminal } from './terminal';

const terminal = useTestTerminal();
const folder = useTemporaryFolder();

/** A pipe holds 64 KiB. */
const MEGABYTE = 1_000_000;
let invalid: string;

beforeAll(async () => {
  const tour = { continent: 'asia', country: 'JP', duration_days: 3, currency: 'JPY', base_price: 12_000 };
  const described = (i: number) => ({ ...tour, slug: `tour-${i}`, name: 'x', description: 'y'.repeat(5000) });
  const catalog = path.join(folder, 'tours.json');
  writeFileSync(catalog, JSON.stringify(Array.from({ length: 300 }, (_, i) => described(i))));
  expect((await terminal.tourctl(`catalog import ${catalog}`)).code).toBe(0);
  // The long name of the file stands in each of the thousand issues that an import lists at most.
  const deep = path.join(folder, ...Array<string>(6).fill('d'.repeat(200)));
  mkdirSync(deep, { recursive: true });
  invalid = path.join(deep, 'invalid.json');
  writeFileSync(invalid, JSON.stringify(Array(1200).fill({ slug: 'a' })));
  await terminal.db.raw(
    `insert into audit_log (actor, host, action, subject)
     select 'olga', 'host', 'test', repeat('s', 1200) from generate_series(1, 1000)`,
  );
});

/** Each way to write to stdout: a document, a table, a file, the issues of an import with exit code 1. */
const LINES: [line: string, code: number][] = [
  ['audit list --limit 1000 --json', 0],
  ['audit list --limit 1000 --wide', 0],
  ['catalog export', 0],
  ['catalog export --format csv --only tours', 0],
  ['catalog import INVALID --json', 1],
  ['catalog import INVALID', 1],
];

interface Outcome {
  /** The exit code of tourctl, the first command of the line. */
  code: number;
  stdout: string;
  stderr: string;
}

/** @param line a line for bash in which TOURCTL stands for the program */
function shell(line: string): Promise<Outcome> {
  const program = `'${process.execPath}' '${TOURCTL}'`;
  const script = `${line.replace('TOURCTL', program).replace('INVALID', invalid)}; exit "\${PIPESTATUS[0]}"`;
  const env = { PATH: process.env.PATH, ...terminal.env };
  return promisify(execFile)('bash', ['--norc', '-c', script], { env, maxBuffer: 100 * MEGABYTE }).then(
    (written) => ({ code: 0, ...written }),
    ({ code, stdout, stderr }: Outcome) => ({ code, stdout, stderr }),
  );
}

describe('tourctl whose reader is slow or ends early', () => {
  it.each(LINES)('tourctl %s gives a slow reader every byte, and its own exit code', async (line, code) => {
    const file = path.join(folder, `${LINES.findIndex(([each]) => each === line)}.out`);
    const [whole, slow] = await Promise.all([
      shell(`TOURCTL ${line} > '${file}'`),
      shell(`TOURCTL ${line} | (sleep 2; cat)`),
    ]);
    expect([whole.code, slow.code]).toEqual([code, code]);
    const expected = readFileSync(file, 'utf8');
    expect(expected.length).toBeGreaterThan(MEGABYTE);
    expect(slow.stdout.length).toBe(expected.length);
    expect(slow.stdout === expected).toBe(true);
    expect(slow.stderr).toBe(whole.stderr);
  });

  it.each(LINES)('tourctl %s keeps its exit code when the reader closes the pipe', async (line, code) => {
    const { stdout, stderr, ...ended } = await shell(`TOURCTL ${line} | head -c 10`);
    expect([ended.code, stdout.length]).toEqual([code, 10]);
    expect(stderr).toMatch(code === 0 ? /^([^\n]*there are more[^\n]*\n)?$/ : /^(error|{"error")[^\n]*\n$/);
  });

  it('tourctl gives a slow reader of stderr the whole error', async () => {
    const word = 'x'.repeat(100_000);
    const { code, stdout } = await shell(`TOURCTL ${word} 2>&1 >/dev/null | (sleep 2; cat)`);
    expect([code, stdout]).toEqual([2, expect.stringMatching(new RegExp(`x{100000}[^]*tourctl --help\n$`))]);
  });

  it('tourctl keeps its exit code when the readers of stdout and stderr are gone', async () => {
    expect(await shell('TOURCTL nonsense 2>&1 | true')).toEqual({ code: 2, stdout: '', stderr: '' });
    expect(await shell('TOURCTL catalog import INVALID 2>&1 | true')).toMatchObject({ code: 1, stdout: '' });
    expect(await shell('TOURCTL --help | true')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await shell('TOURCTL --help > /dev/full')).toMatchObject({ code: 1 });
  });

  it('a change is made although the reader of the answer is gone', async () => {
    const line = 'tenant create --slug unread --name Unread';
    expect(await shell(`TOURCTL ${line} | true`)).toMatchObject({ code: 0, stdout: '' });
    expect((await terminal.tourctl('tenant show unread')).code).toBe(0);
  });
});

/** Starts tourctl with a stdout that this test does not read, and presses Ctrl-C when the pipe is full. */
async function interruptUnread(line: string): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [TOURCTL, ...line.split(' ')], {
    env: { PATH: process.env.PATH, ...terminal.env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child.stdout, 'readable');
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number | null];
  child.stdout.destroy();
  return { code, stderr };
}

describe('Ctrl-C while output waits for its reader', () => {
  it.each(['audit list --limit 1000 --json', 'catalog export'])(
    'Ctrl-C ends tourctl %s with exit code 130 while its output waits',
    async (line) => {
      expect(await interruptUnread(line)).toEqual({
        code: 130,
        stderr: expect.stringContaining('nterrupted'),
      });
    },
  );

  it('Ctrl-C reports a committed change whose answer nobody has read', async () => {
    const interrupt = new AbortController();
    let stderr = '';
    const io = {
      stdin: Readable.from([]),
      // Takes no text, and so never calls back.
      stdout: new Writable({ write: () => interrupt.abort() }),
      stderr: new Writable({
        write(chunk: Buffer, _, done) {
          stderr += chunk.toString();
          done();
        },
      }),
      env: terminal.env,
      isTTY: false,
      interrupted: interrupt.signal,
      root: path.resolve(__dirname, '../..'),
    };
    expect(await run('tenant create --slug shown --name Shown'.split(' '), io)).toBe(130);
    expect(stderr).toBe('error: Interrupted: the change was made\n');
    expect((await terminal.tourctl('tenant show shown')).code).toBe(0);
  });
});
