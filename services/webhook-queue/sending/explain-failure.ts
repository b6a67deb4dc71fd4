import type { AttemptOutcome, AttemptReport } from '../deliveries/delivery';
import { UnsealableSecretError } from '../signing/seal-secret';

/** The outcome of an attempt without a response. */
export type Failure = Pick<AttemptReport, 'outcome' | 'reason'>;

/** Ends an attempt without a response, for a reason that this service knows. The message is a sentence for the operator. */
export class AttemptError extends Error {
  constructor(
    readonly outcome: AttemptOutcome,
    reason: string,
  ) {
    super(reason);
  }
}

/** Cuts off the requests in flight when the worker stops. */
export class InterruptedError extends AttemptError {
  constructor() {
    super('interrupted', 'The worker was stopped while the request was in flight; it may have arrived.');
  }
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** Explains error codes of the client; the first match applies. */
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

/** Translates an error of the client into an outcome and a sentence without the path, the query or the body. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof AttemptError) return { outcome: error.outcome, reason: error.message };
  if (error instanceof UnsealableSecretError) return { outcome: 'unsealable', reason: error.message };
  const code = codeOf(error);
  const [, sentence = 'The connection failed'] = SENTENCES.find(([form]) => form.test(code)) ?? [];
  const outcome = TLS.test(code) ? 'tls' : code === 'ETIMEDOUT' ? 'timeout' : 'connection';
  return { outcome, reason: `${sentence} (${code}).` };
}

/** Returns true when the receiver or the network closed the connection. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.includes(codeOf(error));
}

/** Returns the error code. undici sets none for parser errors, and a misleading one for an unexpected response. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'HTTPParserError' || /^bad (response|upgrade)$/.test(message)) return 'MALFORMED_ANSWER';
  return code ?? 'unknown';
}
