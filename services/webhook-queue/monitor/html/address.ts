/** A path with those parameters that have a value. */
export function address(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
