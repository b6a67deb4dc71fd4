/** A catalog file says by its name how it is written. */
export const CATALOG_FILE_TYPES = ['.json', '.jsonl', '.csv'] as const;
