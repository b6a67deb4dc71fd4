import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { useTestTerminal } from '../cli/terminal';
import { callTourctl, folderWith, pageSnippets, runProgram } from './guide';

const terminal = useTestTerminal();
const [EXPORT, IMPORT] = pageSnippets('tenants.md', 'The catalog from a spreadsheet');

/** Appends a row that has these cells, and no others. */
function fillIn(file: string, cells: Record<string, string>): void {
  const columns = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .trim()
    .split(',');
  appendFileSync(file, `${columns.map((column) => cells[column] ?? '').join(',')}\n`);
}

describe('the catalog from a spreadsheet', () => {
  it('an export of an empty catalog writes two templates, which the import takes with a row in each', async () => {
    const cwd = await folderWith({});
    const run = (script: string) =>
      runProgram('bash', ['--norc', '-euc', callTourctl(script)], { cwd, env: terminal.env });
    expect(await run(EXPORT!)).toMatchObject({ code: 0 });
    fillIn(path.join(cwd, 'tours.csv'), {
      slug: 'old-town-walk',
      name: 'Old town walk',
      continent: 'europe',
      country: 'DE',
      duration_days: '1',
      currency: 'EUR',
      base_price: '25',
    });
    fillIn(path.join(cwd, 'tours-departures.csv'), {
      tour_slug: 'old-town-walk',
      departure_date: '2099-06-05',
      seats_total: '15',
      'prices.adult': '25',
    });
    expect(await run(IMPORT!)).toMatchObject({ code: 0 });
    const { json } = await terminal.tourctl('departure list old-town-walk --json');
    expect(json.items).toMatchObject([{ departure_date: '2099-06-05', seats_total: 15 }]);
  });
});
