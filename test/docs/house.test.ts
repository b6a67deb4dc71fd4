import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const { forbidden } = createRequire(__filename)('../../.dependency-cruiser.cjs') as {
  forbidden: { name: string; to: { pathNot: string } }[];
};
const contributing = readFileSync(path.join(ROOT, 'CONTRIBUTING.md'), 'utf8');

/** Maps each folder of the API to the folders that the figure's arrows point to. */
const figure = new Map<string, string[]>();
for (const [, from, to] of contributing.matchAll(/^ {4}([a-z-]+) --> (.+)$/gm))
  figure.set(from!, [...(figure.get(from!) ?? []), ...to!.split(' & ')]);

/** Maps each folder to the folders that it may import. */
const allowed = new Map<string, string[]>();
for (const { name, to } of forbidden) {
  const folder = /^(.+)-imports-its-neighbours-only$/.exec(name)?.[1];
  if (folder === undefined) continue;
  const neighbours = /[(](.+)[)]/.exec(to.pathNot)![1]!.split('|');
  allowed.set(
    folder,
    neighbours.filter((one) => one !== folder),
  );
}

function reachableFrom(folder: string): Set<string> {
  const found = new Set<string>();
  const visit = (one: string) => {
    for (const next of figure.get(one) ?? []) {
      found.add(next);
      visit(next);
    }
  };
  visit(folder);
  return found;
}

describe('the figure of the folders', () => {
  it('the figure draws every folder of the API that has an import rule', () => {
    const drawn = new Set([...figure.keys(), ...[...figure.values()].flat()]);
    expect([...allowed.keys()].filter((folder) => !drawn.has(folder))).toEqual([]);
  });

  it('the figure draws an arrow only where an import is allowed', () => {
    const forbiddenArrows = [...figure].flatMap(([from, targets]) =>
      targets.filter((to) => !allowed.get(from)?.includes(to)).map((to) => `${from} --> ${to}`),
    );
    expect(forbiddenArrows).toEqual([]);
  });

  it('the arrows of the figure lead from each folder to every folder that it may import', () => {
    const missing = [...allowed].flatMap(([from, targets]) =>
      targets.filter((to) => !reachableFrom(from).has(to)).map((to) => `${from} --> ${to}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the table of rules', () => {
  const rows = [...contributing.matchAll(/^\| ([^|]+?) +\| `(\S+)` `(\S+)` +\| `(\S+)` +\|$/gm)].map(
    ([, rule, file, name, test]) => ({ rule: rule!, file: file!, name: name!, test: test! }),
  );

  it('the table of rules names at least twenty rules', () => expect(rows.length).toBeGreaterThanOrEqual(20));

  it.each(rows)(
    'the table of rules names an existing file, name and test for: $rule',
    ({ file, name, test }) => {
      expect(readFileSync(path.join(ROOT, file), 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
      expect(existsSync(path.join(ROOT, test))).toBe(true);
    },
  );
});
