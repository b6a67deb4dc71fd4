import type { Trx } from './database/database';

/** A change by an operator. Holds no secret. */
export interface AuditEntry {
  /** The name that the person gave (--actor, TOURCTL_ACTOR). Without such a name: the system user, or the user who called sudo. */
  actor: string;
  /** The name of the machine. If --actor or TOURCTL_ACTOR gave the name, the system user stands before the machine: `root@7c1f`. */
  host: string;
  /** Noun and verb: `tenant.create`. */
  action: string;
  tenantId: string | null;
  /** A slug, an id or a reference. */
  subject: string | null;
  before: unknown;
  after: unknown;
  /** The person whose link to the monitoring page made the change. The database itself names a person whose login makes the change. */
  person?: string | null;
}

/** Writes the audit row in the transaction of the change, so that neither is committed without the other. */
export async function recordChange(trx: Trx, entry: AuditEntry): Promise<void> {
  const { actor, host, action, subject, person } = entry;
  const [before, after] = [entry.before, entry.after].map((value) =>
    value == null ? null : JSON.stringify(value),
  );
  const row = { actor, host, action, tenant_id: entry.tenantId, subject, before, after };
  await trx('audit_log').insert(person ? { ...row, person } : row);
}
