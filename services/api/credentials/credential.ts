import type { CredentialWarning } from './credential-warning';
import type { Scope } from './scope';

export const CREDENTIAL_STATUSES = ['live', 'expired', 'revoked'] as const;
export type CredentialStatus = (typeof CREDENTIAL_STATUSES)[number];

/** As it stands on the command line and in lists; the secret is nowhere. */
export interface Credential {
  id: string;
  /** Slug. */
  tenant: string;
  tenantId: string;
  /** The first key of a line of rotated ones. */
  familyId: string;
  /** By the database's clock. A live one is served if its tenant is. */
  status: CredentialStatus;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  replacedBy: string | null;
  lastUsedAt: Date | null;
  /** Of a live one, by the database's clock; the one to act on first comes first. */
  warnings: CredentialWarning[];
}

export interface ApiKey extends Credential {
  name: string | null;
  website: string | null;
  scopes: Scope[];
  /** When it last came with the marks of a browser. */
  browserSeenAt: Date | null;
}

export interface WidgetToken extends Credential {
  /** The token's own, else the tenant's. */
  origins: string[];
  /** It has none of its own, and the tenant's as they change. */
  followsTenant: boolean;
}

export interface CredentialPage {
  status?: CredentialStatus;
  /** Id of the one behind which it goes on: lists run from the newest to the oldest. */
  after?: string;
  limit: number;
}

/** A credential with its secret: this once. */
export interface Issued<C extends Credential> {
  credential: C;
  token: string;
}
