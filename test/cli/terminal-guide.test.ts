import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS } from '../../cli/tree';
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
  it('the guide to the terminal names only commands that exist', () => {
    const verbs = new Map(NOUNS.map(({ name, verbs }) => [name, verbs.map(commandName)]));
    const named = [...GUIDE.matchAll(/`(?:tourctl )?([a-z]+) ([a-z][a-z-]+)/g)].filter(([, noun]) =>
      verbs.has(noun!),
    );
    expect(named.length).toBeGreaterThan(10);
    const unknown = named.filter(([, noun, verb]) => !verbs.get(noun!)!.includes(verb!));
    expect(unknown.map(([command]) => command)).toEqual([]);
  });
});
