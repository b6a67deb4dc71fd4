import type { AuditEntry } from '../../platform/audit-log';

export interface RecordedChange extends Omit<AuditEntry, 'tenantId'> {
  id: number;
  at: Date;
  /** Slug. */
  tenant: string | null;
}

export interface AuditFilter {
  tenantId?: string;
  since?: Date;
  /** Noun and verb, or the noun alone for all its verbs. */
  action?: string;
  /** System user. */
  actor?: string;
  subject?: string;
  /** Id of the change after which it goes on: lists run from the newest to the oldest. */
  after?: number;
  limit: number;
}
