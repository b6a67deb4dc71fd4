import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Asset {
  /** Holds a hash of the body as its query, so that browsers may cache the response for ever. */
  path: string;
  body: string;
  type: string;
}

/** Uses the colours and fonts of the API's documentation. The pages load nothing from another host. */
export const STYLE = asset('monitor.css', 'text/css; charset=utf-8');
/** Updates open pages and copies texts at a click. The pages work without it. */
export const SCRIPT = asset('monitor.js', 'text/javascript; charset=utf-8');

function asset(file: string, type: string): Asset {
  const body = readFileSync(join(__dirname, '../assets', file), 'utf8');
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `/assets/${file}?v=${hash}`, body, type };
}
