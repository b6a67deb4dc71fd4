import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import globalSetup, { stopServer } from '../support/global-setup';
import { renderGuide } from './screens/render-guide';

/** `npm run lab -- screens`: types the commands of docs/terminal.md and stores their output there. */

const GUIDE = path.join(__dirname, '../../docs/terminal.md');

async function main(): Promise<void> {
  await globalSetup();
  try {
    writeFileSync(GUIDE, await renderGuide(readFileSync(GUIDE, 'utf8')));
  } finally {
    await stopServer();
  }
}

void main();
