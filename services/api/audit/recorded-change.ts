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
  action?: string;
  limit: number;
}
