import fc from 'fast-check';
import { csvLine, readFormulas } from '../../services/platform/csv-cells';

describe('a cell of a CSV file', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['a;=cmd', "a;'=cmd"],
    ['plain - text', 'plain - text'],
  ])('has an apostrophe before a formula: %s', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  it('is read as the text that was written, whatever the text is', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'=+-@\'";|\t\n\u200b ab'), maxLength: 12 });
    const unquote = (line: string) => {
      const cell = line.slice(0, -2);
      return cell.startsWith('"') && /[",\r\n]/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
    };
    fc.assert(
      fc.property(texts, (text) => expect(readFormulas(unquote(csvLine([text])))).toBe(text)),
      {
        numRuns: 2000,
      },
    );
  });
});
