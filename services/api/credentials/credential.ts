import { type Tenant, tenantVersion } from '../tenants/tenant';

export const CREDENTIAL_STATUSES = ['live', 'expired', 'revoked'] as const;
type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** A credential as lists and the command line show it, without its secret. */
export interface Credential {
  id: string;
  /** Slug. */
  tenant: string;
  tenantId: string;
  /** Id of the first credential of a chain of rotations. */
  familyId: string;
  /** The status by the database's clock. The API accepts a credential with the status `live` only if the tenant may also use the API. */
  status: CredentialStatus;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  replacedBy: string | null;
  lastUsedAt: Date | null;
  /** Warnings of a live credential, by the database's clock; the most urgent comes first. */
  warnings: CredentialWarning[];
}

export interface ApiKey extends Credential {
  name: string | null;
  website: string | null;
  scopes: Scope[];
  /** Time of the last request that came from a browser. */
  browserSeenAt: Date | null;
}

export interface WidgetToken extends Credential {
  /** The token's own list, otherwise the tenant's. */
  origins: string[];
  /** True: the token has no origins of its own and uses the tenant's current list. */
  followsTenant: boolean;
}

/** The credential of each kind. */
export interface CredentialOf {
  api_key: ApiKey;
  widget_token: WidgetToken;
}

export interface CredentialPage {
  status?: CredentialStatus;
  /** Id of the last credential of the previous page. Lists start with the newest. */
  after?: string;
  limit: number;
}

/** A new credential with its secret, which is shown only once. */
export interface Issued<C extends Credential> {
  credential: C;
  token: string;
}

/** The permissions of an API key. */
export const SCOPES = ['catalog:read', 'booking:create', 'booking:read', 'booking:manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** A reason for the operator to act on a live credential. */
export type CredentialWarning = 'seen_in_browser' | 'never_used' | 'expires_soon';

/** Days after which a credential without any use gets a warning. */
export const UNUSED_DAYS = 7;
export const EXPIRING_DAYS = 14;

/** A caller that proved the secret of an API key: the tenant's server. */
export interface ApiKeyPrincipal {
  kind: 'api_key';
  keyId: string;
  /** Identifies the quota. The successor of a rotated key has the same family, so it shares the quota. */
  familyId: string;
  /** The scope that this request needs; undefined: none. */
  scope: Scope | undefined;
  /** All scopes of the key. */
  scopes: Scope[];
  tenant: Tenant;
}

/** A caller that proved the secret of a widget token: a browser. */
export interface WidgetPrincipal {
  kind: 'widget_token';
  tokenId: string;
  familyId: string;
  /** The token's own list, otherwise the tenant's. Empty: no website may use the token. */
  origins: string[];
  tenant: Tenant;
  expiresAt: Date | null;
  /** The time, in seconds, at which the first pass of this chain of passes was made. Undefined for a request with the token itself. */
  passChainStart?: number;
}

/** Returns whether the key may read bookings, and so the people of every booking of its tenant. */
export function mayReadBookings({ scopes }: Pick<ApiKeyPrincipal, 'scopes'>): boolean {
  return scopes.includes('booking:read');
}

/** Returns the digest of the caller's tenant (tenantVersion). The cache keys of the caller's answers begin with this digest. */
export function versionOfCaller({ tenant }: ApiKeyPrincipal | WidgetPrincipal): string {
  return tenantVersion(tenant);
}
