import type { Trx } from '../../platform/database';
import type { ApiKey, WidgetToken } from './credential';
import { CredentialNotFoundError } from './credential-state.errors';
import { findApiKey, findWidgetToken, lockCredential, markRevoked } from './issued-credential.repository';

/**
 * Revokes a key. The API refuses it from the commit on. A second revocation changes nothing.
 * @throws CredentialNotFoundError
 */
export async function revokeApiKey(trx: Trx, id: string): Promise<{ before: ApiKey; after: ApiKey }> {
  await lockCredential(trx, 'api_key', id);
  const before = await findApiKey(trx, id);
  if (!before) throw new CredentialNotFoundError('api_key', id);
  await markRevoked(trx, 'api_key', id);
  return { before, after: (await findApiKey(trx, id))! };
}

/** Revokes a widget token in the same way. */
export async function revokeWidgetToken(
  trx: Trx,
  id: string,
): Promise<{ before: WidgetToken; after: WidgetToken }> {
  await lockCredential(trx, 'widget_token', id);
  const before = await findWidgetToken(trx, id);
  if (!before) throw new CredentialNotFoundError('widget_token', id);
  await markRevoked(trx, 'widget_token', id);
  return { before, after: (await findWidgetToken(trx, id))! };
}
