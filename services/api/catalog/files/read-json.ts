import type { CatalogRecords } from './catalog-record';
import { isRecord } from './check';

/** A JSON file: an array of tours, or `{"tours": […]}`. */
export function readJson(file: string, text: string): CatalogRecords {
  const parsed = parse(text);
  if ('fault' in parsed) return refused(file, faultyLine(text), parsed.fault);
  const { value } = parsed;
  const tours: unknown = isRecord(value) && Object.keys(value).join() === 'tours' ? value.tours : value;
  if (!Array.isArray(tours)) return refused(file, 1, 'must be an array of tours, or {"tours": […]}');
  const records = tours.map((value: unknown, index) => ({ place: { file, index, field: '' }, value }));
  return { records, faults: [] };
}

/** A JSON lines file: a tour a line. */
export function readJsonLines(file: string, text: string): CatalogRecords {
  const result: CatalogRecords = { records: [], faults: [] };
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = { file, line: index + 1, field: '' };
    const parsed = parse(line);
    if ('fault' in parsed) result.faults.push({ ...place, message: parsed.fault });
    else result.records.push({ place, value: parsed.value });
  }
  return result;
}

function parse(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `must be JSON: ${(error as SyntaxError).message}` };
  }
}

/** The engine does not always say where it stumbled: halve the text to the longest beginning that is only unfinished. */
function faultyLine(text: string): number {
  let [sound, faulty] = [0, text.length];
  while (faulty - sound > 1) {
    const middle = Math.floor((sound + faulty) / 2);
    if (isOnlyUnfinished(text.slice(0, middle))) sound = middle;
    else faulty = middle;
  }
  return text.slice(0, faulty).split('\n').length;
}

function isOnlyUnfinished(beginning: string): boolean {
  const parsed = parse(beginning);
  if (!('fault' in parsed)) return true;
  const position = Number(/at position (\d+)/.exec(parsed.fault)?.[1] ?? -1);
  return position >= beginning.length || parsed.fault.includes('end of JSON input');
}

function refused(file: string, line: number, message: string): CatalogRecords {
  return { records: [], faults: [{ file, line, field: '', message }] };
}
