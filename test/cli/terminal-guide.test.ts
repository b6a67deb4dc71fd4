import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commandName } from '../../cli/engine/command';
import { NOUNS } from '../../cli/tree';

const GUIDE = readFileSync(path.resolve(__dirname, '../../docs/terminal.md'), 'utf8');

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
