import { AppError } from '../../platform/errors';
import type { CredentialKind } from './token-format';

const NAME = { api_key: 'API key', widget_token: 'widget token' } as const;

export class CredentialNotFoundError extends AppError {
  readonly code: 'api_key_not_found' | 'widget_token_not_found';

  constructor(kind: CredentialKind, id: string) {
    super(`There is no ${NAME[kind]} ${id}`);
    this.code = `${kind}_not_found`;
  }
}

/** The credential is not live, so it cannot be rotated. */
export class CredentialNotLiveError extends AppError {
  readonly code: 'api_key_not_live' | 'widget_token_not_live';

  constructor(kind: CredentialKind, id: string, why: string) {
    super(`The ${NAME[kind]} ${id} ${why}`);
    this.code = `${kind}_not_live`;
  }
}
