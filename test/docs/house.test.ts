import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describeRules, listRules } from './print-rules';

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

/** The folders of the domain that all edges reach through services/api/http. */
const shared = forbidden.find(({ name }) => name === 'http-imports-credentials-idempotency-and-seats')!;
allowed.set('http', /[(](.+)[)]/.exec(shared.to.pathNot)![1]!.split('|'));

/** The folders with a controller, a router or a request, which may import services/api/http. */
const API = path.join(ROOT, 'services/api');
const edges = readdirSync(API, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['http', 'generated'].includes(entry.name))
  .map(({ name }) => name)
  .filter((folder) =>
    readdirSync(path.join(API, folder), { recursive: true, encoding: 'utf8' }).some((file) =>
      /[.](controller|router|request)[.]ts$/.test(file),
    ),
  );

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
      targets
        .filter((to) => !allowed.get(from)?.includes(to) && !(to === 'http' && edges.includes(from)))
        .map((to) => `${from} --> ${to}`),
    );
    expect(forbiddenArrows).toEqual([]);
  });

  it('the arrows of the figure lead from each folder to every folder that it may import', () => {
    const missing = [...allowed].flatMap(([from, targets]) =>
      targets.filter((to) => !reachableFrom(from).has(to)).map((to) => `${from} --> ${to}`),
    );
    expect(missing).toEqual([]);
  });

  it('the arrows of the figure lead from each folder with a controller or a router to http', () => {
    expect(edges.length).toBeGreaterThan(4);
    expect(edges.filter((folder) => !reachableFrom(folder).has('http'))).toEqual([]);
  });

  it('the figure draws an arrow to platform from the terminal, the API and the queue, and none from it', () => {
    const outer = [...contributing.matchAll(/^ {2}(\S+) --> (.+)$/gm)].map(([, from, to]) => [
      from,
      to!.split(' & '),
    ]);
    const users = outer.filter(([, targets]) => targets!.includes('platform')).map(([from]) => from);
    expect(users).toEqual(['cli', 'api', 'webhook-queue']);
    expect(outer.map(([from]) => from)).not.toContain('platform');
  });
});

describe('the rules of the product', () => {
  const rules = listRules();

  it('the product names at least a hundred and ten rules, each once', () => {
    expect(new Set(rules.map(({ rule }) => rule)).size).toBe(rules.length);
    expect(rules.length).toBeGreaterThanOrEqual(110);
  });

  it.each(rules)('a rule stands above a declaration, and names an existing test: $rule', ({ name, test }) => {
    expect(name).toBeDefined();
    expect(existsSync(path.join(ROOT, test))).toBe(true);
  });

  it('the list of rules has the function, its line and its test, and takes words that a rule must contain', () => {
    const declared = readFileSync(path.join(ROOT, 'services/api/seats/lock.ts'), 'utf8').split('\n');
    const line = declared.findIndex((one) => one.includes('@rule no seat is sold twice')) + 1;
    const list = describeRules(rules, ['Sold', 'twice']);
    expect(list).toContain(
      `- no seat is sold twice, no oversell: \`lockChanges\` (services/api/seats/lock.ts:${line}), test/api/seats-race.test.ts\n`,
    );
    expect(list).not.toContain('the deposit');
    expect(describeRules(rules)).toContain('- the deposit: `depositOf`');
  });
});
