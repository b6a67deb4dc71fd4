import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeDirectory } from '../../services/platform/directories';
import { SERVICE_ENTRY } from '../support/service-entry';

const ROOT = path.resolve(__dirname, '../..');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'make-directory-'));
  writeFileSync(path.join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the creation of a directory', () => {
  it('makeDirectory creates missing parents, and returns whether the directory is new', () => {
    const deep = path.join(folder, 'a/b/c');
    expect([makeDirectory(deep), makeDirectory(deep)]).toEqual([true, false]);
    expect(statSync(deep).isDirectory()).toBe(true);
    expect(makeDirectory('/')).toBe(false);
  });

  it.each(['file', 'file/below'])(
    'makeDirectory fails where the path is a file or passes through one: %s',
    (name) => {
      expect(() => makeDirectory(path.join(folder, name))).toThrow(/E(EXIST|NOTDIR)/);
    },
  );
});

describe('a start with a DATA_DIR that cannot be created', () => {
  const starts: [string, string[]][] = [
    ['npm start', ['cli/tourctl.js', 'up']],
    ['tourctl migrate', ['cli/tourctl.js', 'migrate']],
    ['the API alone', [SERVICE_ENTRY.api]],
  ];
  const places: [string, () => string][] = [
    ['below /proc', () => '/proc/nope'],
    ['that is a file', () => path.join(folder, 'file')],
    ['below a file', () => path.join(folder, 'file/data')],
  ];

  it.each(
    starts.flatMap(([what, args]) => places.map(([where, place]) => [what, where, args, place] as const)),
  )(
    '%s with a DATA_DIR %s ends with one line that names the next step',
    async (_what, _where, args, place) => {
      const env = { PATH: process.env.PATH, DATA_DIR: place() };
      const ending = promisify(execFile)(process.execPath, [...args], { cwd: ROOT, env, timeout: 20_000 });
      const { code, killed, stderr } = await ending.then(
        () => Promise.reject(new Error('it started')),
        (error: { code: number; killed: boolean; stderr: string }) => error,
      );
      expect([code, killed]).toEqual([1, false]);
      expect(stderr).toMatch(
        /^[^\n]*The data directory cannot be made \(E[^\n]*Set DATA_DIR to a directory of your own\.\n$/,
      );
    },
  );
});
