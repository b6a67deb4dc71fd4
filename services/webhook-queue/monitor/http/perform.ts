import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../../platform/audit-log';
import { inTransaction, type Trx } from '../../../platform/database';
import { AppError, LOCK_NOT_AVAILABLE, sqlState } from '../../../platform/errors';
import type { Notice } from '../html/layout';
import { seeOther, type SignedInCall } from './call';
import { cameFrom } from './request-origin';
import { keepNotice } from './cookies';

/** An operator's action, as the audit log names it. */
export interface AuditedAction {
  /** Noun and verb of the tourctl command: `webhook.pause`. */
  action: string;
  tenantId: string | null;
  subject: string | null;
  before?: unknown;
  after?: unknown;
  /** The notice for the operator. Holds no secret and no personal data. */
  text: string;
}

/** Runs an action and writes its audit row in one transaction. Writes no row where nothing changed. */
export async function audited<A extends AuditedAction>(
  { monitor, session }: SignedInCall,
  work: (trx: Trx) => Promise<A>,
): Promise<A> {
  return inTransaction(monitor.db, async (trx) => {
    const done = await work(trx);
    const { action, tenantId, subject, before, after } = done;
    const { operator: actor, host } = session;
    if (before === undefined || !isDeepStrictEqual(before, after))
      await recordChange(trx, { actor, host, action, tenantId, subject, before, after });
    return done;
  });
}

/** Runs an action, then redirects to the page of its form with a notice. */
export async function performAction(
  call: SignedInCall,
  work: (trx: Trx) => Promise<AuditedAction>,
  fallback: string,
): Promise<void> {
  redirectWithNotice(call, await attempt(call, work), fallback);
}

export function redirectWithNotice(call: SignedInCall, notice: Notice, fallback: string): void {
  keepNotice(call.response, call.session.token, notice);
  seeOther(call.response, cameFrom(call.request) ?? fallback);
}

async function attempt(call: SignedInCall, work: (trx: Trx) => Promise<AuditedAction>): Promise<Notice> {
  try {
    const { text } = await audited(call, work);
    return { kind: 'done', text };
  } catch (error) {
    const text = refusalMessage(error);
    if (text === undefined) throw error;
    return { kind: 'refused', text };
  }
}

/** Returns the text of an expected refusal. Returns undefined for missing records and unexpected errors: error pages answer them. */
export function refusalMessage(error: unknown): string | undefined {
  if (error instanceof AppError) return error.code.endsWith('_not_found') ? undefined : error.message;
  return sqlState(error) === LOCK_NOT_AVAILABLE
    ? 'Another operator is changing this at the moment. Try again.'
    : undefined;
}
