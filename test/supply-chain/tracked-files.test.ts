import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const BYTES_MAX = 512 * 1024;

/** Generated files that may be larger. */
const LARGE = ['services/api/generated/openapi.json'];

describe('the repository', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean);

  it('no file is larger than 512 KiB, except those listed here', () => {
    const sizes = files.map((file) => ({
      file,
      bytes: statSync(path.join(ROOT, file), { throwIfNoEntry: false })?.size ?? 0,
    }));
    expect(sizes.filter(({ file, bytes }) => bytes > BYTES_MAX && !LARGE.includes(file))).toEqual([]);
  });

  it('every large file listed here exists', () => {
    expect(LARGE.filter((file) => !files.includes(file))).toEqual([]);
  });
});
