import { type Db, inTransaction, type Trx } from '../../../platform/database';
import { createHash, randomBytes } from 'node:crypto';
import { recordChange } from '../../../platform/audit-log';

// Both are measured by the database's clock.
export const LINK_MINUTES = 5;
export const SESSION_HOURS = 8;

export interface MonitorSession extends SessionOwner {
  /** Stored only in the cookie. */
  token: string;
}

interface MonitorLink {
  id: string;
  /** Valid once, for LINK_MINUTES. Opens a session of SESSION_HOURS. */
  token: string;
  expiresAt: Date;
}

/** Creates a one-time link and deletes expired links and sessions. The caller writes the audit row. */
export async function createMonitorLink(
  trx: Trx,
  owner: Pick<SessionOwner, 'operator' | 'host'>,
): Promise<MonitorLink> {
  const { token, digest } = createSessionToken();
  await deleteExpiredSessions(trx);
  return { token, ...(await insertLink(trx, owner, digest, LINK_MINUTES)) };
}

/** Opens a session. Returns undefined for an unknown, used or expired link, without saying which. */
export async function openSession(db: Db, linkToken: string): Promise<MonitorSession | undefined> {
  if (!isSessionToken(linkToken)) return undefined;
  const { token, digest } = createSessionToken();
  return inTransaction(db, async (trx) => {
    const owner = await spendLink(trx, digestSessionToken(linkToken), digest, SESSION_HOURS);
    if (!owner) return undefined;
    await record(trx, owner, 'monitor.sign-in');
    return { ...owner, token };
  });
}

/** Finds the session in the database on every request: no instance caches it. */
export async function findSession(db: Db, token: string | undefined): Promise<MonitorSession | undefined> {
  if (token === undefined || !isSessionToken(token)) return undefined;
  const owner = await findSessionByDigest(db, digestSessionToken(token));
  return owner && { ...owner, token };
}

export async function endSession(db: Db, session: MonitorSession): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await deleteSession(trx, session.id)) await record(trx, session, 'monitor.sign-out');
  });
}

async function record(trx: Trx, { id, operator, host }: SessionOwner, action: string): Promise<void> {
  const noChange = { tenantId: null, before: null, after: null };
  await recordChange(trx, { actor: operator, host, action, subject: id, ...noChange });
}

/** 32 bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface SessionToken {
  /** Known only to its holder. */
  token: string;
  /** Stored in the database. */
  digest: Buffer;
}

function createSessionToken(): SessionToken {
  const token = randomBytes(32).toString('base64url');
  return { token, digest: digestSessionToken(token) };
}

/** Uses SHA-256: 256 random bits need no slower hash. */
function digestSessionToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns whether the text has the format of a token. */
export function isSessionToken(text: string): boolean {
  return TOKEN.test(text);
}

interface SessionOwner {
  id: string;
  /** The system user who created the link, and the machine. */
  operator: string;
  host: string;
}

/** Deletes expired links and expired sessions. */
async function deleteExpiredSessions(trx: Trx): Promise<void> {
  await trx('webhook_monitor_sessions')
    .whereRaw(
      'case when session_digest is null then link_expires_at else expires_at end <= clock_timestamp()',
    )
    .delete();
}

async function insertLink(
  trx: Trx,
  { operator, host }: Omit<SessionOwner, 'id'>,
  digest: Buffer,
  minutes: number,
): Promise<{ id: string; expiresAt: Date }> {
  const { rows } = await trx.raw<{ rows: [{ id: string; expiresAt: Date }] }>(
    `insert into webhook_monitor_sessions (operator, host, link_digest, link_expires_at)
     values (:operator, :host, :digest, clock_timestamp() + make_interval(mins => :minutes))
     returning id, link_expires_at as expires_at`,
    { operator, host, digest, minutes },
  );
  return rows[0];
}

/**
 * Uses a link up in one statement: a second concurrent use waits for the row lock and then finds the link used. The clock is
 * read after that wait.
 */
async function spendLink(
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

async function findSessionByDigest(db: Db, digest: Buffer): Promise<SessionOwner | undefined> {
  return db('webhook_monitor_sessions')
    .where({ session_digest: digest })
    .whereRaw('expires_at > clock_timestamp()')
    .first<SessionOwner | undefined>('id', 'operator', 'host');
}

/** @returns false if the session had ended already */
async function deleteSession(trx: Trx, id: string): Promise<boolean> {
  return (await trx('webhook_monitor_sessions').where({ id }).delete()) > 0;
}
