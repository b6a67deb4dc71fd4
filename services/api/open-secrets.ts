import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../platform/config';
import type { Db } from '../platform/database';
import type { Logger } from '../platform/logger';
import { loadSecrets, type Secrets } from '../platform/secrets';
import { verifySecrets, openSecrets } from '../platform/secrets/check-secrets';
import { requireUsable, untilUsable } from '../platform/usable-database';

const NEEDED = ['cursorKey', 'keyPepper'] as const;
const FIRST_ANSWER_MS = 3000;

type ApiSecrets = Pick<Secrets, (typeof NEEDED)[number]>;

/**
 * Loads the secrets of the API and compares them with the database. If an external database does not answer within three
 * seconds, or lacks migrations, the function returns, the comparison repeats until it succeeds, and the instance is not ready
 * until then.
 * @param fail receives the error of a later comparison
 * @throws ConfigError, SecretsError
 */
export async function openApiSecrets(
  db: Db,
  config: Config,
  log: Logger,
  fail: (error: unknown) => void,
): Promise<ApiSecrets> {
  if (!config.databaseUrl) return openSecrets(db, config, NEEDED);
  const secrets = await loadSecrets(config, NEEDED, () => Promise.resolve(false));
  const checked = untilUsable(log, async () => {
    await requireUsable(db);
    await verifySecrets(db, config, secrets, NEEDED);
  });
  await Promise.race([checked, sleep(FIRST_ANSWER_MS)]);
  checked.catch(fail);
  return secrets;
}
