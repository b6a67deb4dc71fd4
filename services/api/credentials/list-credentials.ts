import type { Db } from '../../platform/database';
import type { CredentialOf, CredentialPage } from './credential';
import { CredentialNotFoundError } from './credential-state.errors';
import { findCredential, selectCredentialsOf } from './issued-credential.repository';
import type { CredentialKind } from './token-format';

/**
 * Lists the credentials of a kind, newest first, with the expired and revoked ones.
 * @param tenantId undefined: of all tenants
 * @throws CredentialNotFoundError if `after` is unknown
 */
export async function listCredentials<K extends CredentialKind>(
  db: Db,
  kind: K,
  tenantId: string | undefined,
  page: CredentialPage,
): Promise<CredentialOf[K][]> {
  if (page.after !== undefined) await showCredential(db, kind, page.after);
  return selectCredentialsOf(db, kind, tenantId, page);
}

/** @throws CredentialNotFoundError */
export async function showCredential<K extends CredentialKind>(
  db: Db,
  kind: K,
  id: string,
): Promise<CredentialOf[K]> {
  const credential = await findCredential(db, kind, id);
  if (!credential) throw new CredentialNotFoundError(kind, id);
  return credential;
}
