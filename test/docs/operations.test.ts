import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS, VERBS } from '../../cli/tree';

const PAGE = readFileSync(path.resolve(__dirname, '../../docs/operations.md'), 'utf8');

describe('the page for operators', () => {
  it('describes installation, daily work, backup and upgrade before symptoms and failover', () => {
    const sections = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(sections.slice(0, 7)).toEqual([
      'Install',
      'The first tenant',
      'Daily work',
      'Back up and restore',
      'Upgrade',
      'Symptoms and what to do',
      'When the primary fails',
    ]);
  });

  it('names only commands that exist', () => {
    const verbs = new Map(NOUNS.map(({ name, verbs }) => [name, verbs.map(commandName)]));
    const unknown = [...PAGE.matchAll(/tourctl ([a-z]+)(?: ([a-z-]+))?/g)].filter(([, first, second]) => {
      if (VERBS.some((verb) => commandName(verb) === first)) return false;
      return !verbs.get(first!)?.includes(second!);
    });
    expect(unknown.map(([command]) => command)).toEqual([]);
  });

  it('every link within the page leads to one of its sections', () => {
    const anchors = [...PAGE.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...PAGE.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor!);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });
});
