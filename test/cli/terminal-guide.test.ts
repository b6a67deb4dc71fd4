import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';
import { renderGuide } from './screens/render-guide';

const DOCS = path.resolve(__dirname, '../../docs');
const GUIDE = readFileSync(path.join(DOCS, 'terminal.md'), 'utf8');

describe('the screens of the guide', () => {
  it('the screens show the current output of their commands', async () => {
    // If this fails: run npm run lab -- screens and check the changes.
    expect(await renderGuide(GUIDE)).toBe(GUIDE);
  }, 120_000);

  it('the screens show no error about a missing id', () => {
    // Detects ids of the page that no longer exist.
    expect(GUIDE).not.toMatch(/with this id|not a token of this platform|Cannot /);
  });
});

describe('the guide to the terminal', () => {
  it('the guide to the terminal names each command', () => {
    const commands = NOUNS.flatMap(({ name, verbs }) => verbs.map((verb) => `${name} ${commandName(verb)}`));
    const missing = [...commands, ...VERBS.map((verb) => `tourctl ${commandName(verb)}`)].filter(
      (command) => !new RegExp(`\\b${command}\\b(?!-)`).test(GUIDE),
    );
    expect(missing).toEqual([]);
  });

  it('the guide to the terminal contains no broken link', () => {
    const links = [...GUIDE.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!);
    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = path.join(DOCS, file || 'terminal.md');
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });
});

function anchorsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) => slugOf(title!));
}

/** Returns the anchor that GitHub creates for a heading. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
