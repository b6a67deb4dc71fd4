import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Variable } from '../../services/platform/read-variable';
import { VARIABLES } from '../../services/platform/config/variables';

const PAGE = readFileSync(path.join(__dirname, '../../docs/configuration.md'), 'utf8');

/** The lines "- `NAME`, `NAME` (default, default): …" of docs/configuration.md. */
const rows = [...PAGE.matchAll(/^- (`[A-Z_]+`(?:, `[A-Z_]+`)*)\s\((.+?)\):/gm)].map(
  ([, names, defaults]) => ({
    names: names!.replaceAll('`', '').split(', '),
    defaults: defaults!.replaceAll('`', ''),
  }),
);

describe('the page of variables', () => {
  it('the page of variables names each declared variable once and no other', () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual(Object.keys(VARIABLES).sort());
  });

  it.each(rows)('the page of variables gives the declared default of $names', ({ names, defaults }) => {
    const declared = names.map((name) => declaredDefault(VARIABLES[name as keyof typeof VARIABLES]));
    // A line shows a default once if all variables of the line share it.
    expect(defaults).toBe((new Set(declared).size === 1 ? declared.slice(0, 1) : declared).join(', '));
  });
});

function declaredDefault(variable: Variable): string {
  return variable.default ?? (variable.generated ? 'generated into DATA_DIR' : '–');
}
