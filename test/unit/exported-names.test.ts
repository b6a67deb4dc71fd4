import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(__dirname, '../..');
const EXPORT = /^export (?:async |abstract )?(?:function|class|const|interface|type|enum) (\w+)/gm;

describe('the names that services and cli export', () => {
  it('no two files export the same name, generated code aside', () => {
    const files = new Map<string, Set<string>>();
    for (const file of ['services', 'cli'].flatMap(listSources)) {
      for (const [, name] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(EXPORT))
        files.set(name!, (files.get(name!) ?? new Set()).add(file));
    }
    expect(files.size).toBeGreaterThan(1000);
    const twice = [...files].filter(([, { size }]) => size > 1);
    expect(twice.map(([name, where]) => `${name}: ${[...where].join(', ')}`)).toEqual([]);
  });
});

function listSources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
    .map((file) => path.join(folder, file));
}
