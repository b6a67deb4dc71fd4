import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { SecretFileError } from './failure';

/**
 * Lets `issue` hand its secret to a new file (0600), if one is named. The file is opened before anything is issued, and
 * the secret is on disk before the transaction inside `issue` commits: no secret is issued and then lost.
 * @throws SecretFileError, also where the file exists
 */
export async function withSecretFile<T>(
  file: string | undefined,
  issue: (keep: (secret: string) => void) => Promise<T>,
): Promise<T> {
  if (file === undefined) return issue(() => {});
  const descriptor = attempt(file, () => openSync(file, 'wx', 0o600));
  try {
    const result = await issue((secret) => {
      attempt(file, () => {
        writeSync(descriptor, `${secret}\n`);
        fsyncSync(descriptor);
      });
    });
    closeSync(descriptor);
    return result;
  } catch (error) {
    closeSync(descriptor);
    rmSync(file, { force: true });
    throw error;
  }
}

function attempt<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SecretFileError(file, code === 'EEXIST' ? 'it exists' : message);
  }
}
