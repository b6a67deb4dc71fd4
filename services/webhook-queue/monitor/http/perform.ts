import { isDeepStrictEqual } from 'node:util';
import { recordChange } from '../../../platform/audit-log';
import { inTransaction, type Trx } from '../../../platform/database';
import { AppError, sqlState } from '../../../platform/errors';
import type { Notice } from '../html/viewer';
import { goTo, type SignedInCall } from './call';
import { cameFrom } from './came-from';
import { keepNotice } from './notice';

/** What an operator did, as the audit log names it. */
export interface Deed {
  /** Noun and verb, as at the terminal: `webhook.pause`. */
  action: string;
  tenantId: string | null;
  subject: string | null;
  before?: unknown;
  after?: unknown;
  /** For the operator: no secret, nobody's data. */
  text: string;
}

/** Runs a deed and its audit row in one transaction. A before that equals the after is no change, and leaves no row. */
export async function audited<D extends Deed>(
  { monitor, session }: SignedInCall,
  work: (trx: Trx) => Promise<D>,
): Promise<D> {
  return inTransaction(monitor.db, async (trx) => {
    const deed = await work(trx);
    const { action, tenantId, subject, before, after } = deed;
    const { operator: actor, host } = session;
    if (before === undefined || !isDeepStrictEqual(before, after))
      await recordChange(trx, { actor, host, action, tenantId, subject, before, after });
    return deed;
  });
}

/** Does it, and goes back to the page that it was asked for on, where a notice says how it went. */
export async function perform(
  call: SignedInCall,
  work: (trx: Trx) => Promise<Deed>,
  otherwise: string,
): Promise<void> {
  leaveWith(call, await attempt(call, work), otherwise);
}

export function leaveWith(call: SignedInCall, notice: Notice, otherwise: string): void {
  keepNotice(call.response, call.session.token, notice);
  goTo(call.response, cameFrom(call.request) ?? otherwise);
}

async function attempt(call: SignedInCall, work: (trx: Trx) => Promise<Deed>): Promise<Notice> {
  try {
    const { text } = await audited(call, work);
    return { kind: 'done', text };
  } catch (error) {
    const text = whyRefused(error);
    if (text === undefined) throw error;
    return { kind: 'refused', text };
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/** What is not there has no page to go back to: that, and every fault, is left to the error pages. */
export function whyRefused(error: unknown): string | undefined {
  if (error instanceof AppError) return error.code.endsWith('_not_found') ? undefined : error.message;
  return sqlState(error) === LOCK_NOT_AVAILABLE
    ? 'Somebody else is changing this at the moment. Try again.'
    : undefined;
}
