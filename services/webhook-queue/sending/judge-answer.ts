import type { AttemptReport, Outcome } from '../deliveries/delivery';

// What an answer, or its absence, means: for this delivery, and for the endpoint.

type Judgement = Pick<AttemptReport, 'outcome' | 'reason'>;

const THROTTLED = [429, 503];

/** The receiver is there, but not now. */
export function asksForPatience(statusCode: number | null): boolean {
  return statusCode !== null && THROTTLED.includes(statusCode);
}

/** What a try says about its endpoint; null where it says nothing: we cut it off, or could not begin. */
export type Verdict = 'well' | 'ill' | 'busy' | null;

export function judgeEndpoint({
  outcome,
  statusCode,
}: Pick<AttemptReport, 'outcome' | 'statusCode'>): Verdict {
  if (outcome === 'delivered') return 'well';
  if (outcome === 'interrupted' || outcome === 'hung_up' || outcome === 'unsealable') return null;
  // It is there, and paces itself.
  return asksForPatience(statusCode) ? 'busy' : 'ill';
}

const NO_ANSWER: readonly Outcome[] = ['timeout', 'dns', 'connection', 'tls'];

/** The receiver is silent or out of reach. What we refused or cut off ourselves says nothing about it. */
export function gotNoAnswer({ outcome }: Pick<AttemptReport, 'outcome'>): boolean {
  return NO_ANSWER.includes(outcome);
}

/** What an answer means. Only 2xx is success: a redirect is an answer from the wrong place, and is not followed. */
export function judgeAnswer(statusCode: number, location: string | undefined): Judgement {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', reason: null };
  if (statusCode === 410) {
    return {
      outcome: 'gone',
      reason: 'The receiver answered 410 Gone: it wants no more, and the endpoint was disabled.',
    };
  }
  if (statusCode >= 300 && statusCode < 400) {
    // Of the address its host alone: the rest may repeat what was sent, and this is shown to everybody.
    const where = location && URL.canParse(location) ? ` to ${new URL(location).origin.slice(0, 200)}` : '';
    return {
      outcome: 'redirect',
      reason: `The receiver answered ${statusCode}${where}: redirects are not followed.`,
    };
  }
  return { outcome: 'http_error', reason: `The receiver answered ${statusCode}.` };
}

/** Seconds from a Retry-After header (a number, or an HTTP date in any of its three forms); null if it says nothing usable. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header);
  // An HTTP date begins with its weekday; Date.parse alone would believe far more. One form leaves out that it is GMT.
  const date = header.endsWith('GMT') ? header : `${header} GMT`;
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(date) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
