/** The groups that a migration gives rights to (ADR 35). */
export type DatabaseRole = 'tour_platform_api' | 'tour_platform_queue';

/** Returns the URL of the database for sessions that have the rights of the group alone, as its logins have. */
export function urlAs(role: DatabaseRole, url: string): string {
  const ofRole = new URL(url);
  ofRole.searchParams.set('options', `-c role=${role}`);
  return ofRole.href;
}
