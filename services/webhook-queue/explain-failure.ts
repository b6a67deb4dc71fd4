import type { AttemptReport, Outcome } from './delivery';
import { BlockedTargetError, UnresolvedTargetError } from './resolve-target';
import { UnsealableSecretError } from './seal-secret';

type Failure = Pick<AttemptReport, 'outcome' | 'reason'>;

/** Why a try was cut off by ourselves; the reason of the request's AbortSignal. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`No answer within ${ms / 1000} s.`);
  }
}
export class InterruptedError extends Error {
  constructor() {
    super('This worker was stopped while the request was in flight; it may have arrived.');
  }
}

const CONNECT_TIMEOUT = ['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'];
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;

/** Puts an error of the client into a word and a plain sentence. Never the address's path, query or our body. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof BlockedTargetError) return { outcome: 'blocked', reason: error.message };
  if (error instanceof UnresolvedTargetError) return { outcome: 'dns', reason: error.message };
  if (error instanceof UnsealableSecretError) return { outcome: 'unsealable', reason: error.message };
  if (error instanceof DeadlineError) return { outcome: 'timeout', reason: error.message };
  if (error instanceof InterruptedError) return { outcome: 'interrupted', reason: error.message };
  const code = (error as { code?: unknown } | undefined)?.code;
  const name = typeof code === 'string' ? code : 'unknown';
  if (CONNECT_TIMEOUT.includes(name)) return { outcome: 'timeout', reason: 'No connection in time.' };
  if (TLS.test(name)) return { outcome: 'tls', reason: `No trustworthy TLS connection (${name}).` };
  return { outcome: 'connection', reason: `The connection failed (${name}).` };
}

const NO_ANSWER: readonly Outcome[] = ['timeout', 'dns', 'connection', 'tls'];

/** The receiver is silent or out of reach. What we refused or cut off ourselves says nothing about it. */
export function gotNoAnswer({ outcome }: Pick<AttemptReport, 'outcome'>): boolean {
  return NO_ANSWER.includes(outcome);
}

/** What an answer means. Only 2xx is success: a redirect is an answer from the wrong place, and is not followed. */
export function judgeAnswer(statusCode: number, location: string | undefined): Failure {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', reason: null };
  if (statusCode === 410) {
    return {
      outcome: 'gone',
      reason: 'The receiver answered 410 Gone: it wants no more, and the endpoint was disabled.',
    };
  }
  if (statusCode >= 300 && statusCode < 400) {
    // Foreign text: an operator's terminal obeys control characters.
    const where = location ? ` to ${location.replace(/\p{Cc}/gu, '').slice(0, 200)}` : '';
    return {
      outcome: 'redirect',
      reason: `The receiver answered ${statusCode}${where}: redirects are not followed.`,
    };
  }
  return { outcome: 'http_error', reason: `The receiver answered ${statusCode}.` };
}
