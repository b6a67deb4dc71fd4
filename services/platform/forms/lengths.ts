/** The most characters of each kind of text, for requests, files and the terminal. */

/**
 * The name of a person, a tour, a place, a category, a tenant or a credential.
 * @rule how long a text may be: test/docs/documented-inputs.long.test.ts
 */
export const NAME_MAX = 200;
export const EMAIL_MAX = 254;
/** A phone number as it is written. */
export const PHONE_MAX = 40;
/** A reference of the caller, or an id that a reference may replace. */
export const REFERENCE_MAX = 128;
/** The reason of a change, and one line of a list. */
export const REASON_MAX = 500;
/** Notes, a summary and a policy. */
export const NOTES_MAX = 2000;
/** The address of a page or a picture. */
export const ADDRESS_MAX = 2000;
export const SEARCH_MAX = 100;
/** The limit of a language tag. Without it, Intl would take seconds for a long tag. */
export const LANGUAGE_TAG_MAX = 35;
