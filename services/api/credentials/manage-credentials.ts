import type { Db, Trx } from '../../platform/database/database';
import type {
  ApiKey,
  Credential,
  CredentialOf,
  CredentialPage,
  Issued,
  Scope,
  WidgetToken,
} from './credential';
import {
  endByRotation,
  findCredential,
  insertCredential,
  lockCredential,
  markRevoked,
  type NewCredential,
  type OwnColumns,
  selectCredentialsOf,
} from './credential.repository';
import { type CredentialKind, digestToken, mintCredentialToken } from './token';
import type { Tenant } from '../tenants/tenant';
import { allowedOrigins } from '../tenants/origins';
import { AppError } from '../../platform/errors';

/**
 * Lists API keys or widget tokens, newest first, also expired and revoked ones.
 * @param tenantId undefined: those of all tenants
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

interface ApiKeyToIssue {
  scopes: Scope[];
  name?: string | null;
  /** The website that uses the key. */
  website?: string | null;
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
}

/** Issues an API key. Only the result contains the secret; the database stores a digest. */
export async function issueApiKey(
  trx: Trx,
  pepper: string | undefined,
  tenant: Pick<Tenant, 'id'>,
  { scopes, name = null, website = null, lifetimeSeconds = null }: ApiKeyToIssue,
): Promise<Issued<ApiKey>> {
  const { credential, token } = newCredential('api_key', pepper, tenant.id, lifetimeSeconds);
  await insertCredential(trx, 'api_key', credential, { name, website, scopes: [...new Set(scopes)] });
  return { credential: await showCredential(trx, 'api_key', credential.id), token };
}

/** Creates a token and the row to insert for it. Without a family id, the credential starts a new family. */
function newCredential(
  kind: CredentialKind,
  pepper: string | undefined,
  tenantId: string,
  lifetimeSeconds: number | null,
  familyId?: string,
): { credential: NewCredential; token: string } {
  const { id, token } = mintCredentialToken(kind);
  const { digest, algorithm } = digestToken(token, pepper);
  const family = familyId ?? id;
  return {
    credential: { id, tenantId, familyId: family, digest, digestAlgorithm: algorithm, lifetimeSeconds },
    token,
  };
}

export interface WidgetTokenToIssue {
  /** Undefined or empty: the token uses the tenant's current list. */
  origins?: string[];
  /** Null or absent: it does not expire. */
  lifetimeSeconds?: number | null;
  /** Allows http://localhost, for a tenant on trial. */
  dev?: boolean;
}

/**
 * Issues a widget token. Only the result contains the secret; the database stores a digest.
 * @throws OriginRefusedError, TooManyOriginsError
 */
export async function issueWidgetToken(
  trx: Trx,
  pepper: string | undefined,
  tenant: Pick<Tenant, 'id' | 'status'>,
  { origins = [], lifetimeSeconds = null, dev = false }: WidgetTokenToIssue,
): Promise<Issued<WidgetToken>> {
  const own = origins.length > 0 ? allowedOrigins(tenant, origins, dev) : null;
  const { credential, token } = newCredential('widget_token', pepper, tenant.id, lifetimeSeconds);
  await insertCredential(trx, 'widget_token', credential, { origins: own });
  return { credential: await showCredential(trx, 'widget_token', credential.id), token };
}

interface Rotation {
  /**
   * Seconds until the replaced credential expires. If the credential's own expiry is earlier, this earlier expiry applies. 0: the
   * credential is revoked in the same transaction.
   */
  graceSeconds: number;
  /** Lifetime of the successor. Null: no expiry. Undefined: the lifetime of the replaced credential. */
  lifetimeSeconds?: number | null;
}

/** The successor, and the replaced credential before and after the rotation. */
export interface Rotated<C extends Credential> extends Issued<C> {
  before: C;
  previous: C;
}

/**
 * Issues a successor with the same scopes or origins, family and quota. The successor of a token without origins of its own has none
 * either: both tokens use the tenant's list of origins. If the old credential is revoked, call awaitUses after COMMIT, like after
 * revokeCredential.
 * @throws CredentialNotFoundError; CredentialNotLiveError if it is expired, revoked or rotated
 * @rule how long a rotated key still serves: test/cli/key.long.test.ts
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

/**
 * Revokes a key or a widget token. The API refuses it from the commit on. A second revocation changes nothing. Does not wait for the writes
 * with the key that run now: call awaitUses after COMMIT.
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

// Only the terminal shows these errors. credential.errors.ts has the errors of HTTP requests.

const NAME = { api_key: 'API key', widget_token: 'widget token' } as const;

class CredentialNotFoundError extends AppError {
  readonly code: 'api_key_not_found' | 'widget_token_not_found';

  constructor(kind: CredentialKind, id: string) {
    super(`There is no ${NAME[kind]} ${id}`);
    this.code = `${kind}_not_found`;
  }
}

/** The credential is not live, so it cannot be rotated. */
class CredentialNotLiveError extends AppError {
  readonly code: 'api_key_not_live' | 'widget_token_not_live';

  constructor(kind: CredentialKind, id: string, why: string) {
    super(`The ${NAME[kind]} ${id} ${why}`);
    this.code = `${kind}_not_live`;
  }
}
