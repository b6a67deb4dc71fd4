import type { Db } from '../../platform/database';

import type { CredentialKind } from './token-format';

/** Moves the times of last use forward only, because another instance may have written a later one. Browsers are normal for widget tokens. */
export async function updateLastUsed(
  db: Db,
  kind: CredentialKind,
  seen: Map<string, LastSeen>,
): Promise<void> {
  if (seen.size === 0) return;
  const lastSeen = [...seen.values()];
  const inBrowser = kind === 'api_key' ? ', browser_seen_at = greatest(c.browser_seen_at, u.in_browser)' : '';
  const isNews = kind === 'api_key' ? 'or u.in_browser > coalesce(c.browser_seen_at, :never)' : '';
  await db.raw(
    `update ${kind === 'api_key' ? 'api_keys' : 'widget_tokens'} c set last_used_at = greatest(c.last_used_at, u.used) ${inBrowser}
     from unnest(:ids::text[], :used::timestamptz[], :inBrowser::timestamptz[]) as u (id, used, in_browser)
     where c.id = u.id and (u.used > coalesce(c.last_used_at, :never) ${isNews})`,
    {
      ids: [...seen.keys()],
      used: lastSeen.map(({ used }) => used ?? null),
      inBrowser: lastSeen.map((one) => one.inBrowser ?? null),
      never: '-infinity',
    },
  );
}

/** Times of last use that a process has recorded and not yet written. */
export interface LastSeen {
  /** Last successful authentication. */
  used?: Date;
  /** Last request from a browser. */
  inBrowser?: Date;
}

export function addLastSeen(times: Map<string, LastSeen>, id: string, seen: LastSeen): void {
  const known = times.get(id);
  if (known) Object.assign(known, seen);
  else times.set(id, seen);
}
