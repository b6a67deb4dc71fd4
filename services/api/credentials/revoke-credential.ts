import type { Trx } from '../../platform/database';
import type { CredentialOf } from './credential';
import { lockCredential, markRevoked } from './issued-credential.repository';
import { showCredential } from './list-credentials';
import type { CredentialKind } from './token-format';

/**
 * Revokes a key or a widget token. The API refuses it from the commit on. A second revocation changes nothing.
 * @throws CredentialNotFoundError
 */
export async function revokeCredential<K extends CredentialKind>(
  trx: Trx,
  kind: K,
  id: string,
): Promise<{ before: CredentialOf[K]; after: CredentialOf[K] }> {
  await lockCredential(trx, kind, id);
  const before = await showCredential(trx, kind, id);
  await markRevoked(trx, kind, id);
  return { before, after: await showCredential(trx, kind, id) };
}
