import type { Trx } from '../../platform/database';
import type { ApiKey, Credential, Issued, WidgetToken } from './credential';
import { CredentialNotFoundError, CredentialNotLiveError } from './credential-state.errors';
import { issueApiKey, newCredential } from './issue-credential';
import {
  endByRotation,
  findApiKey,
  findWidgetToken,
  insertWidgetToken,
  lockCredential,
  markRevoked,
} from './issued-credential.repository';

import type { CredentialKind } from './token-format';

export interface Rotation {
  /** Time until the old one expires, unless its own expiry is earlier; 0 revokes it in the same transaction. */
  graceSeconds: number;
  /** Lifetime of the new one; null: no expiry; absent: the lifetime of the old one. */
  lifetimeSeconds?: number | null;
}

/** The replaced credential before and after the rotation. */
interface Rotated<C> {
  before: C;
  previous: C;
}

/**
 * Issues a successor with the same scopes, family and quota.
 * @throws CredentialNotFoundError; CredentialNotLiveError if it is expired, revoked or rotated
 */
export async function rotateApiKey(
  trx: Trx,
  pepper: string | undefined,
  id: string,
  rotation: Rotation,
): Promise<Issued<ApiKey> & Rotated<ApiKey>> {
  await lockCredential(trx, 'api_key', id);
  const old = requireLive('api_key', id, await findApiKey(trx, id));
  const { lifetimeSeconds = lifetimeOf(old) } = rotation;
  const { scopes, name, website } = old;
  const given = { scopes, name, website, lifetimeSeconds };
  const issued = await issueApiKey(trx, pepper, { id: old.tenantId }, given, old.familyId);
  await endPrevious(trx, 'api_key', id, issued.credential.id, rotation.graceSeconds);
  return { ...issued, before: old, previous: (await findApiKey(trx, id))! };
}

/**
 * Issues a successor with the same origins (its own, or the tenant's), family and quota.
 * @throws CredentialNotFoundError; CredentialNotLiveError if it is expired, revoked or rotated
 */
export async function rotateWidgetToken(
  trx: Trx,
  pepper: string | undefined,
  id: string,
  rotation: Rotation,
): Promise<Issued<WidgetToken> & Rotated<WidgetToken>> {
  await lockCredential(trx, 'widget_token', id);
  const old = requireLive('widget_token', id, await findWidgetToken(trx, id));
  const { lifetimeSeconds = lifetimeOf(old) } = rotation;
  const { credential, token } = newCredential(
    'widget_token',
    pepper,
    old.tenantId,
    lifetimeSeconds,
    old.familyId,
  );
  await insertWidgetToken(trx, credential, { origins: old.followsTenant ? null : old.origins });
  await endPrevious(trx, 'widget_token', id, credential.id, rotation.graceSeconds);
  const [issued, previous] = [await findWidgetToken(trx, credential.id), await findWidgetToken(trx, id)];
  return { credential: issued!, token, before: old, previous: previous! };
}

function requireLive<C extends Credential>(kind: CredentialKind, id: string, credential: C | undefined): C {
  if (!credential) throw new CredentialNotFoundError(kind, id);
  if (credential.replacedBy)
    throw new CredentialNotLiveError(kind, id, `was rotated: its successor is ${credential.replacedBy}`);
  if (credential.status === 'revoked')
    throw new CredentialNotLiveError(kind, id, 'was revoked: issue a new one');
  if (credential.status === 'expired')
    throw new CredentialNotLiveError(kind, id, 'has expired: issue a new one');
  return credential;
}

function lifetimeOf({ createdAt, expiresAt }: Credential): number | null {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / 1000);
}

async function endPrevious(
  trx: Trx,
  kind: CredentialKind,
  id: string,
  successor: string,
  graceSeconds: number,
): Promise<void> {
  await endByRotation(trx, kind, id, successor, graceSeconds);
  if (graceSeconds === 0) await markRevoked(trx, kind, id);
}
