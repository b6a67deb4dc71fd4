import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { InvalidValueError } from '../read-variable';

/**
 * How connections of a database URL use TLS, with the meanings of libpq: `require` encrypts and checks no certificate (with a root
 * certificate it means verify-ca), `verify-ca` checks who signed the certificate, `verify-full` checks the host name too.
 */
export interface Tls {
  mode: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** Files in PEM form. Without a root certificate, verify-full accepts the authorities that Node knows. */
  files: { ca?: string; cert?: string; key?: string };
}

const MODES: readonly string[] = ['disable', 'require', 'verify-ca', 'verify-full'] satisfies Tls['mode'][];
const MODE_NEEDED =
  'a sslmode of disable, require, verify-ca or verify-full: others let the server choose to send everything unencrypted';

/** The parameters of a URL that readTls reads. */
export const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** Reads the parameters of TLS. Undefined: the URL has none. @throws InvalidValueError */
export function readTls(parameters: URLSearchParams): Tls | undefined {
  const [mode, root, cert, key] = TLS_PARAMETERS.map((name) => parameters.get(name) || undefined);
  if ([mode, root, cert, key].every((value) => value === undefined)) return undefined;
  assertTls(mode, root);
  if ((cert === undefined) !== (key === undefined))
    throw new InvalidValueError('must have sslcert and sslkey together, or neither');
  const ca = root === 'system' ? undefined : root;
  const isVerified = mode === 'require' && ca !== undefined;
  return { mode: isVerified ? 'verify-ca' : mode, files: { ca, cert, key } };
}

/** @throws InvalidValueError */
function assertTls(mode: string | undefined, root: string | undefined): asserts mode is Tls['mode'] {
  if (mode === undefined || !MODES.includes(mode)) throw new InvalidValueError(`must have ${MODE_NEEDED}`);
  if (mode === 'verify-ca' && (root === undefined || root === 'system'))
    throw new InvalidValueError('must have a sslrootcert, the file of the authority, with sslmode=verify-ca');
  if (root === 'system' && mode !== 'verify-full')
    throw new InvalidValueError('must have sslmode=verify-full with sslrootcert=system');
}

/** Returns the settings of Node's TLS. False: the connection is not encrypted. @throws Error that names a file that cannot be read */
export function tlsOptions({ mode, files }: Tls): ConnectionOptions | false {
  if (mode === 'disable') return false;
  const { ca, cert, key } = files;
  return {
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca: readPem('sslrootcert', ca) }),
    ...(cert !== undefined && { cert: readPem('sslcert', cert) }),
    ...(key !== undefined && { key: readPem('sslkey', key) }),
  };
}

function readPem(parameter: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${parameter}: ${(error as Error).message}`);
  }
}

const UNKNOWN_AUTHORITY =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER).*)$/;

/** Errors of a new connection whose message does not say what to change, each with a message that does. */
const ADVICE: { matches: (code: string, message: string) => boolean; message: string }[] = [
  {
    matches: (_, message) => message.includes('client password must be a string'),
    message: 'the server asks for a password, and the URL has none: postgres://user:password@host/database',
  },
  {
    matches: (_, message) => message.includes('does not support SSL connections'),
    message: 'the server does not offer TLS: use sslmode=disable, or turn on ssl in the server',
  },
  {
    matches: (code, message) => code === '28000' && message.includes('no encryption'),
    message:
      'the server requires TLS: add sslmode=verify-full (or require, which checks no certificate) to the URL',
  },
  {
    matches: (code) => UNKNOWN_AUTHORITY.test(code),
    message:
      'the certificate of the server is signed by an unknown authority: name its file with sslrootcert=FILE in the URL',
  },
  {
    matches: (code) => code === 'ERR_TLS_CERT_ALTNAME_INVALID',
    message:
      'the certificate of the server has another host name: use that name, or sslmode=verify-ca with sslrootcert=FILE in the URL',
  },
];

/** Replaces the message of an error of a new connection if there is a better one, which says what to change. */
export function explainConnectionError(error: Error): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice = ADVICE.find(({ matches }) => matches(code ?? '', message));
  if (advice) error.message = advice.message;
  return error;
}
