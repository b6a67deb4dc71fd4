import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import { updateLastUsed } from './credential-use.repository';
import { addSighting, type Sighting } from './credential-sighting';
import type { ApiKeyPrincipal, WidgetPrincipal } from './principal';

const FLUSH_MS = 30_000;

/** When was a credential last used? Kept in memory and written together, so that no request waits for a write of its own. */
export interface UseRecorder {
  /** @param fromBrowser for an API key that is a leak: it belongs on a server */
  note(principal: ApiKeyPrincipal | WidgetPrincipal, fromBrowser?: boolean): void;
  /** A proven API key in a browser that was not served, as it came in the place of a widget token. */
  noteLeak(keyId: string): void;
  /** Writes what was noted and stops. */
  stop(): Promise<void>;
}

export function startUseRecorder(db: Db, log: Logger): UseRecorder {
  let keys = new Map<string, Sighting>();
  let tokens = new Map<string, Sighting>();
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
    note(principal, fromBrowser = false) {
      const now = new Date();
      if (principal.kind === 'widget_token') tokens.set(principal.tokenId, { used: now });
      else addSighting(keys, principal.keyId, fromBrowser ? { used: now, inBrowser: now } : { used: now });
    },
    noteLeak: (keyId) => addSighting(keys, keyId, { inBrowser: new Date() }),
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
