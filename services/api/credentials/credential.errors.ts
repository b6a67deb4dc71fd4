import { AppError } from '../../platform/errors';
import type { Scope } from './scope';

/** A refused credential. Only a caller that proved the secret learns which of the reasons it was (CONTRACT section 1). */
export abstract class CredentialError extends AppError {
  abstract readonly proven: boolean;
}

/** Malformed, unknown or wrong secret: one answer for all, so that nothing can be found out by asking. */
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

  constructor() {
    super('The API key has expired.');
  }
}

export class KeyRevokedError extends CredentialError {
  readonly code = 'key_revoked';
  readonly proven = true;

  constructor() {
    super('The API key was revoked.');
  }
}

export class TenantInactiveError extends CredentialError {
  readonly code = 'tenant_inactive';
  readonly proven = true;

  constructor() {
    super('The tenant of this API key is not active.');
  }
}

export class InsufficientScopeError extends CredentialError {
  readonly code = 'insufficient_scope';
  readonly proven = true;

  constructor(readonly scope: Scope) {
    super(`The API key lacks the scope ${scope}.`);
  }
}

/** A good API key in the place of a widget token, or the reverse. */
export class WrongCredentialTypeError extends CredentialError {
  readonly code = 'wrong_credential_type';
  readonly proven = true;

  constructor(needed: 'API key' | 'widget token') {
    super(`This call takes ${needed === 'API key' ? 'an API key' : 'a widget token'}.`);
  }
}

/** Malformed, unknown, expired, revoked, or of an inactive tenant: one answer for all. */
export class InvalidWidgetTokenError extends CredentialError {
  readonly code = 'invalid_widget_token';
  readonly proven = false;

  constructor() {
    super('The widget token is missing or not valid.');
  }
}
