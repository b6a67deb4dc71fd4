import type { AttemptReport } from '../deliveries/delivery';
import { UnsealableSecretError } from '../signing/seal-secret';
import {
  BlockedTargetError,
  ConnectTimeoutError,
  DeadlineError,
  EndlessAnswerError,
  HungUpError,
  InterruptedError,
  UnresolvedTargetError,
} from './sending.errors';

/** Where no answer came. */
export type Failure = Pick<AttemptReport, 'outcome' | 'reason'>;

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/;
const BROKEN = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/** What the client's codes mean, as the first that fits. */
const SENTENCES: [RegExp, string][] = [
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The connection was closed before an answer came'],
  [/^ECONNREFUSED$/, 'The connection was refused: nothing listens there'],
  [/^ETIMEDOUT$/, 'No connection in time'],
  [/^E(HOST|NET)UNREACH$/, 'No way leads to the address'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'The headers of the answer are longer than 16 KiB'],
  [/^(MALFORMED_ANSWER|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'What came back is no answer of HTTP/1.1'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, 'The TLS certificate is self-signed'],
  [/^CERT_HAS_EXPIRED$/, 'The TLS certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'The TLS certificate is not valid yet'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'The TLS certificate is for another name'],
  [
    /^UNABLE_TO_/,
    'The TLS certificate leads to no known authority; perhaps the one in between is not sent along',
  ],
  [/_NO_APPLICATION_PROTOCOL$/, 'The server does not speak HTTP/1.1 over TLS'],
  [/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/, 'What came back is not TLS'],
  [TLS, 'No trustworthy TLS connection'],
];

/** Puts an error of the client into a word and a plain sentence. Never the address's path, query or our body. */
export function explainFailure(error: unknown): Failure {
  const ours = explainOurs(error);
  if (ours) return ours;
  const code = codeOf(error);
  const [, sentence = 'The connection failed'] = SENTENCES.find(([form]) => form.test(code)) ?? [];
  const outcome = TLS.test(code) ? 'tls' : code === 'ETIMEDOUT' ? 'timeout' : 'connection';
  return { outcome, reason: `${sentence} (${code}).` };
}

/** The errors that this service raises speak for themselves. */
function explainOurs(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const reason = error.message;
  if (error instanceof BlockedTargetError) return { outcome: 'blocked', reason };
  if (error instanceof UnresolvedTargetError) return { outcome: 'dns', reason };
  if (error instanceof UnsealableSecretError) return { outcome: 'unsealable', reason };
  if (error instanceof DeadlineError || error instanceof ConnectTimeoutError)
    return { outcome: 'timeout', reason };
  if (error instanceof InterruptedError) return { outcome: 'interrupted', reason };
  if (error instanceof HungUpError) return { outcome: 'hung_up', reason };
  if (error instanceof EndlessAnswerError) return { outcome: 'connection', reason };
  return undefined;
}

/** The other side closed it, or it broke on the way. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.includes(codeOf(error));
}

/** undici gives its parser's errors no code, and an answer out of place that of a closed connection. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'HTTPParserError' || /^bad (response|upgrade)$/.test(message)) return 'MALFORMED_ANSWER';
  return code ?? 'unknown';
}
