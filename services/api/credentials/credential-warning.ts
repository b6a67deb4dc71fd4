/** What an operator may want to act on while a credential still serves. */
export type CredentialWarning = 'seen_in_browser' | 'never_used' | 'expires_soon';

/** Days. A key that nobody took into use by then may as well not exist. */
export const UNUSED_DAYS = 7;
export const EXPIRING_DAYS = 14;
