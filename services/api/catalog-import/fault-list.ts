import { type Fault, inFileOrder } from './fault';

/** So many faults are listed; of a file in which every line is wrong the rest are only counted. */
const MOST_FAULTS = 1000;

/** Gathers the faults of an import as it meets them, and takes no more memory for a million of them. */
export interface FaultList {
  add(faults: Fault[]): void;
  /** All of them, listed or not. */
  count(): number;
  /** The first ones met, in the order of the files and of the places in them. */
  listed(): Fault[];
}

/** @param files in the order they were given */
export function createFaultList(files: string[]): FaultList {
  const kept: Fault[] = [];
  let count = 0;
  return {
    add(faults) {
      count += faults.length;
      for (const fault of faults.slice(0, MOST_FAULTS - kept.length)) kept.push(fault);
    },
    count: () => count,
    listed: () => inFileOrder(kept, files),
  };
}
