import { createHash } from 'node:crypto';
import { MONITOR_SCRIPT } from './monitor-script';
import { MONITOR_STYLE } from './monitor-style';

export interface Asset {
  /** With a hash of the body in its query: it may be kept for ever. */
  path: string;
  body: string;
  type: string;
}

export const STYLE = asset('/assets/monitor.css', 'text/css; charset=utf-8', MONITOR_STYLE);
export const SCRIPT = asset('/assets/monitor.js', 'text/javascript; charset=utf-8', MONITOR_SCRIPT);

function asset(path: string, type: string, body: string): Asset {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12);
  return { path: `${path}?v=${hash}`, body, type };
}
