import type { Db } from '../../platform/database';
import type { ApiKey, WidgetToken } from './credential';
import { selectDoubtfulApiKeys, selectDoubtfulWidgetTokens } from './issued-credential.repository';

/** Live credentials of tenants that may be used, with a warning each; those that expire first come first. */
export async function findDoubtfulCredentials(
  db: Db,
  limit: number,
): Promise<{ keys: ApiKey[]; tokens: WidgetToken[] }> {
  return {
    keys: await selectDoubtfulApiKeys(db, limit),
    tokens: await selectDoubtfulWidgetTokens(db, limit),
  };
}
