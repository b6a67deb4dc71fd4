import type { Basics } from '../../context';
import { table, type Column } from '../../table';
import { readSettings, shownValue } from './settings';

const COLUMNS: Column[] = [
  'variable',
  { heading: 'value', least: 14, tones: { '(wrong)': 'bad' } },
  'from',
  { heading: 'what it is', least: 16 },
];

export async function listConfigCommand({ io, output }: Basics, { set }: { set?: boolean }): Promise<void> {
  const items = readSettings(io).filter(({ source }) => !set || source === 'environment');
  output.answer({ items }, (screen) => {
    const rows = items.map((each) => [each.variable, shownValue(each), each.source, each.about]);
    return table(COLUMNS, rows, 'The environment sets no variable', screen);
  });
  const wrong = items.filter(({ fault }) => fault !== null);
  if (wrong.length > 0)
    output.warn(`${wrong.length} must be mended before a service starts: tourctl config check`);
}
