import { appendFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { LEFT_OUT, describeLeftOut } from './describe-with';
import { stopServer } from './global-setup';

/** Stops the server that global setup started in the same process, and names the suites that were left out. */
export default async function globalTeardown(): Promise<void> {
  await stopServer();
  const file = process.env[LEFT_OUT]!;
  const leftOut = describeLeftOut(await readFile(file, 'utf8').catch(() => ''));
  process.stderr.write(leftOut);
  // .ci/run repeats them in its last lines.
  if (process.env.TEST_LEFT_OUT_REPORT) await appendFile(process.env.TEST_LEFT_OUT_REPORT, leftOut);
  await rm(path.dirname(file), { recursive: true, force: true });
}
