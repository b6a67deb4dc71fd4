/** An answer of the proxy, before an adapter writes it to the site's server. */
export interface ProxyAnswer {
  status: number;
  headers: Record<string, string>;
  /** Values of Set-Cookie. */
  cookies?: string[];
  body?: string | Uint8Array<ArrayBuffer>;
}

/** An answer that depends on the visitor or the moment. */
export const NO_STORE = 'no-store';
/** An answer of the catalog: a browser may keep it, and asks each time whether it still holds. */
export const REVALIDATE = 'private, no-cache';

/** Creates an answer with a JSON body. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): ProxyAnswer & { body: string } {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': NO_STORE, ...headers },
    body: JSON.stringify(value),
  };
}
