import type { Tenant } from '../tenants/tenant';
import type { Scope } from './scope';

/** A tenant's server that proved an API key. */
export interface ApiKeyPrincipal {
  kind: 'api_key';
  keyId: string;
  /** The quota bucket: a rotated key keeps it. */
  familyId: string;
  /** What this request needed of it. */
  scope: Scope;
  tenant: Tenant;
}

/** A browser that carries a widget token. */
export interface WidgetPrincipal {
  kind: 'widget_token';
  tokenId: string;
  familyId: string;
  /** The token's own, else the tenant's; none: no browser origin is allowed. */
  origins: string[];
  tenant: Tenant;
  expiresAt: Date | null;
}
