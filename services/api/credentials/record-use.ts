import type { Db } from '../../platform/database/database';
import type { CredentialKind } from './token';
import type { Logger } from '../../platform/logger';
import type { ApiKeyPrincipal, WidgetPrincipal } from './credential';

const FLUSH_MS = 30_000;

/** Records when credentials were last used. Writes the times in batches, so that no request waits for a write. */
export interface UseRecorder {
  /** @param fromBrowser true: the request came from a browser. An API key that a browser sends has leaked */
  record(principal: ApiKeyPrincipal | WidgetPrincipal, fromBrowser?: boolean): void;
  /** Records an API key that a browser sent in place of a widget token. */
  recordLeak(keyId: string): void;
  /** Writes the recorded times and stops. */
  stop(): Promise<void>;
}

export function startUseRecorder(db: Db, log: Logger): UseRecorder {
  let keys = new Map<string, LastSeen>();
  let tokens = new Map<string, LastSeen>();
  const flush = async () => {
    const [usedKeys, usedTokens] = [keys, tokens];
    keys = new Map();
    tokens = new Map();
    try {
      await updateLastUsed(db, 'api_key', usedKeys);
      await updateLastUsed(db, 'widget_token', usedTokens);
    } catch (error) {
      log.warn({ err: error }, 'last use of credentials not written');
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    record(principal, fromBrowser = false) {
      const now = new Date();
      if (principal.kind === 'widget_token') tokens.set(principal.tokenId, { used: now });
      else addLastSeen(keys, principal.keyId, fromBrowser ? { used: now, inBrowser: now } : { used: now });
    },
    recordLeak: (keyId) => addLastSeen(keys, keyId, { inBrowser: new Date() }),
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}

/**
 * Writes the times of last use. Keeps a stored time that is later, because another instance may have written it. For API keys, also stores
 * when a browser last used the key.
 */
async function updateLastUsed(db: Db, kind: CredentialKind, seen: Map<string, LastSeen>): Promise<void> {
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
interface LastSeen {
  /** Last successful authentication. */
  used?: Date;
  /** Last request from a browser. */
  inBrowser?: Date;
}

function addLastSeen(times: Map<string, LastSeen>, id: string, seen: LastSeen): void {
  times.set(id, { ...times.get(id), ...seen });
}
