import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';

const FOLDER = path.join(__dirname, '../../docs/images');
const LARGEST_KIB = 150;

/** Saves what the window, or an element of the page, shows as docs/images/<name>.png, and prints its size. */
export async function savePicture(shown: Page | Locator, name: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const file = path.join(FOLDER, `${name}.png`);
  await shown.screenshot({ path: file });
  const size = Math.round((await stat(file)).size / 1024);
  process.stdout.write(`${path.relative(process.cwd(), file)}\t${size} KiB\n`);
  if (size > LARGEST_KIB)
    throw new Error(`${name}.png is larger than ${LARGEST_KIB} KiB: show less of the page.`);
}
