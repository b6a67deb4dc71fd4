import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import globalSetup, { stopServer } from '../support/global-setup';
import { renderGuide } from './screens/render-guide';

/** `npm run lab -- screens`: types the commands of docs/terminal.md and stores their output there and in docs/images. */

const DOCS = path.join(__dirname, '../../docs');
const GUIDE = path.join(DOCS, 'terminal.md');

async function main(): Promise<void> {
  await globalSetup();
  try {
    const { text, pictures } = await renderGuide(readFileSync(GUIDE, 'utf8'));
    writeFileSync(GUIDE, text);
    for (const [name, picture] of pictures) writeFileSync(path.join(DOCS, name), picture);
  } finally {
    await stopServer();
  }
}

void main();
