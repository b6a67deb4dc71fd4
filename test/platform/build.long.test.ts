import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const NO_BUILD =
  'error: There is no build. Run npm ci without --ignore-scripts and --omit=dev, or npm run build.\n';
const REBUILT = 'The build was older than the sources: built again.\n';
const STALE = 'The build is older than the sources: run npm run build.\n';

/** The files that run before a build, or that make one. The sources that they build are the test's own. */
const PROGRAMS = ['build.cjs', 'cli/tourctl.js', 'clients/booking-element/bundle.cjs'];

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'build-'));
  for (const file of PROGRAMS) {
    mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
    copyFileSync(path.join(ROOT, file), path.join(checkout, file));
  }
  write('cli/main.ts', "import { answer } from '../services/answer';\nexport const main = () => answer();\n");
  writeAnswer("console.log('first')");
  write('services/assets/page.css', 'a {}');
  write('services/generated/types.d.ts', 'export type A = 1;');
  write('migrations/0001.sql', 'select 1');
  write('seeds/tours.json', '[]');
  write('clients/booking-element/src/jsx.ts', "export { h } from 'preact';");
  write('services/api/parties/party-rules.ts', "export const color = 'blue';");
  write('services/platform/forms/contact-forms.ts', 'export const forms = 1;');
  write(
    'clients/booking-element/src/element.tsx',
    "import css from './style.css';\nimport { color } from './party-rules.ts';\ndocument.title = css + color;\n",
  );
  write('clients/booking-element/src/style.css', 'b { color: lime }');
  installCompiler();
});
afterEach(() => rmSync(checkout, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(checkout, file)), { recursive: true });
  writeFileSync(path.join(checkout, file), text);
}

function writeAnswer(statement: string): void {
  write(
    'services/answer.ts',
    `interface Unused {\n  name: string;\n}\n\nexport function answer(): void {\n  ${statement};\n}\n`,
  );
}

function installCompiler(): void {
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
}

/** Removes the compiler, like `npm ci --omit=dev`. */
function removeCompiler(): void {
  rmSync(path.join(checkout, 'node_modules'));
}

const build = (...options: string[]) => run('build.cjs', ...options);
const tourctl = () => run('cli/tourctl.js');

function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, args, { cwd: checkout });
  const outcome = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (outcome.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (outcome.stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...outcome }));
  });
}

describe('the build', () => {
  it('the build compiles the sources and copies the files that are read at run time', async () => {
    expect(await build()).toEqual({ code: 0, stdout: '', stderr: '' });
    const files = readdirSync(path.join(checkout, 'dist'), { recursive: true }) as string[];
    expect(files).toEqual(
      expect.arrayContaining([
        'cli/main.js',
        'services/answer.js',
        'services/answer.js.map',
        'services/assets/page.css',
        'services/generated/types.d.ts',
        'migrations/0001.sql',
        'seeds/tours.json',
        'services/api/widget/assets/booking.v1.js',
      ]),
    );
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
  });

  it('the build copies the sources that the clients share before it bundles the element, and stays fresh', async () => {
    await build();
    expect(readFileSync(path.join(checkout, 'clients/booking-element/src/party-rules.ts'), 'utf8')).toContain(
      'blue',
    );
    write('services/api/parties/party-rules.ts', "export const color = 'green';");
    expect((await build('--check')).stderr).toBe(REBUILT);
    const bundle = path.join(checkout, 'dist/services/api/widget/assets/booking.v1.js');
    expect(readFileSync(bundle, 'utf8')).toContain('green');
    expect((await build('--check')).stderr).toBe('');
  });

  it('the build removes the output of a removed source', async () => {
    write('services/removed.ts', 'export const removed = 1;');
    await build();
    expect(existsSync(path.join(checkout, 'dist/services/removed.js'))).toBe(true);
    rmSync(path.join(checkout, 'services/removed.ts'));
    expect(await tourctl()).toMatchObject({ stdout: 'first\n', stderr: REBUILT });
    expect(existsSync(path.join(checkout, 'dist/services/removed.js'))).toBe(false);
  });

  it('the build bundles the element of the browser again after its sources changed', async () => {
    const bundle = () =>
      readFileSync(path.join(checkout, 'dist/services/api/widget/assets/booking.v1.js'), 'utf8');
    await build();
    expect(bundle()).toContain('b{color:#0f0}');
    write('clients/booking-element/src/style.css', 'b { color: red }');
    expect((await tourctl()).stderr).toBe(REBUILT);
    expect(bundle()).toContain('b{color:red}');
  });

  it('several builds that run at the same time leave one complete build', async () => {
    const builds = await Promise.all(Array.from({ length: 6 }, () => build()));
    expect(builds).toEqual(Array.from({ length: 6 }, () => ({ code: 0, stdout: '', stderr: '' })));
    expect(readdirSync(checkout).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
  });

  it('the build keeps the last build when a source does not compile', async () => {
    await build();
    const before = readFileSync(path.join(checkout, 'dist/sources.txt'), 'utf8');
    writeAnswer('const =');
    expect((await build()).code).toBe(1);
    expect(readFileSync(path.join(checkout, 'dist/sources.txt'), 'utf8')).toBe(before);
    expect(readdirSync(checkout).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: STALE });
  });

  it('the build maps the stack traces of a process that reads source maps, as the services do', async () => {
    writeAnswer("throw new Error('lost')");
    await build();
    expect((await run('--enable-source-maps', 'cli/tourctl.js')).stderr).toContain(
      path.join(checkout, 'services/answer.ts:6'),
    );
  });
});

describe('tourctl in a checkout', () => {
  it('tourctl in a checkout ends with one line that says what to do when there is no build', async () => {
    expect(await tourctl()).toEqual({ code: 1, stdout: '', stderr: NO_BUILD });
    expect(await build('--check')).toEqual({ code: 1, stdout: '', stderr: NO_BUILD });
  });

  it('tourctl in a checkout builds again after a source changed, and says so once', async () => {
    await build();
    writeAnswer("console.log('second')");
    expect(await tourctl()).toEqual({ code: 0, stdout: 'second\n', stderr: REBUILT });
    expect(await tourctl()).toEqual({ code: 0, stdout: 'second\n', stderr: '' });
  });

  it('several commands that find a stale build build once, and all run', async () => {
    await build();
    for (let file = 0; file < 200; file += 1) write(`services/more/${file}.ts`, 'export const more = 1;');
    writeAnswer("console.log('second')");
    const commands = await Promise.all(Array.from({ length: 6 }, () => tourctl()));
    expect(commands.map(({ code, stdout }) => [code, stdout])).toEqual(Array(6).fill([0, 'second\n']));
    expect(commands.map(({ stderr }) => stderr).join('')).toBe(REBUILT);
  });

  it.each([
    ['a process that has ended', '4194305', 0],
    ['a process whose id another process has now', String(process.pid), 121_000],
  ])('tourctl in a checkout builds although %s has left the lock of a build', async (_, owner, ageMs) => {
    await build();
    writeAnswer("console.log('second')");
    write('dist.lock', owner);
    const since = new Date(Date.now() - ageMs);
    utimesSync(path.join(checkout, 'dist.lock'), since, since);
    expect(await tourctl()).toEqual({ code: 0, stdout: 'second\n', stderr: REBUILT });
    expect(readdirSync(checkout).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  });

  it('tourctl in a checkout warns about a stale build that it cannot replace', async () => {
    await build();
    removeCompiler();
    writeAnswer("console.log('second')");
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: STALE });
  });

  it('tourctl in a checkout runs a build without the compiler, as after npm prune --omit=dev', async () => {
    await build();
    removeCompiler();
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
  });

  it('tourctl in a checkout runs a build without its sources, as in the image', async () => {
    await build();
    for (const name of ['build.cjs', 'services', 'cli/main.ts', 'clients', 'migrations', 'seeds'])
      rmSync(path.join(checkout, name), { recursive: true });
    expect(await tourctl()).toEqual({ code: 0, stdout: 'first\n', stderr: '' });
  });
});

describe('an installation without the compiler', () => {
  it('the prepare script succeeds and leaves no build', async () => {
    removeCompiler();
    expect(await build('--install')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await tourctl()).toEqual({ code: 1, stdout: '', stderr: NO_BUILD });
  });

  it('npm run build ends with one line that says what to do', async () => {
    removeCompiler();
    const stderr = 'error: The compiler is not installed. Run npm ci without --omit=dev.\n';
    expect(await build()).toEqual({ code: 1, stdout: '', stderr });
  });
});
