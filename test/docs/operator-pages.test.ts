import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';

const DOCS = path.resolve(__dirname, '../../docs');
const read = (page: string) => readFileSync(path.join(DOCS, page), 'utf8');

const [, operators] = read('README.md').split('\n## You run the platform\n');
/** The names of the pages that docs/README.md lists for operators, in its order. */
const PAGES = [...operators!.split('\n## ')[0]!.matchAll(/^- \[[^\]]*\]\(([^)#]*)\)/gm)].map(
  ([, page]) => page!,
);

const verbsOf = new Map(NOUNS.map(({ name, verbs }) => [name, verbs.map(commandName)]));

function isCommand(first: string, second: string | undefined): boolean {
  if (VERBS.some((verb) => commandName(verb) === first)) return true;
  const verbs = verbsOf.get(first);
  return second === undefined ? verbs !== undefined : verbs?.includes(second) === true;
}

describe('the pages for operators', () => {
  it('the list of pages for operators begins with a day, the installation and the first tenant', () => {
    expect(PAGES.slice(0, 3)).toEqual(['operators-day.md', 'install.md', 'tenants.md']);
  });

  it.each(PAGES)('%s names only commands that exist', (page) => {
    const commands = [...read(page).matchAll(/tourctl ([a-z]+)(?: ([a-z-]+))?/g)];
    const unknown = commands.filter(([, first, second]) => !isCommand(first!, second));
    expect(unknown.map(([command]) => command)).toEqual([]);
  });

  it.each(PAGES)('%s calls the program tourctl, by no path and by no other program', (page) => {
    expect(read(page)).not.toMatch(/(npx|npm run|node \S*|\.\/)tourctl|tourctl\.js/);
  });
});
