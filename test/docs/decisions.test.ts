import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.resolve(__dirname, '../../docs/adr');
const DECISIONS = readdirSync(FOLDER).filter((file) => /^\d{4}-/.test(file));
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

describe('the decisions in docs/adr', () => {
  it.each(DECISIONS)('%s has a context, a decision and consequences in at most 200 words', (file) => {
    const text = read(file);
    expect(text).toMatch(/\*\*Context\.\*\*[^]*\*\*Decision\.\*\*[^]*\*\*Consequences\.\*\*/);
    expect(text.trim().split(/\s+/).length).toBeLessThanOrEqual(200);
  });

  it('the index names each decision once, by its number', () => {
    const named = [...read('README.md').matchAll(/^- \[(\d+)\]\(([^)]+)\)/gm)].map(([, number, file]) => [
      number,
      file,
    ]);
    expect(named.sort()).toEqual(DECISIONS.map((file) => [String(Number(file.slice(0, 4))), file]).sort());
  });
});
