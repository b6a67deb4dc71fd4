/** How far an import is: bytes of the files while it reads and compares, rows while it writes. */
export interface ImportProgress {
  phase: 'reading' | 'comparing' | 'writing';
  done: number;
  of: number;
}

export type WatchImport = (progress: ImportProgress) => void;
