/** Forms of text that every room and the terminal read alike. */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SLUG = /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Of one line of text: none may stand in it, a line break and a tab neither, nor what turns the order of letters on a screen. */
export const CONTROL_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** In any case. What is none would be an error of the database's, where it is simply nobody's id. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** 2 to 63 of a-z, 0-9 and inner dashes. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** YYYY-MM-DD of a day that exists, as PostgreSQL knows them: a pattern lets 2026-02-31 pass, and Date the year 0000. */
export function isCalendarDate(text: string): boolean {
  if (!DATE.test(text) || text.startsWith('0000')) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
