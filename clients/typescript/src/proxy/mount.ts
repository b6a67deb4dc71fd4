/**
 * Returns the path of a mount as it arrives in a request: percent-encoded, without a slash at its end. A browser encodes `/städtereisen`.
 * @param path decoded or encoded
 */
export function mountOf(path: string): string {
  return sameEscapes(new URL(path.replace(/^\/+/, '/'), 'http://site').pathname).replace(/\/+$/, '');
}

/**
 * Returns the undecoded path below the mount. Undefined: it is not below it. @param mount from mountOf; undefined: the path is below it
 * @rule under which addresses the proxy answers: test/client/proxy-addresses.test.ts
 */
export function belowMount(path: string, mount: string | undefined): string | undefined {
  if (mount === undefined) return path;
  const below = path.slice(mount.length);
  return sameEscapes(path).startsWith(mount) && (below === '' || below.startsWith('/')) ? below : undefined;
}

/** Writes the hexadecimal digits of escapes in capitals: `%c3` and `%C3` are the same. */
function sameEscapes(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase());
}
