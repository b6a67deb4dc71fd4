import type { Request } from 'express';
import type { LeasedReads } from '../../platform/change-lease/leased-cache';
import type { Config } from '../../platform/config';
import type { Db } from '../../platform/database';
import type { Logger } from '../../platform/logger';
import type { QuotaStore } from '../../platform/quota-store';
import type { CredentialSource } from '../credentials/credential-source';
import type { UseRecorder } from '../credentials/record-use';
import type { Secrets } from '../../platform/secrets';

/** What a request may use. Made once in server.ts, or by a test. */
export interface ApiContext extends LeasedReads {
  config: Config;
  secrets: Secrets;
  /** For authentication and reads. */
  db: Db;
  /** For writes, a pool of their own: those that wait for a busy departure take no connection from the others. */
  writes: Db;
  log: Logger;
  credentials: CredentialSource;
  quotas: QuotaStore;
  uses: UseRecorder;
}

export function contextOf(request: Request): ApiContext {
  return request.app.locals.context as ApiContext;
}
