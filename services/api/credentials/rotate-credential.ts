import type { Trx } from '../../platform/database';
import type { ApiKey, Credential, CredentialOf, Issued, WidgetToken } from './credential';
import { CredentialNotLiveError } from './credential-state.errors';
import { newCredential } from './issue-credential';
import {
  endByRotation,
  insertCredential,
  lockCredential,
  markRevoked,
  type OwnColumns,
} from './issued-credential.repository';
import { showCredential } from './list-credentials';
import type { CredentialKind } from './token-format';

interface Rotation {
  /** Time until the old one expires, unless its own expiry is earlier; 0 revokes it in the same transaction. */
  graceSeconds: number;
  /** Lifetime of the new one; null: no expiry; absent: the lifetime of the old one. */
  lifetimeSeconds?: number | null;
}

/** The successor, and the replaced credential before and after the rotation. */
export interface Rotated<C extends Credential> extends Issued<C> {
  before: C;
  previous: C;
}

/**
 * Issues a successor with the same scopes or origins, family and quota. A token without own origins keeps the tenant's.
 * @throws CredentialNotFoundError; CredentialNotLiveError if it is expired, revoked or rotated
 */
export async function rotateCredential<K extends CredentialKind>(
  trx: Trx,
  pepper: string | undefined,
  kind: K,
  id: string,
  { graceSeconds, lifetimeSeconds }: Rotation,
): Promise<Rotated<CredentialOf[K]>> {
  await lockCredential(trx, kind, id);
  const before = await showCredential(trx, kind, id);
  requireLive(kind, before);
  const lifetime = lifetimeSeconds === undefined ? lifetimeOf(before) : lifetimeSeconds;
  const { credential, token } = newCredential(kind, pepper, before.tenantId, lifetime, before.familyId);
  await insertCredential(trx, kind, credential, ownColumns(before));
  await endByRotation(trx, kind, id, credential.id, graceSeconds);
  if (graceSeconds === 0) await markRevoked(trx, kind, id);
  const [issued, previous] = [
    await showCredential(trx, kind, credential.id),
    await showCredential(trx, kind, id),
  ];
  return { credential: issued, token, before, previous };
}

function ownColumns(credential: ApiKey | WidgetToken): OwnColumns {
  if ('origins' in credential) return { origins: credential.followsTenant ? null : credential.origins };
  const { scopes, name, website } = credential;
  return { scopes, name, website };
}

function requireLive(kind: CredentialKind, { id, replacedBy, status }: Credential): void {
  if (replacedBy) throw new CredentialNotLiveError(kind, id, `was rotated: its successor is ${replacedBy}`);
  if (status === 'revoked') throw new CredentialNotLiveError(kind, id, 'was revoked: issue a new one');
  if (status === 'expired') throw new CredentialNotLiveError(kind, id, 'has expired: issue a new one');
}

function lifetimeOf({ createdAt, expiresAt }: Credential): number | null {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000);
}
