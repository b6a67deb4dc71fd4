import type { AttemptReport, AttemptOutcome } from '../deliveries/delivery';

// Classifies a response, or its absence, for the delivery and for the endpoint.

type Classification = Pick<AttemptReport, 'outcome' | 'reason'>;

const THROTTLED = [429, 503];

/** 429 and 503: the endpoint works but throttles. */
export function isThrottled(statusCode: number | null): boolean {
  return statusCode !== null && THROTTLED.includes(statusCode);
}

/**
 * Describes the endpoint after an attempt. Null when the attempt says nothing about it: this service cut it off or could not start
 * it, or the kept connection was already closed.
 */
export type EndpointVerdict = 'healthy' | 'failing' | 'throttled' | null;

export function classifyEndpoint({
  outcome,
  statusCode,
}: Pick<AttemptReport, 'outcome' | 'statusCode'>): EndpointVerdict {
  if (outcome === 'delivered') return 'healthy';
  if (outcome === 'interrupted' || outcome === 'hung_up' || outcome === 'unsealable') return null;
  return isThrottled(statusCode) ? 'throttled' : 'failing';
}

const NO_RESPONSE: readonly AttemptOutcome[] = ['timeout', 'dns', 'connection', 'tls'];

/** Returns true when the receiver is silent or unreachable. Attempts that this service refused or cut off do not count. */
export function hasNoResponse({ outcome }: Pick<AttemptReport, 'outcome'>): boolean {
  return NO_RESPONSE.includes(outcome);
}

/** Classifies a response. Only 2xx is success; redirects are not followed. */
export function classifyResponse(statusCode: number, location: string | undefined): Classification {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', reason: null };
  if (statusCode === 410) {
    return {
      outcome: 'gone',
      reason: 'The receiver answered 410 Gone: the endpoint was disabled.',
    };
  }
  if (statusCode >= 300 && statusCode < 400) {
    // Names only the host: path and query may repeat personal data, and every operator sees the reason.
    const target = location && URL.canParse(location) ? ` to ${new URL(location).origin.slice(0, 200)}` : '';
    return {
      outcome: 'redirect',
      reason: `The receiver answered ${statusCode}${target}: redirects are not followed.`,
    };
  }
  return { outcome: 'http_error', reason: `The receiver answered ${statusCode}.` };
}

/** Reads the seconds of a Retry-After header: a number, or an HTTP date in any of its three forms. Returns null for text that does not begin with a weekday or that Date.parse refuses. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header);
  // Requires the weekday, because Date.parse alone accepts far more. The asctime form leaves out GMT.
  const date = header.endsWith('GMT') ? header : `${header} GMT`;
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(date) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
