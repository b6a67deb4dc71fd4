/** Returns the path with the parameters that have a value. */
export function linkTo(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** Returns a URL without `https://`. */
export function shortUrl(url: string): string {
  return url.replace(/^https:[/][/]/, '');
}

/** Returns the host of a URL; the whole text where it is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
