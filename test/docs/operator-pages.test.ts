import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';

const DOCS = path.resolve(__dirname, '../../docs');
const read = (page: string) => readFileSync(path.join(DOCS, page), 'utf8');

const [, operators] = read('README.md').split('\n## You run the platform\n');
/** The names of the pages that docs/README.md lists for operators, in its order. */
const PAGES = [...operators!.split('\n## ')[0]!.matchAll(/^- \[[^\]]*\]\(([^)]*)\)/gm)].map(
  ([, page]) => page!,
);

const verbsOf = new Map(NOUNS.map(({ name, verbs }) => [name, verbs.map(commandName)]));

function isCommand(first: string, second: string | undefined): boolean {
  if (VERBS.some((verb) => commandName(verb) === first)) return true;
  const verbs = verbsOf.get(first);
  return second === undefined ? verbs !== undefined : verbs?.includes(second) === true;
}

/** Returns the anchors that GitHub creates for the headings of a page. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the pages for operators', () => {
  it('the list begins with a day, the installation and the first tenant', () => {
    expect(PAGES.slice(0, 3)).toEqual(['operators-day.md', 'install.md', 'tenants.md']);
  });

  it.each(PAGES)('%s names only commands that exist', (page) => {
    const commands = [...read(page).matchAll(/tourctl ([a-z]+)(?: ([a-z-]+))?/g)];
    const unknown = commands.filter(([, first, second]) => !isCommand(first!, second));
    expect(unknown.map(([command]) => command)).toEqual([]);
  });

  it.each(PAGES)('every link of %s to a page for operators leads to one of its sections', (page) => {
    const links = [...read(page).matchAll(/\]\(([a-z-]+\.md)?(?:#([^)]*))?\)/g)]
      .map(([, file = page, anchor]) => ({ file, anchor }))
      .filter(({ file }) => PAGES.includes(file));
    const broken = links.filter(
      ({ file, anchor }) => anchor !== undefined && !anchorsOf(read(file)).includes(anchor),
    );
    expect(broken).toEqual([]);
  });
});
