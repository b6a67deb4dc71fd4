import { createHash } from 'node:crypto';
import { type Brand, brandStyle } from './embed-brand';
import { EMBED_SCRIPT, EMBED_STYLE } from './embed-assets';

const SCRIPT = hash(EMBED_SCRIPT);
const STYLE = hash(EMBED_STYLE);

/**
 * Returns the Content-Security-Policy of the page. Uses hashes, because the inline texts are constant.
 * @param origins of the token. Only their pages may frame this one
 */
export function embedPolicy(origins: string[], brand: Brand): string {
  const style = brandStyle(brand);
  return [
    "default-src 'none'",
    `frame-ancestors ${origins.join(' ') || "'none'"}`,
    `script-src ${SCRIPT}`,
    `style-src ${[STYLE, ...(style ? [hash(style)] : [])].join(' ')}`,
    "img-src 'self' data: https:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
  ].join('; ');
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
