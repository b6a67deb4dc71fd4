import fc from 'fast-check';
import { csvLine, readFormulas } from '../../services/platform/csv-cells';

describe('a cell of a CSV file', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['a;=cmd', "a;'=cmd"],
    ['plain - text', 'plain - text'],
  ])('csvLine writes an apostrophe before a formula only: %s', (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\r\n`);
  });

  it('csvLine writes a number without an exponent, which no import reads', () => {
    expect(csvLine([-1e-7, 51.4779, 0, null])).toBe('-0.0000001,51.4779,0,\r\n');
  });

  it('readFormulas returns each text that csvLine wrote', () => {
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
