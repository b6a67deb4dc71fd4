import { createHash, randomBytes } from 'node:crypto';
import { recordChange } from '../../platform/audit-log';
import { type Db, inTransaction, type Trx } from '../../platform/database/database';

// Both times are measured by the database's clock.
export const LINK_MINUTES = 5;
export const SESSION_HOURS = 8;

/** SQL of a link or session whose person has the role admin now. The owner's have no person. */
const MAY_USE = `(person is null or 'admin' = any(people_roles(person)))`;

interface SessionOwner {
  id: string;
  /** The system user who created the link. */
  operator: string;
  /** The machine on which the link was created. */
  host: string;
  /** The person whose login created the link. Null: the owner. */
  person: string | null;
}

export interface MonitorSession extends SessionOwner {
  /** Only the cookie contains the token; the database stores its digest. */
  token: string;
}

interface MonitorLink {
  id: string;
  /** Can be used once, within LINK_MINUTES. Opens a session of SESSION_HOURS. */
  token: string;
  expiresAt: Date;
}

/** Creates a one-time link and deletes expired links and sessions. The caller writes the audit row. */
export async function createMonitorLink(
  trx: Trx,
  { operator, host }: Pick<SessionOwner, 'operator' | 'host'>,
): Promise<MonitorLink> {
  await trx('webhook_monitor_sessions')
    .whereRaw(
      'case when session_digest is null then link_expires_at else expires_at end <= clock_timestamp()',
    )
    .delete();
  const token = createToken();
  const { rows } = await trx.raw<{ rows: [{ id: string; expiresAt: Date }] }>(
    `insert into webhook_monitor_sessions (operator, host, link_digest, link_expires_at)
     values (:operator, :host, :digest, clock_timestamp() + make_interval(mins => :minutes))
     returning id, link_expires_at as expires_at`,
    { operator, host, digest: digestOf(token), minutes: LINK_MINUTES },
  );
  return { token, ...rows[0] };
}

/**
 * Opens a session. Returns undefined for an unknown, a used and an expired link, without a difference. One statement checks the link and
 * marks it as used. A second concurrent use waits for the row lock and then finds the link used. The statement reads the clock after that
 * wait.
 */
export async function openSession(db: Db, linkToken: string): Promise<MonitorSession | undefined> {
  if (!isSessionToken(linkToken)) return undefined;
  const token = createToken();
  return inTransaction(db, async (trx) => {
    const { rows } = await trx.raw<{ rows: SessionOwner[] }>(
      `update webhook_monitor_sessions
       set session_digest = :sessionDigest, expires_at = clock_timestamp() + make_interval(hours => :hours)
       where link_digest = :linkDigest and session_digest is null and link_expires_at > clock_timestamp() and ${MAY_USE}
       returning id, operator, host, person`,
      { linkDigest: digestOf(linkToken), sessionDigest: digestOf(token), hours: SESSION_HOURS },
    );
    const [owner] = rows;
    if (!owner) return undefined;
    await recordSignIn(trx, owner, 'monitor.sign-in');
    return { ...owner, token };
  });
}

/** Finds the session in the database on every request: no process caches it. */
export async function findSession(db: Db, token: string | undefined): Promise<MonitorSession | undefined> {
  if (token === undefined || !isSessionToken(token)) return undefined;
  const owner = await db('webhook_monitor_sessions')
    .where({ session_digest: digestOf(token) })
    .whereRaw(`expires_at > clock_timestamp() and ${MAY_USE}`)
    .first<SessionOwner | undefined>('id', 'operator', 'host', 'person');
  return owner && { ...owner, token };
}

/** Ends a session and writes the audit row. Writes nothing if the session had already ended. */
export async function endSession(db: Db, session: MonitorSession): Promise<void> {
  await inTransaction(db, async (trx) => {
    const deleted = await trx('webhook_monitor_sessions').where({ id: session.id }).delete();
    if (deleted > 0) await recordSignIn(trx, session, 'monitor.sign-out');
  });
}

async function recordSignIn(
  trx: Trx,
  { id, operator, host, person }: SessionOwner,
  action: string,
): Promise<void> {
  await recordChange(trx, {
    actor: operator,
    host,
    person,
    action,
    tenantId: null,
    subject: id,
    before: null,
    after: null,
  });
}

/** Creates a token: 32 random bytes in base64url. The database stores only the digest of the token. */
function createToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Uses SHA-256: 256 random bits need no slower hash. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export function isSessionToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
