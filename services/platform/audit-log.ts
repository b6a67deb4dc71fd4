import type { Trx } from './database';

/** A change that a person made: who, where, what, and how the thing was and is. Never a secret. */
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

/** In the change's own transaction, so that there is no change without its row and no row without its change. */
export async function recordChange(trx: Trx, entry: AuditEntry): Promise<void> {
  const { actor, host, action, subject } = entry;
  const [before, after] = [entry.before, entry.after].map((value) =>
    value == null ? null : JSON.stringify(value),
  );
  await trx('audit_log').insert({ actor, host, action, tenant_id: entry.tenantId, subject, before, after });
}
