/**
 * Calls `prepare` before the first test of a file or block, and returns an object that gets the members of its result.
 * They are undefined until then: read them inside hooks and tests. Hooks run in the order of their declaration.
 */
export function preparedBeforeAll<T extends object>(prepare: () => Promise<T>): T {
  const prepared = {} as T;
  beforeAll(async () => void Object.assign(prepared, await prepare()));
  return prepared;
}
