import { type FileHandle, open } from 'node:fs/promises';
import { csvLine } from '../../platform/csv-cells';
import { firstLineOf, parseCsvRows } from '../catalog-import/catalog-csv';
import { cutLines } from '../catalog-import/cut-json';
import type { Encoding } from './import-map';
import { type BookingFile, describeUnreadable, isCsvFile, readText } from './read-booking-file';
import { ERROR_COLUMN, type RowIssues } from './row-issues';

/** The mark by which spreadsheets, and an import with another encoding in its map, read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Writes the rows with issues into a new file (0600), in the order of the files: all columns as they are, after a column with the issues. An import
 * skips this column.
 * @throws the file system's error, EEXIST for a file that exists
 */
export async function writeRejects(
  out: string,
  files: BookingFile[],
  { issues, encoding }: { issues: RowIssues; encoding: Encoding },
): Promise<void> {
  const target = await open(out, 'wx', 0o600);
  try {
    await target.write(BYTE_ORDER_MARK);
    for (const [index, file] of files.entries()) {
      const lines = isCsvFile(file)
        ? csvRejects(file, issues, encoding, index === 0)
        : jsonRejects(file, issues, encoding);
      await writeLines(target, lines);
    }
  } finally {
    await target.close();
  }
}

/** Writes the lines up to the place where the file cannot be read. */
async function writeLines(target: FileHandle, lines: AsyncIterable<string>): Promise<void> {
  try {
    for await (const line of lines) await target.write(line);
  } catch (error) {
    if (!describeUnreadable(error)) throw error;
  }
}

async function* csvRejects(
  file: BookingFile,
  issues: RowIssues,
  encoding: Encoding,
  hasHead: boolean,
): AsyncGenerator<string> {
  let head: string[] | undefined;
  for await (const chunk of parseCsvRows(readText(file, encoding))) {
    const rows = [...chunk];
    if (!head && rows.length > 0) {
      head = rows.shift()!.record;
      if (hasHead) yield csvLine([ERROR_COLUMN, ...head.slice(skippedCells(head))]);
    }
    for (const row of rows) {
      const { record } = row;
      const messages = issues.of({ file: file.name, line: firstLineOf(row) });
      if (messages.length > 0) yield csvLine([messages.join('; '), ...record.slice(skippedCells(head!))]);
    }
  }
}

/** Returns the number of cells that an earlier --rejects has added. */
function skippedCells([first]: string[]): number {
  return first?.trim() === ERROR_COLUMN ? 1 : 0;
}

async function* jsonRejects(
  file: BookingFile,
  issues: RowIssues,
  encoding: Encoding,
): AsyncGenerator<string> {
  for await (const pieces of cutLines(readText(file, encoding)))
    for (const { text, line } of pieces) {
      const messages = issues.of({ file: file.name, line });
      if (messages.length > 0) yield `${rejectedJson(text.trim(), messages.join('; '))}\n`;
    }
}

/** Returns the line with its issues as the first key. A line that is no object stays as it is. */
function rejectedJson(text: string, messages: string): string {
  const body = text.replace(/^\{\s*"import_error"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?/, '{');
  return body.startsWith('{')
    ? `{${JSON.stringify(ERROR_COLUMN)}:${JSON.stringify(messages)},${body.slice(1)}`
    : text;
}
