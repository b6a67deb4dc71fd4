import { createHash } from 'node:crypto';
import { type Brand, brandStyle } from './embed-brand';
import { EMBED_SCRIPT } from './embed-script';
import { EMBED_STYLE } from './embed-style';

const SCRIPT = hash(EMBED_SCRIPT);
const STYLE = hash(EMBED_STYLE);

/**
 * The page's Content-Security-Policy. A nonce would be new in each answer; the inline texts are known, so their hashes are.
 * @param origins of the token: no other page may frame this one, and none where there are none
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
