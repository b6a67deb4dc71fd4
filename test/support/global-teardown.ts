import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { LEFT_OUT, tellLeftOut } from './describe-with';
import { stopServer } from './global-setup';

/** Setup and teardown run in one process and share its modules, so the server is still known there. */
export default async function globalTeardown(): Promise<void> {
  await stopServer();
  const file = process.env[LEFT_OUT]!;
  process.stderr.write(tellLeftOut(await readFile(file, 'utf8').catch(() => '')));
  await rm(path.dirname(file), { recursive: true, force: true });
}
