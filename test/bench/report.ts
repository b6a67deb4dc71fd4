import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { bundledRelease } from '../../services/platform/embedded-postgres/binaries';
import { requireTool } from './load';
import { cellsOf, COLUMNS, type Row } from './row';

const FILE = path.resolve(__dirname, '../../docs/benchmarks.md');

/** Describes the machine, the versions and the present load in one paragraph. */
export async function describeMachine(): Promise<string> {
  const wrk = await requireTool('wrk', 'apt-get install wrk, or brew install wrk');
  const pgbench = await requireTool(
    'pgbench',
    'apt-get install postgresql-contrib, or brew install postgresql',
  );
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return (
    `${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ` +
    `${memory} GiB, Node ${process.versions.node}, PostgreSQL ${bundledRelease().name} (fsync on), ` +
    `wrk ${wrk}, pgbench ${pgbench}, load ${loadavg()[0]!.toFixed(1)}`
  );
}

/**
 * Returns the rows with these names as a Markdown table.
 * @throws Error for a name that no row has
 */
export function tableOf(rows: Row[], names: string[]): string {
  const chosen = names.map((name) => {
    const row = rows.find(({ what }) => what === name);
    if (row === undefined) throw new Error(`no row is named "${name}": correct the rows of the page`);
    return row;
  });
  return markdownTable(COLUMNS, chosen.map(cellsOf));
}

export function markdownTable(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Replaces the section of docs/benchmarks.md under this heading, or appends it. */
export async function writeSection(heading: string, text: string): Promise<void> {
  const before = readFileSync(FILE, 'utf8');
  const section = `## ${heading}\n\n${text}\n\n`;
  const [start, ...rest] = before.split(`## ${heading}\n`);
  const after = rest
    .join('')
    .split(/^(?=## )/m)
    .slice(1)
    .join('');
  const written = rest.length > 0 ? start + section + after : `${before.trimEnd()}\n\n${section}`;
  const options = { ...(await resolveConfig(FILE)), filepath: FILE };
  writeFileSync(FILE, await format(written, options));
}
