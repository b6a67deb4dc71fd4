import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const FILES = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(path.join(ROOT, file)));

/** Reads a page without its code, which may contain brackets. */
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8').replace(/```[^]*?```/g, '');

/** Returns the anchors that GitHub creates for the headings of a page. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function isBroken(from: string, link: string): boolean {
  const [target, anchor] = link.split('#') as [string, string | undefined];
  const file = target === '' ? from : path.join(path.dirname(from), target);
  if (!existsSync(path.join(ROOT, file))) return true;
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor);
}

describe('the pages of the repository', () => {
  it.each(FILES)('every link of %s leads to a file, and to a heading that it has', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => link!);
    expect(links.filter((link) => isBroken(file, link))).toEqual([]);
  });
});
