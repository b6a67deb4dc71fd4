import type { Db, Trx } from '../../platform/database';
import type { RecordedChange } from './recorded-change';

export async function selectChangesOf(db: Db, subjects: string[]): Promise<RecordedChange[]> {
  return db('audit_log as a')
    .leftJoin('tenants as t', 't.id', 'a.tenant_id')
    .whereIn('a.subject', subjects)
    .orderBy('a.id')
    .select<RecordedChange[]>(
      'a.id',
      'a.at',
      'a.actor',
      'a.host',
      'a.action',
      't.slug as tenant',
      'a.subject',
      'a.before',
      'a.after',
    );
}

export async function rewriteChange(
  trx: Trx,
  { id, before, after }: { id: number; before: unknown; after: unknown },
): Promise<void> {
  const [written, rewritten] = [before, after].map((value) => (value == null ? null : JSON.stringify(value)));
  await trx('audit_log').where({ id }).update({ before: written, after: rewritten });
}
