/** A change made from the terminal: who, where, what, and how the thing was and is. Never a secret. */
export interface AuditEntry {
  /** System user, as logged in: behind sudo, the one who called it. */
  actor: string;
  host: string;
  /** Noun and verb: `tenant.create`. */
  action: string;
  tenantId: string | null;
  /** What was changed: a slug, an id, a reference. */
  subject: string | null;
  before: unknown;
  after: unknown;
}

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
