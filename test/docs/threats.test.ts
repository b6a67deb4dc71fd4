import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');
const MODEL = PAGE.slice(PAGE.indexOf('## Threat model')).split(/^## (?!Threat model)/m)[0]!;

/** The lines that name a threat with the code against it, or a complaint, and the tests of both. */
const THREATS = MODEL.split('\n').filter((line) => line.startsWith('- ') && line.includes(']('));

const linksIn = (text: string) => [...text.matchAll(/\]\(\.\.\/([^)#]+)/g)].map(([, file]) => file!);

describe('the threat model', () => {
  it.each(THREATS.map((line) => [line.slice(2, line.indexOf(':')), line]))(
    'the threat model names tests against the threat: %s',
    (_threat, line) => {
      expect(linksIn(line).filter((file) => file.endsWith('.test.ts'))).not.toEqual([]);
    },
  );

  it('the threat model links to files that exist', () => {
    const links = linksIn(MODEL);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
