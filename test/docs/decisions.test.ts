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

  it('each decision has a number of its own, which its heading repeats', () => {
    const numbers = DECISIONS.map((file) => Number(file.slice(0, 4)));
    expect(new Set(numbers).size).toBe(DECISIONS.length);
    expect(DECISIONS.map((file) => Number(/^# (\d+)[.] \S/.exec(read(file))?.[1]))).toEqual(numbers);
  });
});
