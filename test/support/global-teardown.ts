import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { LEFT_OUT, describeLeftOut } from './describe-with';
import { stopServer } from './global-setup';

/** Stops the server that global setup started in the same process. */
export default async function globalTeardown(): Promise<void> {
  await stopServer();
  const file = process.env[LEFT_OUT]!;
  process.stderr.write(describeLeftOut(await readFile(file, 'utf8').catch(() => '')));
  await rm(path.dirname(file), { recursive: true, force: true });
}
