import path from 'node:path';
import { withEnvFile } from '../../services/platform/config';
import type { Environment } from '../../services/platform/read-variable';
import type { Io } from '../terminal/io';

/**
 * Returns the variables of a command: the environment, then the .env file of the working directory. DATA_DIR is by default in the folder
 * of the installation, not in the working directory.
 * @throws EnvFileError
 */
export function settingsOf({ env, envFile, root }: Io): Environment {
  const given = envFile === undefined ? env : withEnvFile(env, envFile);
  return { ...given, DATA_DIR: given.DATA_DIR || path.join(root, '.data') };
}
