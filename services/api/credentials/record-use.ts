import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import type { ApiKeyPrincipal, WidgetPrincipal } from './principal';
import { updateLastUsed } from './issued-credential.repository';

const FLUSH_MS = 30_000;

/** When was a credential last used? Kept in memory and written together, so that no request waits for a write of its own. */
export interface UseRecorder {
  note(principal: ApiKeyPrincipal | WidgetPrincipal): void;
  /** Writes what was noted and stops. */
  stop(): Promise<void>;
}

export function startUseRecorder(db: Db, log: Logger): UseRecorder {
  let keys = new Map<string, Date>();
  let tokens = new Map<string, Date>();
  const flush = async () => {
    const [usedKeys, usedTokens] = [keys, tokens];
    keys = new Map();
    tokens = new Map();
    try {
      await updateLastUsed(db, 'api_keys', usedKeys);
      await updateLastUsed(db, 'widget_tokens', usedTokens);
    } catch (error) {
      log.warn({ err: error }, 'last use of credentials not written');
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_MS);
  timer.unref();
  return {
    note(principal) {
      if (principal.kind === 'api_key') keys.set(principal.keyId, new Date());
      else tokens.set(principal.tokenId, new Date());
    },
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
