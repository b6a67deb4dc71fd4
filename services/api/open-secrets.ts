import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../platform/config';
import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import { loadSecrets, type Secrets, SecretsError } from '../platform/secrets';
import { verifySecrets, openSecrets } from '../platform/secrets/check-secrets';

const NEEDED = ['cursorKey', 'keyPepper'] as const;
const FIRST_ANSWER_MS = 3000;
const REPEAT_MS = 1000;

type ApiSecrets = Pick<Secrets, (typeof NEEDED)[number]>;

/**
 * Loads the secrets of the API and compares them with the database. If an external database does not answer within three
 * seconds, or lacks migrations, the function returns, the comparison repeats until it succeeds, and the instance is not ready
 * until then.
 * @param refuse receives the error of a later comparison
 * @throws ConfigError, SecretsError
 */
export async function openApiSecrets(
  db: Db,
  config: Config,
  log: Logger,
  refuse: (error: unknown) => void,
): Promise<ApiSecrets> {
  if (!config.databaseUrl) return openSecrets(db, config, NEEDED);
  const secrets = await loadSecrets(config, NEEDED, () => Promise.resolve(false));
  const checked = repeatUntilAnswered(() => verifySecrets(db, config, secrets, NEEDED), log);
  await Promise.race([checked, sleep(FIRST_ANSWER_MS, undefined, { ref: false })]);
  checked.catch(refuse);
  return secrets;
}

async function repeatUntilAnswered(check: () => Promise<void>, log: Logger): Promise<void> {
  for (let isLogged = false; ; isLogged = true) {
    try {
      return await check();
    } catch (error) {
      if (error instanceof SecretsError) throw error;
      if (!isLogged) log.warn({ err: error }, 'the secrets cannot be compared with the database yet');
    }
    await sleep(REPEAT_MS, undefined, { ref: false });
  }
}
