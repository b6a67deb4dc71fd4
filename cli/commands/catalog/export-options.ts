export interface ExportOptions {
  out?: string;
  format?: 'json' | 'jsonl' | 'csv';
  only?: 'tours' | 'departures';
}

/** Returns the given format, else that of the file's name. */
export function exportFormat({ format, out }: ExportOptions): 'json' | 'jsonl' | 'csv' {
  if (format !== undefined) return format;
  return (['jsonl', 'csv'] as const).find((known) => out?.endsWith(`.${known}`)) ?? 'json';
}
