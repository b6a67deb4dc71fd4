/** An address as one reads it: without the scheme that all have. */
export function shortUrl(url: string): string {
  return url.replace(/^https:[/][/]/, '');
}

/** What one recognises an address by; all of it where it has none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
