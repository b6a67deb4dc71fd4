import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/security.md'), 'utf8');
const MODEL = PAGE.slice(PAGE.indexOf('## Threat model')).split(/^## (?!Threat model)/m)[0]!;

const upTo = (letter: string, last: number) => Array.from({ length: last }, (_, n) => `${letter}${n + 1}`);
const NUMBERS = [...upTo('T', 49), ...upTo('C', 15)];

/** The numbers at the end of titles, by the test file's path: `it('refuses a wrong key (T6, T9)', …)`. */
const titled = new Map(
  readdirSync(path.join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== path.join('docs', 'threats.test.ts'))
    .map((file) => {
      const source = readFileSync(path.join(ROOT, 'test', file), 'utf8');
      const ends = source.matchAll(/ \(((?:[TC]\d+, )*[TC]\d+)\)['"`]/g);
      return [`test/${file}`, new Set([...ends].flatMap(([, numbers]) => numbers!.split(', ')))];
    }),
);

/** The test files of the page with the numbers beside them. */
const listed = [...MODEL.matchAll(/\]\(\.\.\/(test\/[^)]*\.test\.ts)\)((?:,? [TC]\d+)*)/g)].map(
  ([, file, numbers]) => ({ file: file!, numbers: [...(numbers!.match(/[TC]\d+/g) ?? [])] as string[] }),
);

describe('the threat model', () => {
  it('the threat model names every number from T1 to T49 and from C1 to C15, and no other', () => {
    const named = new Set(MODEL.match(/(?<= )[TC]\d+(?=,? |;|$)/gm));
    expect(NUMBERS.filter((number) => !named.has(number))).toEqual([]);
    expect([...named].filter((number) => !NUMBERS.includes(number))).toEqual([]);
  });

  it.each(NUMBERS)(
    'the threat model names test files for %s, and each has a title that ends with this number',
    (number) => {
      const files = listed.filter(({ numbers }) => numbers.includes(number)).map(({ file }) => file);
      const proving = [...titled].filter(([, numbers]) => numbers.has(number)).map(([file]) => file);
      expect(proving).not.toEqual([]);
      expect(files).not.toEqual([]);
      expect(files.filter((file) => !proving.includes(file))).toEqual([]);
    },
  );

  it('the threat model links to files that exist', () => {
    const links = [...MODEL.matchAll(/\]\(\.\.\/([^)#]+)/g)].map(([, file]) => file!);
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
