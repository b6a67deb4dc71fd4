import { AppError } from '../../platform/errors';
import type { Tenant, TenantQuotas } from '../tenants/tenant';
import type { ApiKeyPrincipal, Scope } from './credential';

import type { CredentialKind } from './token';

/** The credential is refused. The reason is told only to a caller that proved the secret (`proven`). */
export abstract class CredentialError extends AppError {
  abstract readonly proven: boolean;

  /** @param tenant the owner of a proven credential */
  constructor(
    message: string,
    readonly tenant?: Pick<Tenant, 'sandbox'>,
  ) {
    super(message);
  }
}

/**
 * The text is malformed, its id is unknown, or its secret is wrong. All three get the same answer, so that a caller cannot find
 * valid ids.
 */
export class InvalidApiKeyError extends CredentialError {
  readonly code = 'invalid_api_key';
  readonly proven = false;

  constructor() {
    super('The API key is missing or not valid.');
  }
}

export class KeyExpiredError extends CredentialError {
  readonly code = 'key_expired';
  readonly proven = true;

  constructor(tenant?: Pick<Tenant, 'sandbox'>) {
    super('The API key has expired.', tenant);
  }
}

export class KeyRevokedError extends CredentialError {
  readonly code = 'key_revoked';
  readonly proven = true;

  constructor(tenant?: Pick<Tenant, 'sandbox'>) {
    super('The API key was revoked.', tenant);
  }
}

export class TenantInactiveError extends CredentialError {
  readonly code = 'tenant_inactive';
  readonly proven = true;

  constructor(tenant?: Pick<Tenant, 'sandbox'>) {
    super('The tenant of this API key is not active.', tenant);
  }
}

type ScopelessPrincipal = Pick<ApiKeyPrincipal, 'kind' | 'familyId'> & {
  /** The scope that the key lacks. */
  scope: Scope;
  tenant: Pick<Tenant, 'sandbox'> & TenantQuotas;
};

/** A valid key without the scope of the request. HTTP answers 401; http/problems.ts has the status of every error. */
export class InsufficientScopeError extends CredentialError {
  readonly code = 'insufficient_scope';
  readonly proven = true;
  readonly scope: Scope;

  /** @param principal the caller whose quota counts the refused request */
  constructor(readonly principal: ScopelessPrincipal) {
    super(`The API key lacks the scope ${principal.scope}.`, principal.tenant);
    this.scope = principal.scope;
  }
}

const TAKES = {
  api_key: 'an API key, in Authorization: Bearer or in api_key',
  widget_token: 'a widget token, in token or in x-svc-widget-token',
};

/** The credential is valid, but it is of the wrong kind for the call, or was sent in the place of the other kind. */
export class WrongCredentialTypeError extends CredentialError {
  readonly code = 'wrong_credential_type';
  readonly proven = true;

  constructor(needed: CredentialKind) {
    super(`This call takes ${TAKES[needed]}.`);
  }
}

/**
 * The text is malformed, its id is unknown, or its secret is wrong. All three get the same answer, so that a caller cannot find
 * valid ids.
 */
export class InvalidWidgetTokenError extends CredentialError {
  readonly code = 'invalid_widget_token';
  readonly proven: boolean = false;

  constructor(message = 'The widget token is missing or not valid.', tenant?: Pick<Tenant, 'sandbox'>) {
    super(message, tenant);
  }
}

const UNUSABLE = {
  expired: 'The widget token has expired.',
  revoked: 'The widget token was revoked.',
  tenant_inactive: 'The tenant of this widget token is not active.',
  pass_expired: 'The pass of this page has expired.',
};

/**
 * The secret of the token or pass is right, but the token or pass may not be used. The message names the reason. The code is the same as
 * for every invalid token.
 */
export class UnusableWidgetTokenError extends InvalidWidgetTokenError {
  override readonly proven = true;

  /** @param origins the origins whose pages may use the token: these pages may show the message in a frame */
  constructor(
    readonly reason: keyof typeof UNUSABLE,
    tenant: Pick<Tenant, 'sandbox'>,
    readonly origins: string[],
  ) {
    super(UNUSABLE[reason], tenant);
  }
}
