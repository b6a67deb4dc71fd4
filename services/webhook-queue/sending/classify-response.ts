import type { AttemptOutcome, AttemptReport } from '../deliveries/delivery';
import { UnsealableSecretError } from '../signing/seal-secret';
import { AttemptError } from './attempt';
import { explainRedirect, type RedirectedEndpoint } from './explain-redirect';

// Classifies a response, or its absence, for the delivery and for the endpoint.

/** The outcome of an attempt and its reason. */
export type Classification = Pick<AttemptReport, 'outcome' | 'reason'>;

const THROTTLED = [429, 503];

/** Returns true for 429 and 503: the endpoint works but throttles. */
export function isThrottled(statusCode: number | null): boolean {
  return statusCode !== null && THROTTLED.includes(statusCode);
}

/**
 * Describes the state of the endpoint after an attempt. Null when the attempt says nothing about the endpoint: this service cut off the
 * attempt or could not start it, or the receiver had already closed the kept connection.
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

/** Returns true when the receiver is silent or unreachable. Returns false for attempts that this service refused or interrupted. */
export function hasNoResponse({ outcome }: Pick<AttemptReport, 'outcome'>): boolean {
  return NO_RESPONSE.includes(outcome);
}

/** Classifies a response. Only 2xx is success; redirects are not followed. @param location the header of the response */
export function classifyResponse(
  statusCode: number,
  location: string | undefined,
  endpoint: RedirectedEndpoint,
  allowPrivateTargets: boolean,
): Classification {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', reason: null };
  if (statusCode === 410) {
    return {
      outcome: 'gone',
      reason: 'The receiver answered 410 Gone: the endpoint was disabled.',
    };
  }
  if (statusCode >= 300 && statusCode < 400) {
    const reason = explainRedirect(statusCode, location, endpoint, allowPrivateTargets);
    return { outcome: 'redirect', reason };
  }
  return { outcome: 'http_error', reason: `The receiver answered ${statusCode}.` };
}

/**
 * Reads a Retry-After header, and returns the seconds to wait. The header has a number, or an HTTP date in one of three forms.
 * @returns null for a date that does not begin with a weekday, or that Date.parse refuses
 */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  if (!header) return null;
  if (/^\d+$/.test(header)) return Number(header);
  // Requires the weekday, because Date.parse alone accepts far more texts. Adds GMT to a date in the asctime form, which is in GMT but does
  // not say so.
  const date = header.endsWith('GMT') ? header : `${header} GMT`;
  const at = /^[A-Z][a-z]{2,8},? /.test(header) ? Date.parse(date) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Explains error codes of the HTTP client; the first match applies. */
const SENTENCES: [RegExp, string][] = [
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The receiver closed the connection before it responded'],
  [/^ECONNREFUSED$/, 'The connection was refused: no server listens on this port'],
  [/^ETIMEDOUT$/, 'The connection timed out'],
  [/^E(HOST|NET)UNREACH$/, 'Host unreachable'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'The response headers are larger than 16 KiB'],
  [/^(MALFORMED_ANSWER|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'The response is not valid HTTP/1.1'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'The TLS certificate is self-signed'],
  [/^CERT_HAS_EXPIRED$/, 'The TLS certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'The TLS certificate is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The TLS certificate is for another name'],
  [
    /^UNABLE_TO_/,
    'The TLS certificate has no trusted authority: the server may not send its intermediate certificate',
  ],
  [/_NO_APPLICATION_PROTOCOL$/, 'The server does not speak HTTP/1.1 over TLS'],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/,
    'The server does not speak TLS on this port',
  ],
  [TLS, 'The TLS connection is not trusted'],
];

/** Translates an error of the HTTP client into an outcome and a sentence without the path, the query or the body. */
export function explainFailure(error: unknown): Classification {
  if (error instanceof AttemptError) return { outcome: error.outcome, reason: error.message };
  if (error instanceof UnsealableSecretError) return { outcome: 'unsealable', reason: error.message };
  const code = codeOf(error);
  const [, sentence = 'The connection failed'] = SENTENCES.find(([form]) => form.test(code)) ?? [];
  return { outcome: outcomeOf(code), reason: `${sentence} (${code}).` };
}

function outcomeOf(code: string): AttemptOutcome {
  if (TLS.test(code)) return 'tls';
  return code === 'ETIMEDOUT' ? 'timeout' : 'connection';
}

/** Returns true when the receiver or the network closed the connection. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.includes(codeOf(error));
}

/** Returns the error code. undici sets no code for parser errors, and a misleading code for an unexpected response. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'HTTPParserError' || /^bad (response|upgrade)$/.test(message)) return 'MALFORMED_ANSWER';
  return code ?? 'unknown';
}
