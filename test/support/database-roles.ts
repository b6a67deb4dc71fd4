/** The groups that a migration gives rights to (ADR 35). */
export type DatabaseRole = 'tour_platform_api' | 'tour_platform_queue';

/** Returns the URL of the database for sessions with the rights of this group only, like the logins in the group. */
export function urlAs(role: DatabaseRole, url: string): string {
  const ofRole = new URL(url);
  ofRole.searchParams.set('options', `-c role=${role}`);
  return ofRole.href;
}
