import type { Db } from '../../../platform/database';
import type { Logger } from '../../../platform/logger';
import type { TrustProxy } from '../../../platform/trust-proxy';
import type { Streams } from './streams';

/** What the page works on, once the database is there. */
export interface Monitor {
  db: Db;
  /** SECRETS_KEY: a rotation seals the new secret. */
  secretsKey: string;
  streams: Streams;
}

export interface Edge {
  log: Logger;
  trustProxy: TrustProxy;
  /** What is missing, in a word or two; undefined when all is there. */
  whyNotReady: () => Promise<string | undefined>;
  /** Undefined before the schema is in, and from the moment on that the process stops. */
  monitor: () => Monitor | undefined;
}
