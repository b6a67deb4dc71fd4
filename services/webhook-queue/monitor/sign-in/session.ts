import { inTransaction, type Db, type Trx } from '../../../platform/database';
import { recordChange } from '../../../platform/audit-log';
import {
  deleteSession,
  deleteSpent,
  findSessionByDigest,
  insertLink,
  spendLink,
  type SessionOwner,
} from './session.repository';
import { digestOf, isToken, mintToken } from './token';

/** By the database's clock, both. */
export const LINK_MINUTES = 5;
export const SESSION_HOURS = 8;

/** Who is signed in to the monitoring page. */
export interface MonitorSession extends SessionOwner {
  /** What the cookie holds: kept nowhere else. */
  token: string;
}

export interface MonitorLink {
  id: string;
  /** Good once, for LINK_MINUTES: it opens a session of SESSION_HOURS. */
  token: string;
  expiresAt: Date;
}

/** What is spent or over goes with it, so that nothing else has to tidy. The caller writes the audit row. */
export async function createMonitorLink(
  trx: Trx,
  owner: Pick<SessionOwner, 'operator' | 'host'>,
): Promise<MonitorLink> {
  const { token, digest } = mintToken();
  await deleteSpent(trx);
  return { token, ...(await insertLink(trx, owner, digest, LINK_MINUTES)) };
}

/** Undefined for a link that is unknown, used, or over: which of these, a stranger need not know. */
export async function openSession(db: Db, linkToken: string): Promise<MonitorSession | undefined> {
  if (!isToken(linkToken)) return undefined;
  const { token, digest } = mintToken();
  return inTransaction(db, async (trx) => {
    const owner = await spendLink(trx, digestOf(linkToken), digest, SESSION_HOURS);
    if (!owner) return undefined;
    await record(trx, owner, 'monitor.sign-in');
    return { ...owner, token };
  });
}

/** Judged on every request: no instance remembers who is signed in. */
export async function findSession(db: Db, token: string | undefined): Promise<MonitorSession | undefined> {
  if (token === undefined || !isToken(token)) return undefined;
  const owner = await findSessionByDigest(db, digestOf(token));
  return owner && { ...owner, token };
}

export async function endSession(db: Db, session: MonitorSession): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (await deleteSession(trx, session.id)) await record(trx, session, 'monitor.sign-out');
  });
}

async function record(trx: Trx, { id, operator, host }: SessionOwner, action: string): Promise<void> {
  const nothing = { tenantId: null, before: null, after: null };
  await recordChange(trx, { actor: operator, host, action, subject: id, ...nothing });
}
