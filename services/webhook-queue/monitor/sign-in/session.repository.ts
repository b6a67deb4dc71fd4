import type { Db, Trx } from '../../../platform/database';

export interface SessionOwner {
  id: string;
  /** The system user who created the link, and the machine. */
  operator: string;
  host: string;
}

/** Deletes expired links and expired sessions. */
export async function deleteExpiredSessions(trx: Trx): Promise<void> {
  await trx('webhook_monitor_sessions')
    .whereRaw(
      'case when session_digest is null then link_expires_at else expires_at end <= clock_timestamp()',
    )
    .delete();
}

export async function insertLink(
  trx: Trx,
  { operator, host }: Omit<SessionOwner, 'id'>,
  digest: Buffer,
  minutes: number,
): Promise<{ id: string; expiresAt: Date }> {
  const { rows } = await trx.raw<{ rows: [{ id: string; link_expires_at: Date }] }>(
    `insert into webhook_monitor_sessions (operator, host, link_digest, link_expires_at)
     values (:operator, :host, :digest, clock_timestamp() + make_interval(mins => :minutes))
     returning id, link_expires_at`,
    { operator, host, digest, minutes },
  );
  return { id: rows[0].id, expiresAt: rows[0].link_expires_at };
}

/**
 * Uses a link up in one statement: a second concurrent use waits for the row lock and then finds the link used. The clock is
 * read after that wait.
 */
export async function spendLink(
  trx: Trx,
  linkDigest: Buffer,
  sessionDigest: Buffer,
  hours: number,
): Promise<SessionOwner | undefined> {
  const { rows } = await trx.raw<{ rows: SessionOwner[] }>(
    `update webhook_monitor_sessions
     set session_digest = :sessionDigest, expires_at = clock_timestamp() + make_interval(hours => :hours)
     where link_digest = :linkDigest and session_digest is null and link_expires_at > clock_timestamp()
     returning id, operator, host`,
    { linkDigest, sessionDigest, hours },
  );
  return rows[0];
}

export async function findSessionByDigest(db: Db, digest: Buffer): Promise<SessionOwner | undefined> {
  return db('webhook_monitor_sessions')
    .where({ session_digest: digest })
    .whereRaw('expires_at > clock_timestamp()')
    .first<SessionOwner | undefined>('id', 'operator', 'host');
}

/** @returns false if the session had ended already */
export async function deleteSession(trx: Trx, id: string): Promise<boolean> {
  return (await trx('webhook_monitor_sessions').where({ id }).delete()) > 0;
}
