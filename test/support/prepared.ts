/** Three minutes: a loaded machine starts processes slowly. */
const PREPARE_MS = 180_000;

/**
 * Calls `prepare` before the first test of a file or block. Returns an object at once, and later adds the members of the result to
 * it. Read the members only inside hooks and tests. Hooks run in the order of their declaration.
 */
export function preparedBeforeAll<T extends object>(prepare: () => Promise<T>): T {
  const prepared = {} as T;
  beforeAll(async () => void Object.assign(prepared, await prepare()), PREPARE_MS);
  return prepared;
}
