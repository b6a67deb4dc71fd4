import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { addLastSeen, type LastSeen, updateLastUsed } from './credential-use.repository';

import type { ApiKeyPrincipal, WidgetPrincipal } from './credential';

const FLUSH_MS = 30_000;

/** Records when credentials were last used. Writes in batches, so that no request waits for a write. */
export interface UseRecorder {
  /** @param fromBrowser an API key in a browser is a leak */
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
