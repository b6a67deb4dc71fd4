import type { Db } from '../../platform/database';
import type { Sighting } from './credential-sighting';
import type { CredentialKind } from './token-format';

/** Only ever forward: another instance may have seen a later use. Of a widget token no browser is news. */
export async function updateLastUsed(
  db: Db,
  kind: CredentialKind,
  seen: Map<string, Sighting>,
): Promise<void> {
  if (seen.size === 0) return;
  const sightings = [...seen.values()];
  const inBrowser = kind === 'api_key' ? ', browser_seen_at = greatest(c.browser_seen_at, u.in_browser)' : '';
  const isNews = kind === 'api_key' ? 'or u.in_browser > coalesce(c.browser_seen_at, :never)' : '';
  await db.raw(
    `update ${kind === 'api_key' ? 'api_keys' : 'widget_tokens'} c set last_used_at = greatest(c.last_used_at, u.used) ${inBrowser}
     from unnest(:ids::text[], :used::timestamptz[], :inBrowser::timestamptz[]) as u (id, used, in_browser)
     where c.id = u.id and (u.used > coalesce(c.last_used_at, :never) ${isNews})`,
    {
      ids: [...seen.keys()],
      used: sightings.map(({ used }) => used ?? null),
      inBrowser: sightings.map((sighting) => sighting.inBrowser ?? null),
      never: '-infinity',
    },
  );
}
