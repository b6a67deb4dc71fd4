import { createHash } from 'node:crypto';

const MOST_NAMED = 1000;

/** The tours and departures that a pruning import would archive, delete and cancel. */
export interface Removals {
  /** Covers all of them: equal for the same removals. */
  digest: string;
  /** The first ones. */
  named: string[];
}

export interface RemovalList {
  add(what: string): void;
  close(): Removals;
}

/** Keeps the names of the first removals and a digest of all, so that memory does not grow with the catalog. */
export function createRemovalList(): RemovalList {
  const digest = createHash('sha256');
  const named: string[] = [];
  return {
    add(what) {
      digest.update(`${what}\n`);
      if (named.length < MOST_NAMED) named.push(what);
    },
    close: () => ({ digest: digest.copy().digest('hex'), named }),
  };
}
