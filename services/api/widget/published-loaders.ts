import { createHash } from 'node:crypto';
import { LOADER_SCRIPT } from './loader-script';

export interface Published {
  version: string;
  script: string;
  /** As the integrity attribute has it. */
  integrity: string;
}

/**
 * Newest first, which is /embed/widget.js. A version stays served, byte for byte, as long as pages may name its hash: a change to the loader is a new
 * text in a file of its own, and a new entry here.
 */
export const PUBLISHED_LOADERS: [Published, ...Published[]] = [publish('v1', LOADER_SCRIPT)];

function publish(version: string, script: string): Published {
  return { version, script, integrity: `sha384-${createHash('sha384').update(script).digest('base64')}` };
}
